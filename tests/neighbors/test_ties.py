import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from privgate.encoding import EuclideanRows, GowerRows
from privgate.executors import Threads
from privgate.neighbors import from_tied_nearest, ties, tiles
from privgate.neighbors.ties import Closest


def rows(codes):
    codes = np.array(codes, np.int32)
    return EuclideanRows(np.empty((len(codes), 0)), codes)


def tables(most=12):
    return st.lists(st.tuples(*[st.integers(0, 2)] * 3), min_size=1, max_size=most)


def unequal(queries, base):
    return (np.array(queries)[:, None] != np.array(base)[None]).sum(axis=2)


@given(tables(), tables(), st.integers(1, 15))
def test_all_ties_of_the_kth_nearest_are_marked(queries, base, k):
    blocks = from_tied_nearest(rows(queries), rows(base), lambda marked: marked.toarray(), k=k)
    found = unequal(queries, base)
    limit = np.sort(found, axis=1)[:, min(k, len(base)) - 1]
    assert np.array_equal(np.concatenate(blocks), found <= limit[:, None])


@given(tables(), tables(most=40), st.integers(1, 45), st.integers(1, 3), st.integers(1, 8))
def test_ends_of_lists_change_nothing(queries, base, k, listed, longest):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ties, "LISTED", listed)
        patch.setattr(ties, "LONGEST", longest)
        nearer, tied = Closest.of(rows(queries), rows(base), k).marked(slice(0, len(queries)))
    found = unequal(queries, base)
    limit = np.sort(found, axis=1)[:, min(k, len(base)) - 1, None]
    assert np.array_equal(nearer.toarray(), found < limit)
    assert np.array_equal(tied.toarray(), found == limit)


def test_distances_that_differ_in_the_last_digits_are_tied():
    """Sums of the same three numbers in another order, with the tied row behind the list's end."""
    steps = [[0.1, 0.2, 0.3], [0.3, 0.2, 0.1], [0.2, 0.3, 0.1], [0.2, 0.1, 0.3]]
    base = GowerRows(np.array(steps), np.empty((4, 0), np.int32))
    query = GowerRows(np.zeros((1, 3)), np.empty((1, 0), np.int32))
    distances = query.distances(base)[0]
    assert len(np.unique(distances)) > 1
    for listed in (1, 2, 8):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(ties, "LISTED", listed)
            (marked,) = from_tied_nearest(query, base, lambda marked: marked.toarray())
        assert marked.tolist() == [[1, 1, 1, 1]]


@pytest.mark.parametrize("jobs", [1, 3])
def test_blocks_and_threads_change_nothing(monkeypatch, jobs):
    drawn = np.random.default_rng(1).integers(0, 3, (50, 4))
    whole = from_tied_nearest(rows(drawn[:30]), rows(drawn[30:]), lambda marked: marked.toarray())
    assert len(whole) == 1
    monkeypatch.setattr(tiles, "TILE_BYTES", 8 * 20 * 7)
    blocks = from_tied_nearest(
        rows(drawn[:30]), rows(drawn[30:]), lambda marked: marked.toarray(), executor=Threads(jobs)
    )
    assert len(blocks) == 5
    assert np.array_equal(np.concatenate(blocks), whole[0])


def test_what_lists_answer_is_not_measured_again(monkeypatch):
    """Without ties nobody's list ends inside one, however many base rows are equal."""
    asked = []
    measured = Closest._measured
    monkeypatch.setattr(
        Closest, "_measured", lambda self, queries: asked.extend(queries) or measured(self, queries)
    )
    rng = np.random.default_rng(2)
    numbers = rng.random((60, 2)), np.repeat(rng.random((20, 2)), 9, axis=0)
    queries, base = (GowerRows(made, np.empty((len(made), 0), np.int32)) for made in numbers)
    for k in (1, 5, 60):
        from_tied_nearest(queries, base, lambda marked: marked.sum(), k=k)
    assert not asked
    from_tied_nearest(queries, base, lambda marked: marked.sum(), k=150)
    assert sorted(asked) == list(range(60))
