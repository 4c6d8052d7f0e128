"""Rows in encoded form and the one routine per space that measures their distance."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Protocol, Self

import numpy as np
from scipy.spatial.distance import cdist

from privgate.data import row_ranks
from privgate.data.matrices import is_binary, matrix_ranks, packed_words

if TYPE_CHECKING:
    from numpy.typing import NDArray

TILE = (64, 512)
"""Rows and base rows whose packed words are compared together: what fits into a core's cache."""
PARALLEL = (8 * np.finfo(np.float64).eps) ** 2
"""Squared differences of unit rows below this are rounding."""


class Rows(Protocol):
    """Encoded rows of one table. Every reported distance comes from :meth:`distances`."""

    def __len__(self) -> int:
        """Return the number of rows."""
        ...

    def take(self, index: slice | NDArray[np.int64]) -> Self:
        """Return the rows at ``index``."""
        ...

    def joined(self, other: Self) -> Self:
        """Return these rows followed by those of ``other``."""
        ...

    def distances(self, base: Self) -> NDArray[np.float64]:
        """Return all distances, shape (rows here, rows of ``base``); equal rows have exactly 0."""
        ...

    def ranks(self) -> NDArray[np.int64]:
        """Return an integer per row that equal rows, and no others, share."""
        ...

    def same_as(self, other: Self) -> bool:
        """Return whether both hold the same rows in the same order, distances included."""
        ...


@dataclass(frozen=True)
class TabularRows(ABC):
    """Numbers, shape (n, p), and level codes, shape (n, q).

    Each of the p + q columns has a weight; without weights all count alike.
    """

    numbers: NDArray[np.float64]
    levels: NDArray[np.int32]
    number_weights: NDArray[np.float64] | None = None
    level_weights: NDArray[np.float64] | None = None

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(self.numbers)

    def take(self, index: slice | NDArray[np.int64]) -> Self:
        """Return the rows at ``index``."""
        return replace(self, numbers=self.numbers[index], levels=self.levels[index])

    def joined(self, other: Self) -> Self:
        """Return these rows followed by those of ``other``."""
        return replace(
            self,
            numbers=np.concatenate([self.numbers, other.numbers]),
            levels=np.concatenate([self.levels, other.levels]),
        )

    def weighted(self, numbers: NDArray[np.float64], levels: NDArray[np.float64]) -> Self:
        """Return the same rows, their columns weighted by ``numbers`` and ``levels``."""
        return replace(self, number_weights=numbers, level_weights=levels)

    @abstractmethod
    def distances(self, base: Self) -> NDArray[np.float64]:
        """Return all distances, shape (rows here, rows of ``base``)."""

    def ranks(self) -> NDArray[np.int64]:
        """Return an integer per row that equal rows, and no others, share."""
        return row_ranks([*self.numbers.T, *self.levels.T], len(self))

    def same_as(self, other: Self) -> bool:
        """Return whether both hold the same rows in the same order, equally weighted."""
        mine, theirs = (
            (rows.numbers, rows.levels, rows.number_weights, rows.level_weights)
            for rows in (self, other)
        )
        return all(
            array is twin
            if array is None or twin is None
            else np.array_equal(array, twin, equal_nan=array.dtype.kind == "f")
            for array, twin in zip(mine, theirs, strict=True)
        )

    def unequal_levels(
        self, base: Self, weights: NDArray[np.float64] | None
    ) -> NDArray[np.float64]:
        """Return the number, or the sum of weights, of unequal levels for all pairs of rows."""
        total = np.zeros((len(self), len(base)), np.float64)
        for column in range(self.levels.shape[1]):
            unequal = self.levels[:, column, None] != base.levels[None, :, column]
            total += unequal if weights is None else weights[column] * unequal
        return total


