"""From measured pairs to the nearest rows of each row, by (distance, index)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

UNFILLED = np.iinfo(np.int32).max
MOST_PADDED = 4  # times the entries, in a table with one line for each row


@dataclass(frozen=True)
class Measured:
    """Measured pairs of a row and another, in the order of (row, distance, other)."""

    row: NDArray[np.int32]
    other: NDArray[np.int32]
    distance: NDArray[np.float64]

    @classmethod
    def nearest(
        cls,
        row: NDArray[np.integer],
        other: NDArray[np.integer],
        distance: Callable[[NDArray[np.int64], NDArray[np.int64]], NDArray[np.float64]],
        *,
        k: int,
    ) -> Measured:
        """Return the k nearest pairs of each row, ``distance`` being the one of pairs.

        Examples
        --------
        >>> near = Measured.nearest(
        ...     np.array([0, 1, 0]), np.array([7, 5, 3]), lambda row, other: row + 1.0, k=1
        ... )
        >>> near.row.tolist(), near.other.tolist()
        ([0, 1], [3, 5])
        """
        if not len(row) or not k:
            return cls(np.empty(0, np.int32), np.empty(0, np.int32), np.empty(0))
        width = int(other.max()) + 1
        keys = np.sort(row.astype(np.int64) * width + other)
        rows, others = (part.astype(np.int64) for part in np.divmod(keys, width))
        return cls._first(rows, others, distance(rows, others), k)

    @classmethod
    def _first(
        cls,
        row: NDArray[np.int64],
        other: NDArray[np.int64],
        distance: NDArray[np.float64],
        k: int,
    ) -> Measured:
        """Return the k nearest of each row; pairs are in the order of (row, other)."""
        place, line = _places(row)
        shape = int(line[-1]) + 1, int(place.max()) + 1
        if shape[0] * shape[1] > MOST_PADDED * len(row):  # some lists are much longer than others
            order = np.lexsort((distance, row))
            order = order[_places(row[order])[0] < k]
        else:
            padded = np.full(shape, np.nan)  # sorted last, behind infinity
            padded[line, place] = distance
            start = np.flatnonzero(place == 0)[:, None]
            near = np.argsort(padded, axis=1, kind="stable")[:, :k]
            length = np.diff(np.append(start, len(row)))[:, None]
            order = (start + near)[np.arange(near.shape[1]) < length]
        return cls(row[order].astype(np.int32), other[order].astype(np.int32), distance[order])


class Lists:
    """Lists of the k nearest rows of some rows, which grow by and by."""

    def __init__(self, rows: int, k: int) -> None:
        self.distances = np.full((rows, k), np.inf)
        self.indices = np.full((rows, k), UNFILLED, np.int32)

    def add(self, found: Measured) -> None:
        """Take in measured pairs that were not given before, at most k of each row."""
        row = found.row
        if not len(row):
            return
        place, line = _places(row)
        rows = row[place == 0]
        if (self.indices[rows, 0] == UNFILLED).all():
            self.distances[row, place], self.indices[row, place] = found.distance, found.other
            return
        k = self.distances.shape[1]
        distances = np.full((len(rows), 2 * k), np.inf)
        indices = np.full((len(rows), 2 * k), UNFILLED, np.int32)
        distances[:, :k], indices[:, :k] = self.distances[rows], self.indices[rows]
        distances[line, k + place], indices[line, k + place] = found.distance, found.other
        order = np.lexsort((indices, distances), axis=1)[:, :k]
        self.distances[rows] = np.take_along_axis(distances, order, axis=1)
        self.indices[rows] = np.take_along_axis(indices, order, axis=1)

    def require_full(self) -> None:
        """Make sure that every list has k entries.

        Raises
        ------
        RuntimeError
            If one has not: an engine that misses a neighbour would hide a leak.
        """
        if (self.indices == UNFILLED).any():
            raise RuntimeError("a search for neighbours came back with fewer than were asked for")


def _places(row: NDArray[np.integer]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the place of each entry among those of its row, and which of the rows that is.

    Rows are in order.
    """
    new = np.concatenate([[True], row[1:] != row[:-1]])
    line = np.cumsum(new) - 1
    place: NDArray[np.int64] = np.arange(len(row)) - np.flatnonzero(new)[line]
    return place, line
