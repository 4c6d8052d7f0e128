"""Counts of unequal levels of pairs of kinds, and where they are small."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

MOST_FOLDED = 16
FEWEST_LEAST = 128
PER_WANTED = 8
DENSE = 16
"""Where classes with small counts hold more than one in so many pairs, all pairs are looked at."""


@dataclass(frozen=True)
class Apart:
    """Counts of some kinds, a row each, and the least of each class of base kinds.

    The first ``folded · width`` base kinds are folded: those ``width`` places apart are a class.
    So small counts are looked for among few.
    """

    counts: NDArray[np.uint8 | np.uint16]
    least: NDArray[np.uint8 | np.uint16]

    @classmethod
    def of(cls, counts: NDArray[np.uint8 | np.uint16], wanted: int) -> Apart:
        """Return counts with classes that are several times as many as the rows wanted."""
        kinds = counts.shape[1]
        folded = min(MOST_FOLDED, max(1, kinds // max(PER_WANTED * wanted, FEWEST_LEAST)))
        width = kinds // folded
        whole = counts[:, : folded * width].reshape(len(counts), folded, width)
        return cls(counts, whole.min(axis=1))

    def within_which(self, wanted: int) -> NDArray[np.int64]:
        """Return for each row a count that as many kinds as wanted are within, or all kinds.

        The k-th of the least counts of disjoint classes is no less than the k-th of all counts.
        """
        if wanted >= self.least.shape[1]:
            return np.asarray(self.counts.max(axis=1), np.int64)
        return np.asarray(np.partition(self.least, wanted - 1, axis=1)[:, wanted - 1], np.int64)

    def at_most(self, most: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the rows, in order, and columns of the counts that are at most that of their row.

        Examples
        --------
        >>> apart = Apart.of(np.array([[3, 1, 2], [0, 5, 5]], np.uint8), 1)
        >>> [found.tolist() for found in apart.at_most(np.array([2, -1]))]
        [[0, 0], [1, 2]]
        """
        kinds, width = self.counts.shape[1], self.least.shape[1]
        row, place = _where(self.least, most)
        folded = kinds // width
        if len(row) * folded * DENSE > self.counts.size:
            return _where(self.counts, most)
        column = place[:, None] + width * np.arange(folded)
        flat = (row * kinds)[:, None] + column
        near = self.counts.ravel().take(flat) <= most[row, None]
        row, column = np.repeat(row, near.sum(axis=1)), column[near]
        rest, place = _where(self.counts[:, folded * width :], most)
        if not len(rest):
            return row, column
        row, column = np.append(row, rest), np.append(column, place + folded * width)
        order = np.argsort(row, kind="stable")
        return row[order], column[order]


def _where(
    counts: NDArray[np.uint8 | np.uint16], most: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the rows and columns of the counts that are at most that of their row."""
    top = np.clip(most, 0, np.iinfo(counts.dtype).max).astype(counts.dtype)
    within = counts <= top[:, None]
    within[most < 0] = False
    row, column = np.divmod(np.flatnonzero(within), max(1, counts.shape[1]))
    return row, column
