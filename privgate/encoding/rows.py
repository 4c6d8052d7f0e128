"""Rows in encoded form: what every space's rows promise, and the rows of tables."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Protocol, Self

import numpy as np

from privgate.data import row_ranks

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

TILE = (64, 1024)
"""Rows and base rows whose distances are computed together: what fits into a core's cache."""


class Rows(Protocol):
    """Encoded rows of one table.

    Every reported distance comes from :meth:`distances` or :meth:`pair_distances`, which give the
    same digits: both add up the columns one after the other in float64.
    """

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

    def pair_distances(
        self, base: Self, here: NDArray[np.integer], there: NDArray[np.integer]
    ) -> NDArray[np.float64]:
        """Return the distance of row ``here[i]`` to row ``there[i]`` of ``base``, for each i."""
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

    @abstractmethod
    def pair_distances(
        self, base: Self, here: NDArray[np.integer], there: NDArray[np.integer]
    ) -> NDArray[np.float64]:
        """Return the distance of row ``here[i]`` to row ``there[i]`` of ``base``, for each i."""

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


def tiles(rows: int, base: int) -> Iterator[tuple[slice, slice]]:
    """Yield tiles that together hold all pairs of rows, each small enough for a core's cache.

    Examples
    --------
    >>> len(list(tiles(65, 1025)))
    4
    """
    for row in range(0, rows, TILE[0]):
        for column in range(0, base, TILE[1]):
            yield slice(row, row + TILE[0]), slice(column, column + TILE[1])


def unequal_levels(
    here: NDArray[np.int32], there: NDArray[np.int32], weights: NDArray[np.float64] | None
) -> NDArray[np.float64]:
    """Return the number, or the sum of weights, of unequal levels; weights are added in order.

    The first axis is that of the columns; the others are broadcast against each other.

    Examples
    --------
    >>> codes = np.array([[1, 1], [0, 2]])
    >>> unequal_levels(codes[:, :, None], codes[:, None, :], None).tolist()
    [[0.0, 1.0], [1.0, 0.0]]
    """
    shape = np.broadcast_shapes(here.shape[1:], there.shape[1:])
    if weights is None:
        count = np.zeros(shape, np.uint8 if len(here) < 256 else np.uint32)
        unequal = np.empty(shape, np.bool_)
        for mine, theirs in zip(here, there, strict=True):
            np.not_equal(mine, theirs, out=unequal)
            np.add(count, unequal.view(np.uint8), out=count)
        return count.astype(np.float64)
    total = np.zeros(shape, np.float64)
    for mine, theirs, weight in zip(here, there, weights, strict=True):
        total += weight * (mine != theirs)
    return total
