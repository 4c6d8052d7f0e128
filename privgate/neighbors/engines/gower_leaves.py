"""Gower base rows in small groups that lie together, each with the box that its numbers fill."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from privgate.data import row_ranks
from privgate.neighbors.engines.gower_grid import coarse, words_of
from privgate.neighbors.engines.ragged import Ragged

if TYPE_CHECKING:
    from numpy.typing import NDArray

LEAF = 16
"""Rows of equal levels are divided until no more than these lie together."""


@dataclass(frozen=True)
class Kinds:
    """Rows in the order of their levels: equal levels are one kind.

    ``rows`` are the rows in that order, ``levels`` those of each kind, column by column.
    """

    rows: NDArray[np.int64]
    kind: NDArray[np.int64]
    levels: NDArray[np.uint8]

    @classmethod
    def of(cls, levels: NDArray[np.uint8]) -> Kinds:
        """Return the kinds of rows with these levels."""
        rank = row_ranks(levels.T, len(levels))
        rows = np.argsort(rank, kind="stable")
        kind = rank[rows]
        first = np.flatnonzero(np.diff(kind, prepend=-1))
        return cls(rows, kind, np.ascontiguousarray(levels[rows[first]].T))


@dataclass(frozen=True)
class Leaves:
    """Base rows by kind, and by leaf within it.

    ``words`` are the numbers of the ordered rows in fine steps, a row for each word; ``low`` and
    ``high`` bound those of each leaf in coarse ones. ``in_leaf`` tells the rows of a leaf,
    ``in_kind`` the leaves of a kind.
    """

    kinds: Kinds
    words: NDArray[np.uint64]
    low: NDArray[np.uint64]
    high: NDArray[np.uint64]
    in_leaf: Ragged
    in_kind: Ragged
    kind_size: NDArray[np.int64]

    @classmethod
    def of(cls, levels: NDArray[np.uint8], numbers: NDArray[np.uint16]) -> Leaves:
        """Return the leaves of rows with these levels and numbers."""
        kinds = Kinds.of(levels)
        order, leaf = _divided(numbers[kinds.rows], kinds.kind)
        kinds = Kinds(kinds.rows[order], kinds.kind, kinds.levels)
        ordered = numbers[kinds.rows]
        boxed = coarse(ordered)
        in_leaf = Ragged.of_sorted(leaf, int(leaf[-1]) + 1)
        count = kinds.levels.shape[1]
        return cls(
            kinds,
            words_of(ordered),
            words_of(np.minimum.reduceat(boxed, in_leaf.start)),
            words_of(np.maximum.reduceat(boxed, in_leaf.start)),
            in_leaf,
            Ragged.of_sorted(kinds.kind[in_leaf.start], count),
            np.bincount(kinds.kind, minlength=count),
        )


def _divided(
    numbers: NDArray[np.uint16], kind: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return an order of the rows in which leaves lie together, and the leaf of each place.

    Groups too large for a leaf are halved at the median of the number that spreads widest in them.
    """
    order, group = np.arange(len(kind)), kind
    while True:
        lists = Ragged.of_sorted(group, int(group[-1]) + 1)
        ordered = numbers[order]
        spread = np.maximum.reduceat(ordered, lists.start)
        spread -= np.minimum.reduceat(ordered, lists.start)
        large = (lists.length > LEAF) & spread.any(axis=1)
        if not large.any():
            return order, group
        places = np.flatnonzero(large[group])
        of_place = group[places]
        value = ordered[places, spread.argmax(axis=1)[of_place]]
        order[places] = order[places[np.lexsort((value, of_place))]]
        behind = 2 * (np.arange(len(group)) - lists.start[group]) >= lists.length[group]
        behind &= large[group]
        _, group = np.unique(2 * group + behind, return_inverse=True)
