"""From lower bounds of distances to the largest one that a near pair can have."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from privgate.neighbors.engines.factors import TINY, Frame

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from privgate.neighbors.engines.coordinates import Points


@dataclass(frozen=True)
class Bounds:
    """How far lower bounds are from upper ones, and how large one may be.

    The k-th smallest of all is at most the k-th smallest of the minima of some classes. These cost
    one pass over a tile, where a selection among all would cost many.
    """

    points: Points
    frame: Frame

    def slack(self, square: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return what a point of this squared length adds to a lower bound for an upper one."""
        added: NDArray[np.float64] = 2.2 * self.frame.error * square + TINY
        return added

    def largest(
        self, minima: NDArray[np.float32], k: int, square: NDArray[np.float64]
    ) -> NDArray[np.float32]:
        """Return the largest lower bound of a pair that may be among the k nearest of each row.

        Parameters
        ----------
        minima
            Of the upper bounds without the rows' own slack, shape (rows, classes).
        square
            The squared length of each row.
        """
        if minima.shape[1] < k:
            return np.full(len(minima), np.inf, np.float32)
        kth = minima.min(axis=1) if k == 1 else np.partition(minima, k - 1, axis=1)[:, k - 1]
        upper = np.maximum(kth + self.slack(square), 0.0)
        reach = self.points.reach(upper, unit=self.frame.scale**2 / 2) + TINY
        return np.nextafter(reach.astype(np.float32), np.float32(np.inf))
