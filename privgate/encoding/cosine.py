"""Rows under the cosine distance."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from privgate.data.matrices import matrix_ranks
from privgate.encoding.euclidean import pair_squares, squared_differences
from privgate.encoding.rows import tiles

if TYPE_CHECKING:
    from numpy.typing import NDArray

PARALLEL = (8 * np.finfo(np.float64).eps) ** 2
"""Squared differences of unit rows below this are rounding."""


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
        here, there = (np.ascontiguousarray(rows.directions.T) for rows in (self, base))
        found = np.empty((len(self), len(base)), np.float64)
        for rows, columns in tiles(len(self), len(base)):
            tile = found[rows, columns]
            tile[:] = squared_differences(
                here[:, rows, None], there[:, None, columns], None, shape=tile.shape
            )
        return _halved(found)

    def pair_distances(
        self, base: CosineRows, here: NDArray[np.integer], there: NDArray[np.integer]
    ) -> NDArray[np.float64]:
        """Return the distance of row ``here[i]`` to row ``there[i]`` of ``base``, for each i."""
        return _halved(pair_squares(self.directions, base.directions, (here, there), None))

    def ranks(self) -> NDArray[np.int64]:
        """Return an integer per row that equal directions, and no others, share."""
        return matrix_ranks(self.directions + 0.0)


def _halved(squared: NDArray[np.float64]) -> NDArray[np.float64]:
    squared[squared < PARALLEL] = 0.0
    squared /= 2.0
    return squared
