"""Every engine against plain loops: the same digits, the same indices.

A new engine joins by one line of ``ENGINES``.
"""

import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privgate.encoding import BinaryRows, CosineRows, EuclideanRows, GowerRows
from privgate.executors import Serial, Threads
from privgate.neighbors import cells, search_across, search_within, tied_nearest, tiles
from privgate.neighbors.engines import (
    Brute,
    GowerScreen,
    HammingTiles,
    Screen,
    Tree,
    hits,
    screen,
    tree,
)
from privgate.neighbors.engines.coordinates import points_of


def numbers(matrix):
    return EuclideanRows(matrix, np.empty((len(matrix), 0), np.int32))


def mixed(matrix):
    """Numbers, and level codes that are coarse and skewed."""
    return EuclideanRows(matrix[:, :-1], _codes(matrix))


def weighted(matrix):
    rows = mixed(matrix)
    return rows.weighted(_weights(rows.numbers.shape[1]), _weights(rows.levels.shape[1]))


def cosine(matrix):
    return CosineRows.of(np.where(matrix.any(axis=1, keepdims=True), matrix, 1.0))


def gower(matrix):
    return GowerRows(_holed(matrix)[:, :-1], _codes(matrix))


def gower_numbers(matrix):
    return GowerRows(_holed(matrix), np.empty((len(matrix), 0), np.int32))


def gower_weighted(matrix):
    rows = gower(matrix)
    return rows.weighted(_weights(rows.numbers.shape[1]), _weights(rows.levels.shape[1]))


def binary(matrix):
    bits = np.ascontiguousarray(matrix).view(np.uint64) >> np.uint64(40)
    return BinaryRows.pack(
        (bits[:, :, None] >> np.arange(24, dtype=np.uint64) & 1).reshape(len(bits), -1)
    )


def _codes(matrix):
    places = np.unique(matrix, return_inverse=True)[1].reshape(matrix.shape)
    return (places**2 % 5 - 1).astype(np.int32)


def _weights(count):
    return np.linspace(0.3, 7.1, count) if count != 2 else np.array([0.0, 1.7])


def _holed(matrix):
    return np.where(_codes(matrix) == 3, np.nan, matrix)


def of_points(engine):
    """The engine wherever rows are points, and tiles where a number is too large for that."""

    def made(question):
        points = points_of(question)
        return Brute(question) if points is None else engine.of(question, points)

    return made


TREE, SCREEN = of_points(Tree), of_points(Screen)
ENGINES = {
    "brute, numbers": (Brute, numbers),
    "brute, mixed": (Brute, mixed),
    "brute, weighted": (Brute, weighted),
    "brute, cosine": (Brute, cosine),
    "brute, gower": (Brute, gower),
    "brute, gower numbers": (Brute, gower_numbers),
    "brute, gower weighted": (Brute, gower_weighted),
    "brute, hamming": (Brute, binary),
    "tree, numbers": (TREE, numbers),
    "tree, mixed": (TREE, mixed),
    "tree, weighted": (TREE, weighted),
    "tree, cosine": (TREE, cosine),
    "screen, numbers": (SCREEN, numbers),
    "screen, mixed": (SCREEN, mixed),
    "screen, weighted": (SCREEN, weighted),
    "screen, cosine": (SCREEN, cosine),
    "words, hamming": (HammingTiles.of, binary),
    "levels, gower": (GowerScreen.of, gower),
    "levels, gower numbers": (GowerScreen.of, gower_numbers),
    "levels, gower weighted": (GowerScreen.of, gower_weighted),
}


def _random(seed, *shape):
    return np.random.default_rng(seed).random(shape)


HOSTILE = {
    "all equal": np.ones((40, 3)),
    "duplicates": np.repeat(np.arange(8.0), 5)[:, None] * np.ones(2),
    "timestamps": 1.7e18 + np.arange(40.0)[:, None] * [512, 256],
    "nearly equal": 1 + np.arange(40.0)[:, None] * [2.0**-52, 2.0**-50],
    "tiny": _random(0, 40, 2) * 1e-25,
    "vanishing": _random(0, 40, 2) * 1e-170,
    "huge": _random(1, 40, 2) * 1e25,
    "enormous": _random(1, 40, 2) * 1e160,
    "mixed scales": _random(2, 40, 2) * [1e-9, 1e9],
    "one outlier": np.vstack([_random(3, 39, 2), [[1e12, -1e12]]]),
    "two far away": np.vstack([_random(3, 38, 3), 1e30 + np.zeros((2, 3))]),
    "offset": 1e6 + _random(4, 40, 20),
    "one column": _random(5, 40, 1),
    "grid": np.random.default_rng(6).integers(0, 3, (40, 4)).astype(float),
    "line": np.arange(40.0)[:, None] * np.ones(5),
    "zeros": np.where(_random(7, 40, 6) < 0.8, 0.0, _random(8, 40, 6)),
    "signed zeros": np.where(_random(9, 40, 3) < 0.5, -0.0, 0.0),
}


