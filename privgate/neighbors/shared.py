"""Whether two views of one row have a nearest neighbour in common."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import numpy as np

from privgate.encoding import Rows
from privgate.executors import SERIAL, Executor
from privgate.neighbors.tiles import row_blocks
from privgate.stats.compare import tie_bounds
from privgate.stats.draws import common_draw

if TYPE_CHECKING:
    from numpy.typing import NDArray

R = TypeVar("R", bound=Rows)


@dataclass(frozen=True)
class View(Generic[R]):
    """Queries and base rows in one space; the same rows may be seen in several."""

    queries: R
    base: R

    def near(self, block: slice, k: int) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Return which base rows are nearer than the k-th nearest, and which are tied with it."""
        tile = self.queries.take(block).distances(self.base)
        last = tile.min(axis=1) if k == 1 else np.partition(tile, k - 1, axis=1)[:, k - 1]
        low, high = tie_bounds(last)
        certain = tile < low[:, None]
        tied = tile <= high[:, None]
        tied &= ~certain
        return certain, tied


def shared_neighbour(
    first: View[Any], second: View[Any], *, k: int, executor: Executor = SERIAL
) -> NDArray[np.float64]:
    """Return for each query the chance that its k nearest base rows in two views share a row.

    Where more rows are tied for the last places than there are places, each view draws among them,
    all being equally likely and the two draws independent. Without ties the chance is 0 or 1.
    """
    blocks = row_blocks(len(first.queries), len(first.base))
    return np.concatenate(list(executor.map(_chance, (first, second, k), blocks)))


def _chance(shared: tuple[View[Any], View[Any], int], block: slice) -> NDArray[np.float64]:
    """Return the chance of a block of queries."""
    first, second, k = shared
    certain, tied = first.near(block, k)
    certain_too, tied_too = second.near(block, k)
    found = common_draw(
        places=(k - certain.sum(axis=1), k - certain_too.sum(axis=1)),
        tied=(tied.sum(axis=1), tied_too.sum(axis=1)),
        tied_with_certain=(_common(tied, certain_too), _common(tied_too, certain)),
        tied_in_both=_common(tied, tied_too),
    )
    return np.where(_common(certain, certain_too) > 0, 1.0, found)


def _common(here: NDArray[np.bool_], there: NDArray[np.bool_]) -> NDArray[np.int64]:
    count: NDArray[np.int64] = (here & there).sum(axis=1)
    return count
