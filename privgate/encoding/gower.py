"""Rows under Gower's distance."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from privgate.encoding.rows import TabularRows, tiles, unequal_levels

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True)
class GowerRows(TabularRows):
    """Rows whose distance is the mean over attributes of min(1, |x - x'|) or 1[x ≠ x'].

    With weights it is the weighted mean. Numbers are in units of their range in train; NaN is a
    missing number: 0 away from another missing one, 1 away from any value. Levels are added up
    first, then numbers, each in the order of the columns.

    References
    ----------
    Gower 1971, doi 10.2307/2528823.
    """

    def distances(self, base: GowerRows) -> NDArray[np.float64]:
        """Return all distances, in [0, 1]."""
        codes, other_codes = (np.ascontiguousarray(rows.levels.T) for rows in (self, base))
        here, there = (np.ascontiguousarray(rows.numbers.T) for rows in (self, base))
        found = np.empty((len(self), len(base)), np.float64)
        for rows, columns in tiles(len(self), len(base)):
            total = unequal_levels(
                codes[:, rows, None], other_codes[:, None, columns], self.level_weights
            )
            self._add_steps(total, here[:, rows, None], there[:, None, columns])
            found[rows, columns] = total
        found /= self.total_weight
        return found

    def pair_distances(
        self, base: GowerRows, here: NDArray[np.integer], there: NDArray[np.integer]
    ) -> NDArray[np.float64]:
        """Return the distance of row ``here[i]`` to row ``there[i]`` of ``base``, for each i."""
        total = unequal_levels(
            self.levels.take(here, axis=0).T, base.levels.take(there, axis=0).T, self.level_weights
        )
        self._add_steps(
            total, self.numbers.take(here, axis=0).T, base.numbers.take(there, axis=0).T
        )
        total /= self.total_weight
        return total

    def _add_steps(
        self, total: NDArray[np.float64], here: NDArray[np.float64], there: NDArray[np.float64]
    ) -> None:
        """Add min(1, |x - x'|) of every number to the totals, one column after the other."""
        for column, (mine, theirs) in enumerate(zip(here, there, strict=True)):
            step = np.minimum(np.abs(mine - theirs), 1.0)
            holes, others = np.isnan(mine), np.isnan(theirs)
            if holes.any() or others.any():
                step[holes ^ others] = 1.0
                step[holes & others] = 0.0
            total += step if self.number_weights is None else self.number_weights[column] * step

    @property
    def total_weight(self) -> float:
        """Return what the distance is divided by."""
        if self.number_weights is None or self.level_weights is None:
            return float(self.numbers.shape[1] + self.levels.shape[1])
        return float(self.number_weights.sum() + self.level_weights.sum())
