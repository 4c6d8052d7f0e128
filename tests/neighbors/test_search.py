import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from privgate.encoding import BinaryRows, Distance, EuclideanRows, GowerRows, Space
from privgate.executors import Threads
from privgate.neighbors import (
    Neighbours,
    search,
    search_across,
    search_nearest,
    search_within,
    tiles,
)


def mixed(numbers, levels):
    return EuclideanRows(np.asarray(numbers, np.float64), np.asarray(levels, np.int32))


def naive(queries, base):
    """Return all distances by plain loops."""
    found = np.empty((len(queries), len(base)))
    for i in range(len(queries)):
        for j in range(len(base)):
            total = 2.0 * np.sum(queries.levels[i] != base.levels[j])
            squares = 0.0
            for a, b in zip(queries.numbers[i], base.numbers[j], strict=True):
                squares += (a - b) * (a - b)
            found[i, j] = np.sqrt(total + squares)
    return found


HOSTILE = {
    "all equal": np.ones((30, 3)),
    "duplicates": np.repeat(np.arange(6.0), 5)[:, None] * np.ones(2),
    "timestamps": 1.7e18 + np.arange(30.0)[:, None] * 512,
    "tiny": np.random.default_rng(0).random((30, 2)) * 1e-25,
    "huge": np.random.default_rng(1).random((30, 2)) * 1e25,
    "mixed scales": np.random.default_rng(2).random((30, 2)) * [1e-9, 1e9],
    "one outlier": np.vstack([np.random.default_rng(3).random((29, 2)), [[1e12, -1e12]]]),
    "offset": 1e6 + np.random.default_rng(4).random((30, 20)),
}


@pytest.mark.parametrize("case", HOSTILE)
@pytest.mark.parametrize("tile_bytes", [1, 2000, 2**25])
def test_search_is_bit_equal_to_loops(case, tile_bytes, monkeypatch):
    monkeypatch.setattr(tiles, "TILE_BYTES", tile_bytes)
    rows = mixed(HOSTILE[case], np.zeros((30, 0)))
    queries, base = rows.take(slice(0, 12)), rows.take(slice(12, 30))
    expected = naive(queries, base)
    found, back = search_across(queries, base, k=5, executor=Threads(2))
    back = back.first
    order = np.argsort(expected, axis=1, kind="stable")[:, :5]
    assert np.array_equal(found.indices, order)
    assert np.array_equal(found.distances, np.take_along_axis(expected, order, axis=1))
    assert np.array_equal(back.distance, expected.min(axis=0))
    assert np.array_equal(back.index, expected.argmin(axis=0))


tables = st.tuples(st.integers(1, 25), st.integers(1, 25), st.integers(0, 3), st.integers(0, 3))


@given(tables.filter(lambda shape: shape[2] + shape[3] > 0), st.integers(1, 30), st.data())
def test_random_shapes_and_subsets(shape, k, data):
    queries_rows, base_rows, p, q = shape

    def draw(rows):
        small = st.sampled_from([0.0, -0.0, 0.5, 1.0, 1e-200, 3.0, 1e8])
        return mixed(
            data.draw(arrays(np.float64, (rows, p), elements=small)),
            data.draw(arrays(np.int32, (rows, q), elements=st.integers(-1, 2))),
        )

    queries, base = draw(queries_rows), draw(base_rows)
    members = data.draw(arrays(bool, base_rows))
    expected = naive(queries, base)
    found, _ = search_across(queries, base, k=k)
    nearest = found.nearest(members)
    if members.any():
        own = np.where(members, expected, np.inf)
        assert np.array_equal(nearest.distance, own.min(axis=1))
        assert np.array_equal(nearest.index, own.argmin(axis=1))
        assert np.array_equal(
            found.second(members), np.sort(np.append(own, np.full((len(own), 1), np.inf), 1))[:, 1]
        )
        ties = own <= own.min(axis=1, keepdims=True) * (1 + 1e-9)
        assert np.array_equal(found.first_tied(members), ties.argmax(axis=1))
    else:
        assert (found.first_tied(members) == -1).all()
        assert np.isinf(nearest.distance).all()
        assert (nearest.index == -1).all()


def test_within_leaves_out_the_row_but_not_its_twin():
    rows = mixed([[0.0], [0.0], [5.0]], np.zeros((3, 0)))
    found = search_within(rows, k=2).nearest(np.ones(3, bool))
    assert found.distance.tolist() == [0, 0, 5]
    assert found.index.tolist() == [1, 0, 0]


def test_a_single_row_has_no_neighbour():
    alone = search_within(mixed([[1.0]], np.zeros((1, 0))))
    assert np.isinf(alone.nearest(np.ones(1, bool)).distance).all()


def test_members_beyond_the_list_are_searched(monkeypatch):
    monkeypatch.setattr(tiles, "TILE_BYTES", 64)
    rng = np.random.default_rng(7)
    rows = mixed(rng.random((200, 2)), np.zeros((200, 0)))
    members = np.arange(200) >= 190
    short = search_within(rows, k=3).nearest(members)
    long = search_within(rows, k=199).nearest(members)
    assert np.array_equal(short.distance, long.distance)
    assert np.array_equal(short.index, long.index)


def test_a_copy_has_distance_zero_where_the_expanded_form_has_not():
    rng = np.random.default_rng(8)
    numbers = rng.normal(1000, 1, (500, 20))
    found, back = search_across(
        mixed(numbers, np.zeros((500, 0))), mixed(numbers, np.zeros((500, 0))), k=1
    )
    assert (found.distances == 0).all()
    assert (back.first.distance == 0).all()


