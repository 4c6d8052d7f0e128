"""Every row tied with the k-th nearest one, for questions that a single neighbour cannot answer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from scipy.sparse import csr_array

from privgate.encoding import Rows
from privgate.executors import SERIAL, Executor
from privgate.neighbors.distinct import Kinds
from privgate.neighbors.search import list_length, search_across
from privgate.neighbors.tiles import row_blocks
from privgate.stats.compare import tie_bounds

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from privgate.neighbors.lists import NeighbourList

R = TypeVar("R", bound=Rows)
T = TypeVar("T")

LISTED, LONGEST = 8, 128
"""Kinds in a list: at least, and at most where memory allows that; else twice as many as asked."""


@dataclass(frozen=True)
class Closest:
    """The base rows up to the k-th nearest of each query, none of the tied ones preferred.

    ``found`` are lists of the nearest kinds of equal base rows, so equal rows never fill a list.
    Queries whose lists end inside a tie, or before the k-th row, are measured against all kinds.
    """

    found: NeighbourList[Any]
    kinds: Kinds
    k: int

    @classmethod
    def of(cls, queries: R, base: R, k: int, executor: Executor = SERIAL) -> Closest:
        """Return the closest rows, searched."""
        kinds = Kinds.of(base)
        present = base if kinds.alone else base.take(kinds.first)
        longest = list_length(len(queries), LONGEST)
        length = max(LISTED, min(2 * k, longest)) if k < longest else LISTED
        found, _ = search_across(queries, present, k=length, k_back=0, executor=executor)
        return cls(found, kinds, min(k, len(base)))

    def marked(self, block: slice) -> tuple[csr_array, csr_array]:
        """Return the base rows nearer than the k-th nearest, and those tied with it, as 0/1.

        The shape of both is (queries of the block, base rows).
        """
        distances, indices = self.found.distances[block], self.found.indices[block]
        low, high = self._bounds(distances, indices)
        cut = ~(distances[:, -1] > high)
        cut &= distances.shape[1] < len(self.kinds)
        listed = np.nonzero((distances <= high[:, None]) & ~cut[:, None])
        nearer = distances[listed] < low[listed[0]]
        measured = self._measured(block.start + np.flatnonzero(cut))
        query = np.concatenate([listed[0], np.flatnonzero(cut)[measured[0]]])
        kind = np.concatenate([indices[listed], measured[1]])
        nearer = np.concatenate([nearer, measured[2]])
        return (
            self._rows(query[nearer], kind[nearer], len(distances)),
            self._rows(query[~nearer], kind[~nearer], len(distances)),
        )

    def _bounds(
        self, distances: NDArray[np.float64], kinds: NDArray[np.integer]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return what is tied with the k-th row of lists of kinds, infinite if they end before."""
        rows_so_far = np.cumsum(self.kinds.counts[kinds], axis=1)
        kth = (rows_so_far >= self.k).argmax(axis=1)
        distance = distances[np.arange(len(kth)), kth]
        return tie_bounds(np.where(rows_so_far[:, -1] >= self.k, distance, np.inf))

    def _measured(
        self, queries: NDArray[np.int64]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.bool_]]:
        """Return queries and kinds up to the k-th row, and which are nearer, by measuring all."""
        if not len(queries):
            return np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0, np.bool_)
        tile = self.found.queries.take(queries).distances(self.found.base)
        most = min(self.k, len(self.kinds))
        kinds = np.argpartition(tile, most - 1, axis=1)[:, :most]
        distances = np.take_along_axis(tile, kinds, axis=1)
        order = np.argsort(distances, axis=1)
        low, high = self._bounds(
            *(np.take_along_axis(part, order, axis=1) for part in (distances, kinds))
        )
        query, kind = np.nonzero(tile <= high[:, None])
        return query, kind, tile[query, kind] < low[query]

    def _rows(self, query: NDArray[np.int64], kind: NDArray[np.integer], queries: int) -> csr_array:
        """Return the rows of the kinds, each marked for its query."""
        row, owner = self.kinds.rows_of(kind)
        shape = queries, len(self.kinds.kind)
        return csr_array((np.ones(len(row), np.int64), (query[owner], row)), shape=shape)


def from_tied_nearest(
    queries: R, base: R, use: Callable[[csr_array], T], *, k: int = 1, executor: Executor = SERIAL
) -> list[T]:
    """Return what ``use`` makes of the nearest base rows of each query, block by block.

    ``use`` is given a sparse 0/1 matrix, shape (some consecutive queries, base rows), that marks
    all base rows at most as far away as the k-th nearest, ties included; they may be many more
    than k. Blocks keep the order of the queries and are as small as memory asks for.

    Examples
    --------
    >>> from privgate.encoding import BinaryRows
    >>> base = BinaryRows.pack(np.array([[0, 0], [0, 1], [1, 1]]))
    >>> blocks = from_tied_nearest(base.take(slice(0, 2)), base, lambda marked: marked.toarray())
    >>> np.concatenate(blocks).tolist()
    [[1, 0, 0], [0, 1, 0]]
    >>> blocks = from_tied_nearest(base.take(slice(0, 1)), base, lambda marked: marked.sum(), k=2)
    >>> [int(count) for count in blocks]
    [2]
    """
    closest = Closest.of(queries, base, k, executor)
    blocks = row_blocks(len(queries), len(base))
    return list(executor.map(_used, (closest, use), blocks))


def _used(shared: tuple[Closest, Callable[[csr_array], T]], block: slice) -> T:
    """Return what is made of the nearest base rows of a block of queries."""
    closest, use = shared
    certain, tied = closest.marked(block)
    return use(certain + tied)
