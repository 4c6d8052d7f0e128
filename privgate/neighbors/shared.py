"""Whether two views of one row have a nearest neighbour in common."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import numpy as np

from privgate.encoding import Rows
from privgate.executors import SERIAL, Executor
from privgate.neighbors.ties import Closest
from privgate.neighbors.tiles import row_blocks
from privgate.stats.draws import common_draw

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from scipy.sparse import csr_array

R = TypeVar("R", bound=Rows)


@dataclass(frozen=True)
class View(Generic[R]):
    """Queries and base rows in one space; the same rows may be seen in several."""

    queries: R
    base: R


def shared_neighbour(
    first: View[Any], second: View[Any], *, k: int, executor: Executor = SERIAL
) -> NDArray[np.float64]:
    """Return for each query the chance that its k nearest base rows in two views share a row.

    Where more rows are tied for the last places than there are places, each view draws among them,
    all being equally likely and the two draws independent. Without ties the chance is 0 or 1.
    """
    seen = tuple(Closest.of(view.queries, view.base, k, executor) for view in (first, second))
    blocks = row_blocks(len(first.queries), len(first.base))
    return np.concatenate(list(executor.map(_chance, (seen, k), blocks)))


def _chance(shared: tuple[tuple[Closest, ...], int], block: slice) -> NDArray[np.float64]:
    """Return the chance of a block of queries."""
    seen, k = shared
    (certain, tied), (certain_too, tied_too) = (view.marked(block) for view in seen)
    found = common_draw(
        places=(k - _count(certain), k - _count(certain_too)),
        tied=(_count(tied), _count(tied_too)),
        tied_with_certain=(_common(tied, certain_too), _common(tied_too, certain)),
        tied_in_both=_common(tied, tied_too),
    )
    return np.where(_common(certain, certain_too) > 0, 1.0, found)


def _count(marked: csr_array) -> NDArray[np.int64]:
    count: NDArray[np.int64] = np.asarray(marked.sum(axis=1), np.int64)
    return count


def _common(here: csr_array, there: csr_array) -> NDArray[np.int64]:
    return _count(here.multiply(there))
