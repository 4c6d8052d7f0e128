"""Every row tied with the nearest one, for questions that a single neighbour cannot answer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from scipy.sparse import csr_array

from privgate.encoding import Rows
from privgate.executors import SERIAL, Executor
from privgate.neighbors.tiles import row_blocks
from privgate.stats.compare import TIE, at_most

if TYPE_CHECKING:
    from collections.abc import Callable

R = TypeVar("R", bound=Rows)
T = TypeVar("T")


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
    kth = min(k, len(base)) - 1
    blocks = row_blocks(len(queries), len(base))
    return list(executor.map(_used, (queries, base, kth, use), blocks))


def _used(shared: tuple[Any, Any, int, Callable[[csr_array], T]], block: slice) -> T:
    """Return what is made of the nearest base rows of a block of queries."""
    queries, base, kth, use = shared
    tile = queries.take(block).distances(base)
    limit = np.partition(tile, kth, axis=1)[:, kth] if kth else tile.min(axis=1)
    # The tie rule is costly, so it looks only at what lies within about twice its tolerance.
    query, row = np.nonzero(tile <= limit[:, None] * (1 + 2 * TIE))
    near = at_most(tile[query, row], limit[query])
    query, row = query[near], row[near]
    return use(csr_array((np.ones(len(row), np.int64), (query, row)), shape=tile.shape))
