"""Packed 0/1 rows cut into pieces that many rows share, as relatives share stretches of DNA.

Different pieces are compared once; the distance of two rows is the sum over their pieces.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from privgate.data.matrices import matrix_ranks

if TYPE_CHECKING:
    from numpy.typing import NDArray

LENGTHS = (2, 4, 8, 16, 32)
"""Words of a piece that are tried at first."""
MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)  # odd, its bits without a pattern
MOST_WORDS = 1020
"""Words whose unequal bits 16 bits hold."""
SAMPLES = 8
ADDED = 0.3
"""What it costs to look up and add a number, in words compared: a cautious guess."""


@dataclass(frozen=True)
class Pieces:
    """Which piece each row has at each place, the rows of both tables numbered alike.

    ``here`` and ``there`` have a row for each place, ``words`` tells which words a place covers.
    """

    words: list[slice]
    here: NDArray[np.int32]
    there: NDArray[np.int32]

    @classmethod
    def of(cls, here: NDArray[np.uint64], there: NDArray[np.uint64]) -> Pieces | None:
        """Return the pieces of two tables, shape (rows, words); None where few are shared.

        How many words a piece has at first is decided on some of the places, at equal distances;
        then pieces are joined with the next one where that saves work.

        Examples
        --------
        >>> few = np.repeat(np.arange(3, dtype=np.uint64), 40)[:, None] * np.ones(4, np.uint64)
        >>> found = Pieces.of(few, few[:1])
        >>> found.here[0, 0] == found.there[0, 0], len(set(found.here[0].tolist())), found.words
        (np.True_, 3, [slice(0, 4, None)])
        """
        both = np.concatenate([here, there])
        best = _best_length(both)
        if best is None:
            return None
        length = max(LENGTHS[0], best // 2)  # few pieces then lie across a place where many change
        found: list[Piece] = []
        for start in range(0, both.shape[1], length):
            words = slice(start, min(start + length, both.shape[1]))
            piece = Piece(words, kinds_of(both[:, words]))
            joint = found[-1].joined(piece) if found else None
            if joint is None:
                found.append(piece)
            else:
                found[-1] = joint
        kinds = np.stack([piece.kinds for piece in found])
        words_of_each = [piece.words for piece in found]
        return cls(words_of_each, kinds[:, : len(here)], kinds[:, len(here) :])


@dataclass(frozen=True)
class Piece:
    """Some words of all rows, and the number of each row's kind of them."""

    words: slice
    kinds: NDArray[np.int32]

    @cached_property
    def count(self) -> int:
        """Return how many kinds there are."""
        return int(self.kinds.max()) + 1

    @property
    def cost(self) -> float:
        """Return what this piece costs, in words compared, for each pair of rows."""
        length = self.words.stop - self.words.start
        return float((self.count / len(self.kinds)) ** 2 * length + ADDED)

    def joined(self, following: Piece) -> Piece | None:
        """Return this piece and the following one as one, if that costs less than two."""
        words = slice(self.words.start, following.words.stop)
        if words.stop - words.start > MOST_WORDS:
            return None
        pairs = self.kinds.astype(np.int64) * following.count + following.kinds
        joint = Piece(words, np.unique(pairs, return_inverse=True)[1].astype(np.int32))
        return joint if joint.cost < self.cost + following.cost else None


def _best_length(words: NDArray[np.uint64]) -> int | None:
    """Return how long pieces should be; None if words are better compared one by one."""
    rows, count = words.shape
    cost = {}
    for length in LENGTHS:
        if length > count:
            break
        starts = np.unique(np.linspace(0, count - length, SAMPLES).astype(np.int64))
        kinds = [int(kinds_of(words[:, start : start + length]).max()) + 1 for start in starts]
        shared = float(np.mean([(kind / rows) ** 2 for kind in kinds]))
        cost[length] = shared + ADDED / length
    best = min(cost, key=lambda length: cost[length], default=None)
    return best if best is not None and cost[best] < 0.5 else None


def kinds_of(words: NDArray[np.uint64]) -> NDArray[np.int32]:
    """Return a number for each row, from 0 on, that equal rows and no others share.

    Rows are told apart by a sum of products, which is checked against the rows themselves.

    Examples
    --------
    >>> first, second, third = kinds_of(np.array([[1, 2], [3, 4], [1, 2]], np.uint64)).tolist()
    >>> first == third, first == second
    (True, False)
    """
    factors = MULTIPLIER ** np.arange(1, words.shape[1] + 1, dtype=np.uint64)
    summed = (words * factors).sum(axis=1, dtype=np.uint64)
    _, first, kind = np.unique(summed, return_index=True, return_inverse=True)
    if np.array_equal(words[first[kind]], words):
        return kind.astype(np.int32)
    return matrix_ranks(words).astype(np.int32)