KINDS = {make.__name__: make for _, make in ENGINES.values()}


def same(found, expected, k):
    distances, indices = expected
    assert np.array_equal(found.distances, distances[:, :k])
    assert np.array_equal(found.indices, indices[:, :k])


@pytest.mark.parametrize("case", HOSTILE)
@pytest.mark.parametrize("name", ENGINES)
def test_hostile_rows_have_the_neighbours_that_loops_find(name, case, loops, monkeypatch):
    engine, make = ENGINES[name]
    rows = make(HOSTILE[case])
    queries, base = rows.take(slice(0, 17)), rows.take(slice(17, 40))
    expected = loops.distances(queries, base)
    assert np.array_equal(queries.distances(base), expected)
    for k, tile_bytes in ((1, 1), (5, 2000), (50, 2**25)):
        monkeypatch.setattr(tiles, "TILE_BYTES", tile_bytes)
        there, back = search_across(queries, base, k=k, k_back=k + 1, engine=engine)
        same(there, loops.nearest(expected, k), k)
        same(back, loops.nearest(expected.T, k + 1), k + 1)
    expected = loops.distances(rows, rows)
    for k in (1, 7, 60):
        same(search_within(rows, k=k, engine=engine), loops.nearest(expected, k, within=True), k)


@pytest.mark.parametrize("case", HOSTILE)
@pytest.mark.parametrize("kind", KINDS)
def test_cells_hold_the_rows_nearest_to_their_references(kind, case, loops, monkeypatch):
    rows = KINDS[kind](HOSTILE[case])
    matrix = loops.distances(rows, rows)
    rng = np.random.default_rng(13)
    for block, most_open in ((7, 8), (2048, 8), (16, 0)):
        monkeypatch.setattr(cells, "BLOCK", block)
        monkeypatch.setattr(cells, "MOST_OPEN", most_open)
        divided = cells.Cells.of(rows)
        for count in (1, 6, 40):
            chosen = rng.permutation(40)[:count]
            assert np.array_equal(divided.around(chosen), matrix[:, chosen].argmin(axis=1))


@pytest.mark.parametrize("name", ENGINES)
def test_few_rows(name, loops):
    engine, make = ENGINES[name]
    rows = make(_random(11, 3, 2))
    for size in (1, 2):
        few, rest = rows.take(slice(0, size)), rows.take(slice(size, 3))
        there, back = search_across(few, rest, k=9, k_back=9, engine=engine)
        expected = loops.distances(few, rest)
        same(there, loops.nearest(expected, 9), 9)
        same(back, loops.nearest(expected.T, 9), 9)
    pair = rows.take(slice(0, 2))
    expected = loops.nearest(loops.distances(pair, pair), 1, within=True)
    same(search_within(pair, k=9, engine=engine), expected, 1)
    alone = search_within(rows.take(slice(0, 1)), engine=engine)
    assert np.isinf(alone.first.distance).all()


@st.composite
def matrices(draw):
    rows, columns = draw(st.integers(2, 60)), draw(st.integers(1, 6))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    drawn = {
        "even": lambda: rng.random((rows, columns)),
        "coarse": lambda: rng.integers(0, 4, (rows, columns)) / 2,
        "copied": lambda: rng.random((rows, columns))[rng.integers(0, rows, rows)],
        "clustered": lambda: (
            rng.integers(0, 3, (rows, columns)) + 1e-8 * rng.random((rows, columns))
        ),
        "scaled": lambda: rng.random((rows, columns)) * 10.0 ** rng.integers(-12, 12, columns),
        "heavy": lambda: rng.standard_cauchy((rows, columns)) ** 3,
        "shifted": lambda: 1e9 + rng.random((rows, columns)),
    }
    return draw(st.sampled_from(sorted(drawn)).map(lambda kind: drawn[kind]()))