@given(
    arrays(np.uint8, st.tuples(st.integers(1, 8), st.integers(1, 200)), elements=st.integers(0, 1))
)
def test_packed_hamming_counts_unequal_positions(matrix):
    rows = BinaryRows.pack(matrix)
    expected = (matrix[:, None] != matrix[None]).sum(axis=2)
    assert np.array_equal(rows.distances(rows), expected)


def test_gower_by_hand():
    here = GowerRows(np.array([[0.0, np.nan]]), np.array([[1]], np.int32))
    there = GowerRows(
        np.array([[0.25, np.nan], [3.0, 0.5], [0.0, np.nan]]), np.array([[1], [0], [1]], np.int32)
    )
    assert here.distances(there).tolist() == [[0.25 / 3, 1.0, 0.0]]


def test_only_the_asked_are_answered():
    rng = np.random.default_rng(9)
    rows = mixed(rng.random((60, 2)), np.zeros((60, 0)))
    members, asked = rng.random((2, 60)) < 0.4
    found = search_within(rows, k=2)
    few, all_ = found.nearest(members, asked), found.nearest(members)
    assert np.array_equal(few.distance, all_.distance[asked])
    assert np.array_equal(few.index, all_.index[asked])


def test_real_rows_find_the_nearest_of_some_synthetic_rows():
    rng = np.random.default_rng(10)
    real, made = (mixed(rng.random((size, 2)), np.zeros((size, 0))) for size in (40, 50))
    sets = Neighbours(
        Space.of(Distance.EUCLIDEAN, real.take(slice(0, 25)), made, real.take(slice(25, 40)))
    )
    members = rng.random(50) < 0.3
    found = sets.real_to_any_synthetic.nearest(members)
    expected = np.where(members, naive(real, made), np.inf)
    assert np.array_equal(found.distance, expected.min(axis=1))
    assert np.array_equal(found.index, expected.argmin(axis=1))
    whole = sets.real_to_any_synthetic.nearest(np.ones(50, bool))
    assert np.array_equal(whole.distance, sets.real_to_synthetic.distance)


@given(st.integers(1, 10**9))
def test_lists_of_one_search_keep_within_their_bytes(rows):
    length = search.list_length(rows)
    assert search.SHORTEST_LIST <= length <= search.LIST_LENGTH
    shortest = length == search.SHORTEST_LIST
    assert shortest or rows * length * search.ENTRY <= search.MOST_OF_LISTS
    assert length == search.LIST_LENGTH or (length + 1) * rows * search.ENTRY > search.MOST_OF_LISTS


@given(st.floats(0, 1), st.integers(1, 10**9))
def test_a_list_is_long_enough_for_all_but_one_of_its_rows(share, rows):
    length = search.wanted_length(share, rows)
    longest = length == search.LIST_LENGTH
    assert longest or (1 - share) ** length <= min(2.0**-16, 1 / rows) * (1 + 1e-9)
    assert search.wanted_length(min(1.0, 2 * share), rows) <= length
    assert search.wanted_length(share, 2 * rows) >= length


def test_answers_do_not_depend_on_the_length_of_lists(monkeypatch):
    rng = np.random.default_rng(11)
    rows = [mixed(rng.integers(0, 6, (size, 2)), np.zeros((size, 0))) for size in (70, 50, 20)]
    some, records = rng.random(90) < 0.2, rng.random(50) < 0.2

    def answers():
        sets = Neighbours(Space.of(Distance.EUCLIDEAN, *rows))
        groups = sets.synthetic_groups
        return sets.synthetic_to_real.indices.shape[1], [
            sets.synthetic_to_real.nearest(some).distance,
            sets.synthetic_to_real.nearest(some).index,
            sets.synthetic_to_real.second(some),
            sets.synthetic_to_real.first_tied(some),
            sets.real_to_any_synthetic.nearest(records).distance,
            sets.real_to_real.nearest(some).distance,
            sets.synthetic_to_synthetic.nearest(records).index,
            groups.sizes,
        ]

    length, expected = answers()
    assert length == 32
    monkeypatch.setattr(search, "MOST_OF_LISTS", 140 * search.ENTRY * 2)
    monkeypatch.setattr(search, "SHORTEST_LIST", 1)
    length, found = answers()
    assert length == 2
    for one, other in zip(found, expected, strict=True):
        assert np.array_equal(one, other)


@pytest.mark.parametrize("kind", [EuclideanRows, GowerRows])
def test_nearest_of_few_rows_are_those_that_a_search_finds(kind, monkeypatch):
    rng = np.random.default_rng(12)
    numbers, levels = rng.integers(0, 5, (900, 2)) / 4, rng.integers(0, 3, (900, 3))
    rows = kind(numbers, levels.astype(np.int32))
    queries, base = rows.take(slice(0, 860)), rows.take(slice(860, 900))
    monkeypatch.setattr(search, "FEWEST_PAIRS", 1)
    monkeypatch.setattr(tiles, "TILE_BYTES", 40 * 8 * 100)  # some blocks
    few = search_nearest(queries, base)
    monkeypatch.setattr(search, "FEW_ROWS", 39)
    found = search_nearest(queries, base)
    assert np.array_equal(few.distance, found.distance)
    assert np.array_equal(few.index, found.index)