@dataclass(frozen=True)
class EuclideanRows(TabularRows):
    """Rows whose distance is sqrt(Σ (x - x')² + 2 · number of unequal levels).

    That is the Euclidean distance of scaled numbers and 0/1 indicators, without ever building the
    indicators. With weights, every number and indicator is multiplied by that of its column.
    """

    def distances(self, base: Self) -> NDArray[np.float64]:
        """Return all distances by direct differences.

        The expanded form |x|² + |y|² - 2xy would give copies a distance above 0.
        """
        levels, numbers = (
            None if weights is None else weights**2
            for weights in (self.level_weights, self.number_weights)
        )
        squared = self.unequal_levels(base, levels)
        squared *= 2.0
        if self.numbers.shape[1]:
            squared += cdist(self.numbers, base.numbers, "sqeuclidean", w=numbers)
        return np.sqrt(squared, out=squared)


@dataclass(frozen=True)
class GowerRows(TabularRows):
    """Rows whose distance is the mean over attributes of min(1, |x - x'|) or 1[x ≠ x'].

    With weights it is the weighted mean. Numbers are in units of their range in train; NaN is a
    missing number: 0 away from another missing one, 1 away from any value.

    References
    ----------
    Gower 1971, doi 10.2307/2528823.
    """

    def distances(self, base: Self) -> NDArray[np.float64]:
        """Return all distances, in [0, 1]."""
        total = self.unequal_levels(base, self.level_weights)
        for column in range(self.numbers.shape[1]):
            here, there = self.numbers[:, column, None], base.numbers[None, :, column]
            step = np.minimum(np.abs(here - there), 1.0)
            step[np.isnan(here) ^ np.isnan(there)] = 1.0
            step[np.isnan(here) & np.isnan(there)] = 0.0
            total += step if self.number_weights is None else self.number_weights[column] * step
        total /= self._total_weight
        return total

    @property
    def _total_weight(self) -> float:
        if self.number_weights is None or self.level_weights is None:
            return float(self.numbers.shape[1] + self.levels.shape[1])
        return float(self.number_weights.sum() + self.level_weights.sum())


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

    def ranks(self) -> NDArray[np.int64]:
        """Return an integer per row that equal rows, and no others, share."""
        return matrix_ranks(self.words)

    def same_as(self, other: BinaryRows) -> bool:
        """Return whether both hold the same rows in the same order."""
        return np.array_equal(self.words, other.words)


@dataclass(frozen=True)
class CosineRows:
    """Rows of length 1; the distance is 1 - cosine, half the squared length of the difference.

    Rows that point the same way as far as float64 can tell have distance 0: a multiple of a row is
    a copy of it.
    """

    directions: NDArray[np.float64]

    @classmethod
    def of(cls, matrix: NDArray[np.float64]) -> CosineRows:
        """Return the directions of rows, none of which is zero.

        Examples
        --------
        >>> rows = CosineRows.of(np.array([[3.0, 0.0], [0.0, 0.1], [0.1, 0.0]]))
        >>> rows.distances(rows).round(9).tolist()
        [[0.0, 1.0, 0.0], [1.0, 0.0, 1.0], [0.0, 1.0, 0.0]]
        """
        scaled = matrix / np.abs(matrix).max(axis=1, keepdims=True)
        return cls(scaled / np.linalg.norm(scaled, axis=1, keepdims=True))

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(self.directions)

    def take(self, index: slice | NDArray[np.int64]) -> CosineRows:
        """Return the rows at ``index``."""
        return CosineRows(self.directions[index])

    def joined(self, other: CosineRows) -> CosineRows:
        """Return these rows followed by those of ``other``."""
        return CosineRows(np.concatenate([self.directions, other.directions]))

    def same_as(self, other: CosineRows) -> bool:
        """Return whether both hold the same rows in the same order."""
        return np.array_equal(self.directions, other.directions)

    def distances(self, base: CosineRows) -> NDArray[np.float64]:
        """Return all distances, in [0, 2], by direct differences."""
        found = cdist(self.directions, base.directions, "sqeuclidean")
        found[found < PARALLEL] = 0.0
        found /= 2.0
        return found

    def ranks(self) -> NDArray[np.int64]:
        """Return an integer per row that equal directions, and no others, share."""
        return matrix_ranks(self.directions + 0.0)


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
