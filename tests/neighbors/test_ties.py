import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from privgate.encoding import EuclideanRows
from privgate.executors import Threads
from privgate.neighbors import from_tied_nearest, tiles


def rows(codes):
    codes = np.array(codes, np.int32)
    return EuclideanRows(np.empty((len(codes), 0)), codes)


def tables():
    return st.lists(st.tuples(*[st.integers(0, 2)] * 3), min_size=1, max_size=12)


@given(tables(), tables(), st.integers(1, 15))
def test_all_ties_of_the_kth_nearest_are_marked(queries, base, k):
    blocks = from_tied_nearest(rows(queries), rows(base), lambda marked: marked.toarray(), k=k)
    unequal = (np.array(queries)[:, None] != np.array(base)[None]).sum(axis=2)
    limit = np.sort(unequal, axis=1)[:, min(k, len(base)) - 1]
    assert np.array_equal(np.concatenate(blocks), unequal <= limit[:, None])


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
