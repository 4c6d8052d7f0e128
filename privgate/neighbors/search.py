"""Exact search for the nearest rows, in tiles of bounded size.

A neighbour that is missed overstates a distance and hides a leak, so no approximate index is ever
used, and every distance comes from the rows' own ``distances``. Results do not depend on tile size
or number of threads.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

import numpy as np

from privgate.encoding import Rows
from privgate.executors import SERIAL, Executor
from privgate.neighbors.lists import TILE_BYTES, Nearest, NeighbourList

if TYPE_CHECKING:
    from numpy.typing import NDArray

R = TypeVar("R", bound=Rows)

LIST_LENGTH = 64


def search_within(
    rows: R, *, k: int = LIST_LENGTH, executor: Executor = SERIAL
) -> NeighbourList[R]:
    """Return the k nearest other rows of each row; a duplicate counts, the row itself does not."""
    k = max(1, min(k, len(rows) - 1))

    def nearest(_none: None, block: slice) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        tile = rows.take(block).distances(rows)
        own = np.arange(len(rows))[block]
        tile[np.arange(len(tile)), own] = np.inf
        return _smallest(tile, k)

    found = list(executor.map(nearest, None, row_blocks(len(rows), len(rows))))
    distances, indices = _stacked(found)
    return NeighbourList(distances, indices, rows, rows, within=True)


def search_across(
    queries: R, base: R, *, k: int = LIST_LENGTH, executor: Executor = SERIAL
) -> tuple[NeighbourList[R], Nearest]:
    """Return the k nearest base rows of each query, and the nearest query of each base row.

    Both directions come from the same tiles.
    """
    k = min(k, len(base))

    def nearest(
        _: None, block: slice
    ) -> tuple[NDArray[np.float64], NDArray[np.int64], NDArray[np.float64], NDArray[np.int64]]:
        tile = queries.take(block).distances(base)
        lowest = tile.argmin(axis=0)
        return *_smallest(tile, k), tile[lowest, np.arange(len(base))], lowest + block.start

    found = list(executor.map(nearest, None, row_blocks(len(queries), len(base))))
    distances, indices = _stacked([(part[0], part[1]) for part in found])
    back = Nearest(found[0][2].copy(), found[0][3].copy())
    for _, _, distance, index in found[1:]:  # blocks in order: the lowest index wins a tie
        nearer = distance < back.distance
        back.distance[nearer], back.index[nearer] = distance[nearer], index[nearer]
    return NeighbourList(distances, indices, queries, base, within=False), back


def row_blocks(queries: int, base: int) -> list[slice]:
    """Return the queries in blocks whose distances to all base rows fit in one tile."""
    step = max(1, TILE_BYTES // (8 * base))
    return [slice(start, min(start + step, queries)) for start in range(0, queries, step)]


def _smallest(tile: NDArray[np.float64], k: int) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Return the k smallest entries of each row by (value, index) and their indices."""
    rows = np.arange(len(tile))[:, None]
    if k == 1:
        index = tile.argmin(axis=1)[:, None]
        return tile[rows, index], index
    limit = np.partition(tile, k - 1, axis=1)[:, k - 1, None]
    chosen = tile < limit
    ties = tile == limit
    ties &= np.cumsum(ties, axis=1, dtype=np.int32) <= k - chosen.sum(axis=1)[:, None]
    chosen |= ties
    index = np.nonzero(chosen)[1].reshape(len(tile), k)
    order = np.argsort(tile[rows, index], axis=1, kind="stable")
    index = np.take_along_axis(index, order, axis=1)
    return tile[rows, index], index


def _stacked(
    found: list[tuple[NDArray[np.float64], NDArray[np.int64]]],
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    return np.concatenate([part[0] for part in found]), np.concatenate([part[1] for part in found])
