"""Whether two views of one row have a nearest neighbour in common."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import numpy as np
from scipy.sparse import csr_array

from privgate.encoding import Rows
from privgate.executors import SERIAL, Executor
from privgate.neighbors.distinct import Kinds
from privgate.neighbors.search import search_across
from privgate.neighbors.tiles import row_blocks
from privgate.stats.compare import tie_bounds
from privgate.stats.draws import common_draw

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from privgate.neighbors.lists import NeighbourList

R = TypeVar("R", bound=Rows)

LISTED = 8  # at least; a list that ends inside a tie is completed by measuring all rows


@dataclass(frozen=True)
class View(Generic[R]):
    """Queries and base rows in one space; the same rows may be seen in several."""

    queries: R
    base: R


@dataclass(frozen=True)
class _Seen:
    """A view with the nearest base rows of each query, and the kinds of equal base rows."""

    found: NeighbourList[Any]
    kinds: Kinds

    @classmethod
    def of(cls, view: View[Any], k: int, executor: Executor) -> _Seen:
        """Return a view, searched."""
        length = max(LISTED, 2 * k)
        found, _ = search_across(view.queries, view.base, k=length, k_back=0, executor=executor)
        return cls(found, Kinds.of(view.base))

    def near(self, block: slice, k: int) -> tuple[csr_array, csr_array]:
        """Return the base rows nearer than the k-th nearest, and those tied with it, as 0/1."""
        distances, indices = self.found.distances[block], self.found.indices[block]
        low, high = tie_bounds(distances[:, k - 1])
        cut = (distances[:, -1] <= high) & (distances.shape[1] < len(self.found.base))
        certain = distances < low[:, None]
        tied = ~certain & (distances <= high[:, None]) & ~cut[:, None]
        query, row = _listed(tied, indices)
        behind, more = self._tied_behind(block.start + np.flatnonzero(cut), low[cut], high[cut])
        shape = len(distances), len(self.found.base)
        return (
            _marked(*_listed(certain, indices), shape),
            _marked(
                np.concatenate([query, np.flatnonzero(cut)[behind]]),
                np.concatenate([row, more]),
                shape,
            ),
        )

    def _tied_behind(
        self, queries: NDArray[np.int64], low: NDArray[np.float64], high: NDArray[np.float64]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the tied rows of queries whose lists end inside a tie, by measuring all rows."""
        if not len(queries):
            return np.empty(0, np.int64), np.empty(0, np.int64)
        present = self.found.base.take(self.kinds.first)
        tile = self.found.queries.take(queries).distances(present)
        query, kind = np.nonzero((tile >= low[:, None]) & (tile <= high[:, None]))
        row, owner = self.kinds.rows_of(kind)
        return query[owner], row


def shared_neighbour(
    first: View[Any], second: View[Any], *, k: int, executor: Executor = SERIAL
) -> NDArray[np.float64]:
    """Return for each query the chance that its k nearest base rows in two views share a row.

    Where more rows are tied for the last places than there are places, each view draws among them,
    all being equally likely and the two draws independent. Without ties the chance is 0 or 1.
    """
    seen = tuple(_Seen.of(view, k, executor) for view in (first, second))
    blocks = row_blocks(len(first.queries), len(first.base))
    return np.concatenate(list(executor.map(_chance, (seen, k), blocks)))


def _chance(shared: tuple[tuple[_Seen, ...], int], block: slice) -> NDArray[np.float64]:
    """Return the chance of a block of queries."""
    seen, k = shared
    (certain, tied), (certain_too, tied_too) = (view.near(block, k) for view in seen)
    found = common_draw(
        places=(k - _count(certain), k - _count(certain_too)),
        tied=(_count(tied), _count(tied_too)),
        tied_with_certain=(_common(tied, certain_too), _common(tied_too, certain)),
        tied_in_both=_common(tied, tied_too),
    )
    return np.where(_common(certain, certain_too) > 0, 1.0, found)


def _listed(
    chosen: NDArray[np.bool_], indices: NDArray[np.int32]
) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    query, place = np.nonzero(chosen)
    return query, indices[query, place]


def _marked(
    query: NDArray[np.int64], row: NDArray[np.integer], shape: tuple[int, int]
) -> csr_array:
    return csr_array((np.ones(len(row), np.int64), (query, row)), shape=shape)


def _count(marked: csr_array) -> NDArray[np.int64]:
    count: NDArray[np.int64] = np.asarray(marked.sum(axis=1), np.int64)
    return count


def _common(here: csr_array, there: csr_array) -> NDArray[np.int64]:
    return _count(here.multiply(there))
