"""0/1 rows under the Hamming distance."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from privgate.data.matrices import is_binary, matrix_ranks, packed_words

if TYPE_CHECKING:
    from numpy.typing import NDArray

TILE = (64, 512)
"""Rows and base rows whose packed words are compared together: what fits into a core's cache."""
PAIR_WORDS = 2**17  # gathered together


@dataclass(frozen=True)
class BinaryRows:
    """0/1 rows packed into 64-bit words; the distance is the number of unequal positions."""

    words: NDArray[np.uint64]

    @classmethod
    def pack(cls, matrix: NDArray[np.integer] | NDArray[np.bool_]) -> BinaryRows:
        """Return the packed form of a 0/1 matrix.

        Raises
        ------
        ValueError
            If the matrix is not two-dimensional or holds anything but 0 and 1.

        Examples
        --------
        >>> rows = BinaryRows.pack(np.array([[0, 1, 1], [0, 0, 1]]))
        >>> rows.distances(rows).tolist()
        [[0.0, 1.0], [1.0, 0.0]]
        """
        given = np.asarray(matrix)
        if given.ndim != 2 or not is_binary(given):
            raise ValueError("a binary space needs a two-dimensional matrix of 0 and 1")
        return cls(packed_words(given))

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(self.words)

    def take(self, index: slice | NDArray[np.int64]) -> BinaryRows:
        """Return the rows at ``index``."""
        return BinaryRows(self.words[index])

    def joined(self, other: BinaryRows) -> BinaryRows:
        """Return these rows followed by those of ``other``."""
        return BinaryRows(np.concatenate([self.words, other.words]))

    def distances(self, base: BinaryRows) -> NDArray[np.float64]:
        """Return all Hamming distances, whole numbers as float64."""
        here, there = np.ascontiguousarray(self.words.T), np.ascontiguousarray(base.words.T)
        found = np.empty((len(self), len(base)), np.float64)
        for row in range(0, len(self), TILE[0]):
            rows = slice(row, row + TILE[0])
            for column in range(0, len(base), TILE[1]):
                columns = slice(column, column + TILE[1])
                found[rows, columns] = _unequal_bits(here[:, rows], there[:, columns])
        return found

    def pair_distances(
        self, base: BinaryRows, here: NDArray[np.integer], there: NDArray[np.integer]
    ) -> NDArray[np.float64]:
        """Return the distance of row ``here[i]`` to row ``there[i]`` of ``base``, for each i."""
        found = np.empty(len(here), np.float64)
        step = max(1, PAIR_WORDS // max(1, self.words.shape[1]))
        for start in range(0, len(here), step):
            block = slice(start, start + step)
            unequal = self.words[here[block]] ^ base.words[there[block]]
            found[block] = np.bitwise_count(unequal).sum(axis=1, dtype=np.int64)
        return found

    def ranks(self) -> NDArray[np.int64]:
        """Return an integer per row that equal rows, and no others, share."""
        return matrix_ranks(self.words)

    def same_as(self, other: BinaryRows) -> bool:
        """Return whether both hold the same rows in the same order."""
        return np.array_equal(self.words, other.words)


def _unequal_bits(here: NDArray[np.uint64], there: NDArray[np.uint64]) -> NDArray[np.uint32]:
    """Return the number of unequal bits of all pairs of columns, word by word."""
    shape = here.shape[1], there.shape[1]
    total = np.zeros(shape, np.uint32)
    unequal, count = np.empty(shape, np.uint64), np.empty(shape, np.uint8)
    for mine, theirs in zip(here, there, strict=True):
        np.bitwise_xor(mine[:, None], theirs, out=unequal)
        np.bitwise_count(unequal, out=count)
        total += count
    return total
