"""From measured pairs to the nearest rows of each row, by (distance, index)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

UNFILLED = np.iinfo(np.int32).max


@dataclass(frozen=True)
class Measured:
    """Measured pairs of a row and another, in the order of (row, distance, other)."""

    row: NDArray[np.integer]
    other: NDArray[np.integer]
    distance: NDArray[np.float64]

    @classmethod
    def nearest(
        cls,
        row: NDArray[np.integer],
        other: NDArray[np.integer],
        distance: NDArray[np.float64],
        *,
        k: int,
    ) -> Measured:
        """Return the k nearest pairs of each row.

        Examples
        --------
        >>> near = Measured.nearest(
        ...     np.array([0, 0, 1]), np.array([7, 3, 5]), np.array([1.0, 1.0, 2.0]), k=1
        ... )
        >>> near.row.tolist(), near.other.tolist()
        ([0, 1], [3, 5])
        """
        order = np.lexsort((other, distance, row))
        kept = order[_places(row[order]) < k]
        return cls(row[kept].astype(np.int32), other[kept].astype(np.int32), distance[kept])


class Lists:
    """Lists of the k nearest rows of some rows, which grow by and by."""

    def __init__(self, rows: int, k: int) -> None:
        self.distances = np.full((rows, k), np.inf)
        self.indices = np.full((rows, k), UNFILLED, np.int32)

    def add(self, found: Measured) -> None:
        """Take in measured pairs that were not given before, at most k of each row."""
        row, place = found.row, _places(found.row)
        rows = np.unique(row)
        if not len(rows):
            return
        if (self.indices[rows, 0] == UNFILLED).all():
            self.distances[row, place], self.indices[row, place] = found.distance, found.other
            return
        k, line = self.distances.shape[1], np.searchsorted(rows, row)
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


def _places(row: NDArray[np.integer]) -> NDArray[np.int64]:
    """Return the place of each entry among those of its row, rows being in order."""
    new = np.flatnonzero(np.concatenate([[True], row[1:] != row[:-1]])) if len(row) else row
    lengths = np.diff(np.concatenate([new, [len(row)]]))
    places: NDArray[np.int64] = np.arange(len(row)) - np.repeat(new, lengths)
    return places