def _random_shapes(name, data, loops):
    engine, make = ENGINES[name]
    matrix = data.draw(matrices())
    rows = make(matrix)
    k, k_back = data.draw(st.integers(1, 70)), data.draw(st.integers(0, 70))
    cut = data.draw(st.integers(1, len(rows) - 1))
    queries, base = rows.take(slice(0, cut)), rows.take(slice(cut, len(rows)))
    expected = loops.distances(queries, base)
    there, back = search_across(queries, base, k=k, k_back=k_back, engine=engine)
    same(there, loops.nearest(expected, k), k)
    assert back.distances.shape[1] == min(k_back, len(queries))
    if k_back:
        same(back, loops.nearest(expected.T, k_back), k_back)
    within = loops.nearest(loops.distances(rows, rows), k, within=True)
    same(search_within(rows, k=k, engine=engine), within, k)


@pytest.mark.parametrize("name", ENGINES)
@given(data=st.data())
@settings(max_examples=8)
def test_random_shapes(name, data, loops):
    _random_shapes(name, data, loops)


@pytest.mark.slow
@pytest.mark.parametrize("name", ENGINES)
@given(data=st.data())
@settings(max_examples=2000 // len(ENGINES))
def test_many_random_shapes(name, data, loops):
    _random_shapes(name, data, loops)


def _clustered(rows, columns, seed):
    """Rows in clusters, a tenth of them equal to another one."""
    rng = np.random.default_rng(seed)
    centres = rng.random((40, columns)) * 5
    made = centres[rng.integers(0, 40, rows)] + 0.1 * rng.random((rows, columns))
    made[rng.permutation(rows)[: rows // 10]] = made[rng.integers(0, rows, rows // 10)]
    return made


@pytest.fixture
def small_screen(monkeypatch):
    """Let the screen divide a small table of pairs as it does a large one."""
    monkeypatch.setattr(screen, "ROWS", 200)
    monkeypatch.setattr(screen, "COLUMNS", 300)
    monkeypatch.setattr(screen, "STRIP_ROWS", 32)
    monkeypatch.setattr(hits, "STRIP_ROWS", 32)
    monkeypatch.setattr(hits, "CLASSES", 64)
    monkeypatch.setattr(tree, "BLOCK", 128)


class Sent(Serial):
    """Sends task, shared things and parts away and back, as a cluster does."""

    def map(self, task, shared, parts):
        task, shared = pickle.loads(pickle.dumps((task, shared)))
        return (pickle.loads(pickle.dumps(task(shared, part))) for part in parts)


@pytest.mark.usefixtures("small_screen")
@pytest.mark.parametrize("name", ENGINES)
def test_many_rows_have_the_same_lists_by_tiles(name):
    engine, make = ENGINES[name]
    rows = make(_clustered(1500, 4, seed=1))
    queries, base = rows.take(slice(0, 650)), rows.take(slice(650, 1500))
    for k, k_back in ((20, 20), (1, 0)):
        by_tiles = search_across(queries, base, k=k, k_back=k_back, engine=Brute)
        found = search_across(queries, base, k=k, k_back=k_back, engine=engine, executor=Threads(2))
        for one, other in zip(found, by_tiles, strict=True):
            assert np.array_equal(one.distances, other.distances)
            assert np.array_equal(one.indices, other.indices)
    by_tiles = search_within(rows, k=20, engine=Brute)
    for executor in (Sent(), Threads(2)):
        found = search_within(rows, k=20, engine=engine, executor=executor)
        assert np.array_equal(found.distances, by_tiles.distances)
        assert np.array_equal(found.indices, by_tiles.indices)


@pytest.mark.parametrize("name", ENGINES)
def test_planted_copies_are_found(name):
    engine, make = ENGINES[name]
    rng = np.random.default_rng(3)
    people = rng.random((700, 5))
    made = rng.random((600, 5))
    planted = rng.permutation(600)[:57]
    made[planted] = people[rng.integers(0, 700, 57)]
    rows = make(np.vstack([people, made]))
    people, made = rows.take(slice(0, 700)), rows.take(slice(700, 1300))
    there, back = search_across(made, people, k=1, k_back=4, engine=engine)
    ranks = rows.ranks()
    copies = np.isin(ranks[700:], ranks[:700])
    assert copies[planted].all()
    assert np.array_equal(there.first.distance == 0, copies)
    assert np.array_equal(back.first.distance == 0, np.isin(ranks[:700], ranks[700:]))


def test_ties_behind_the_end_of_a_list_are_found():
    codes = np.random.default_rng(4).integers(0, 2, (300, 3)).astype(float)
    queries, base = numbers(codes[:100]), numbers(codes[100:])
    short, long = (search_across(queries, base, k=k)[0] for k in (2, 300))
    assert np.array_equal(tied_nearest(short).sizes, tied_nearest(long).sizes)
    distances = queries.distances(base)
    expected = (distances == distances.min(axis=1, keepdims=True)).sum(axis=1)
    assert np.array_equal(tied_nearest(short).sizes, expected)
