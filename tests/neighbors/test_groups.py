import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from privgate.encoding import EuclideanRows, GowerRows
from privgate.executors import Threads
from privgate.neighbors import View, search_groups, shared_neighbour, tiles


def rows(numbers, levels=None, kind=EuclideanRows):
    numbers = np.asarray(numbers, float)
    levels = np.empty((len(numbers), 0)) if levels is None else levels
    return kind(numbers.reshape(len(numbers), -1), np.asarray(levels, np.int32))


coarse = arrays(float, st.tuples(st.integers(1, 12), st.just(2)), elements=st.integers(0, 2))


@given(coarse, coarse)
def test_groups_hold_all_tied_rows_and_no_others(queries, base):
    found = search_groups(rows(queries), rows(base))
    distance = np.sqrt(((queries[:, None] - base[None]) ** 2).sum(axis=2))
    for query, group in enumerate(found.group):
        own = found.members[found.start[group] : found.start[group + 1]]
        tied = np.isclose(distance[query], distance[query].min(), rtol=1e-9, atol=0)
        assert sorted(own) == np.flatnonzero(tied).tolist()
    assert found.sizes.tolist() == [
        int(np.isclose(d, d.min(), rtol=1e-9, atol=0).sum()) for d in distance
    ]


@given(coarse, coarse, st.data())
def test_share_between_counts_the_members_in_range(queries, base, data):
    number = st.one_of(st.integers(-2, 2).map(float), st.just(float("nan")))
    values = np.array(data.draw(st.lists(number, min_size=len(base), max_size=len(base))))
    low = np.array(
        data.draw(st.lists(st.integers(-2, 2), min_size=len(queries), max_size=len(queries))), float
    )
    found = search_groups(rows(queries), rows(base))
    share = found.share_between(values, low, low + 1)
    for query, group in enumerate(found.group):
        own = values[found.members[found.start[group] : found.start[group + 1]]]
        assert share[query] == np.mean((own >= low[query]) & (own <= low[query] + 1))


def test_equal_sizes_are_found_among_levels_and_missing_numbers():
    mixed = rows([1.0, np.nan, 1.0, np.nan, 1.0], [[0], [1], [0], [1], [2]], GowerRows)
    assert len(np.unique(mixed.ranks())) == 3
    assert search_groups(mixed, mixed).sizes.tolist() == [2, 2, 2, 2, 1]


@pytest.mark.parametrize("k", [1, 2, 5])
def test_without_ties_lists_share_a_row_or_they_do_not(k):
    rng = np.random.default_rng(k)
    real, synthetic = rng.random((40, 2)), rng.random((60, 2))
    synthetic[:20] = real[:20] + 1e-4 * rng.random((20, 2))
    views = [View(rows(real[:, side]), rows(synthetic[:, side])) for side in range(2)]
    nearest = [
        np.abs(real[:, None, side] - synthetic[None, :, side]).argsort(axis=1)[:, :k]
        for side in range(2)
    ]
    expected = [bool(set(a) & set(b)) for a, b in zip(*nearest, strict=True)]
    assert np.abs(shared_neighbour(*views, k=k) - expected).max() < 1e-9
    assert any(expected)


def test_tiles_and_threads_change_nothing(monkeypatch):
    rng = np.random.default_rng(1)
    real, synthetic = rng.integers(0, 4, (50, 3)), rng.integers(0, 4, (70, 3))
    views = (
        View(rows(real[:, :2]), rows(synthetic[:, :2])),
        View(rows(real[:, 2]), rows(synthetic[:, 2])),
    )
    once = shared_neighbour(*views, k=3), search_groups(views[0].queries, views[0].base)
    monkeypatch.setattr(tiles, "TILE_BYTES", 8 * 70 * 7)
    again = (
        shared_neighbour(*views, k=3, executor=Threads(3)),
        search_groups(views[0].queries, views[0].base, executor=Threads(3)),
    )
    assert np.array_equal(once[0], again[0])
    assert np.array_equal(once[1].members, again[1].members)
    assert np.array_equal(once[1].start, again[1].start)
