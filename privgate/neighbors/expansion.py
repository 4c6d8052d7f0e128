"""From lists among distinct rows to lists among all rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from privgate.neighbors.distinct import Kinds
    from privgate.neighbors.selection import Lists

ENTRIES = 2**22  # of lists that are worked on together

Arrays = tuple["NDArray[np.float64]", "NDArray[np.int32]"]


def to_all_rows(found: Lists, queries: Kinds, base: Kinds, k: int) -> Arrays:
    """Return the k nearest base rows of each query, from the nearest kinds of each kind of query.

    The k nearest kinds hold the k nearest rows: kinds are in the order of their first rows, so each
    of them puts at least one row before any row of a kind that is not listed.
    """
    distances, indices = _with_members(found.distances, found.indices, base, k)
    if queries.alone:
        return distances, indices
    return distances[queries.kind], indices[queries.kind]


def to_all_rows_within(found: Lists, kinds: Kinds, k: int) -> Arrays:
    """Return the k nearest other rows of each row, from the nearest other kinds of each kind."""
    rows = len(kinds.kind)
    if rows == 1:
        return np.full((1, 1), np.inf), np.zeros((1, 1), np.int32)
    if kinds.alone:
        return found.distances, found.indices
    own = np.arange(len(kinds), dtype=np.int32)[:, None]
    distances = np.concatenate([np.zeros((len(kinds), 1)), found.distances], axis=1)
    indices = np.concatenate([own, found.indices], axis=1)
    distances, indices = _with_members(distances, indices, kinds, k + 1)
    distances, indices = distances[kinds.kind], indices[kinds.kind]
    others = indices != np.arange(rows)[:, None]
    others[others.all(axis=1), k] = False  # more than k twins come before the row itself
    return distances[others].reshape(rows, k), indices[others].reshape(rows, k)


def _with_members(
    distances: NDArray[np.float64], indices: NDArray[np.int32], base: Kinds, k: int
) -> Arrays:
    """Return the k nearest rows of the listed kinds."""
    if base.alone or not k:
        return distances, indices
    step = max(1, ENTRIES // (k * max(1, distances.shape[1])))
    found = [
        _members(distances[start : start + step], indices[start : start + step], base, k)
        for start in range(0, len(distances), step)
    ]
    return np.concatenate([part[0] for part in found]), np.concatenate([part[1] for part in found])


def _members(
    distances: NDArray[np.float64], indices: NDArray[np.int32], base: Kinds, k: int
) -> Arrays:
    # A kind behind k rows that are nearer than it cannot add one.
    count = np.cumsum(base.counts[indices], axis=1)
    nearer = np.concatenate([np.zeros((len(count), 1), np.int64), count[:, :-1]], axis=1)
    ends = np.concatenate([np.ones((len(count), 1), bool), np.diff(distances, axis=1) > 0], axis=1)
    nearer = np.maximum.accumulate(np.where(ends, nearer, 0), axis=1)
    query, place = np.nonzero(nearer < k)
    row, owner = base.rows_of(indices[query, place], most=k)
    query, distance = query[owner], distances[query, place][owner]
    order = np.lexsort((row, distance, query))
    start = np.searchsorted(query, np.arange(len(distances)))
    chosen = order[start[:, None] + np.arange(k)]
    return distance[chosen], row[chosen].astype(np.int32)
