"""Gower rows rounded to whole steps, so that several numbers are compared in one machine word."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from privgate.encoding import GowerRows

STEPS = 254
"""Coarse steps of the number that weighs most: a byte holds them, and they can be halved."""
MOST_STEPS = 65_000
"""Coarse steps of all levels together: 16 bits hold them."""
FINE = 64
"""Fine steps in a coarse one: four numbers of 254 coarse steps add up to what 16 bits hold."""
BYTES = np.uint64(0x00FF00FF00FF00FF)
LANES = np.uint64(0x0001000100010001)


@dataclass(frozen=True)
class Grid:
    """A scale on which the distance of two rows is bounded from below in whole numbers.

    ``rate`` fine steps make up one unit of weight. A number x counts as ``floor(x · number_steps)``
    of x cut off at 0 and 1; an unequal level as ``level_steps``, which are coarse. A column of
    numbers with ``holes`` also counts as a level, hole or no hole, of half its steps, and its holes
    as the number 1/2.

    Two rounded numbers differ by at most one step more than the numbers, and a hole and a number by
    at most one step more than the column weighs. So of the rows up to a distance D none is more
    than :meth:`limit` of D steps away.
    """

    rate: float
    number_steps: NDArray[np.float64]
    level_steps: NDArray[np.int64]
    holes: NDArray[np.bool_]
    weight: float

    @classmethod
    def of(cls, rows: GowerRows, base: GowerRows) -> Grid:
        """Return a grid for two tables of one space."""
        numbers, levels = (
            np.ones(given.shape[1]) if weights is None else weights
            for given, weights in (
                (rows.numbers, rows.number_weights),
                (rows.levels, rows.level_weights),
            )
        )
        holes = np.isnan(np.concatenate([rows.numbers, base.numbers])).any(axis=0)
        total = float(levels.sum() + numbers[holes].sum() / 2)
        rate = min(
            STEPS / float(numbers.max(initial=0.0)) if numbers.any() else np.inf,
            MOST_STEPS / total if total else np.inf,
        )
        rate = rate if np.isfinite(rate) else 0.0  # bounds of 0 are always true
        steps = np.floor(np.append(levels, numbers[holes] / 2) * rate).astype(np.int64)
        return cls(FINE * rate, FINE * rate * numbers, steps, holes, rows.total_weight)

    def limit(self, distance: NDArray[np.float64]) -> NDArray[np.int64]:
        """Return the most fine steps that rows up to a distance can be apart."""
        steps = distance * (self.weight * self.rate * (1 + 1e-9)) + len(self.number_steps) + 1
        most = FINE * (STEPS * len(self.number_steps) + MOST_STEPS)
        return np.fmin(steps, most).astype(np.int64)

    @property
    def slack(self) -> int:
        """Return by how many fine steps numbers in coarse ones may seem further apart."""
        return FINE * len(self.number_steps)

    def levels(self, rows: GowerRows) -> NDArray[np.uint8]:
        """Return a byte per level; unequal bytes are unequal levels."""
        holes = np.isnan(rows.numbers[:, self.holes])
        return np.column_stack([(rows.levels & 0xFF).astype(np.uint8), holes.astype(np.uint8)])

    def numbers(self, rows: GowerRows) -> NDArray[np.uint16]:
        """Return every number in fine steps, and columns of zeros that fill up whole words."""
        count = len(self.number_steps)
        found = np.zeros((len(rows), 8 * -(-count // 8)), np.uint16)
        cut = np.clip(rows.numbers, 0.0, 1.0)
        found[:, :count] = np.where(np.isnan(cut), 0.5, cut) * self.number_steps
        return found


def coarse(numbers: NDArray[np.uint16]) -> NDArray[np.uint8]:
    """Return numbers in coarse steps."""
    return (numbers // FINE).astype(np.uint8)


def words_of(numbers: NDArray[np.uint8 | np.uint16]) -> NDArray[np.uint64]:
    """Return the numbers of each row as words, a row of the result for each word."""
    return np.ascontiguousarray(np.ascontiguousarray(numbers).view(np.uint64).T)


def coarse_steps(
    low: NDArray[np.uint64], high: NDArray[np.uint64], number: NDArray[np.uint64]
) -> NDArray[np.uint64]:
    """Return how far eight numbers are, added up, from eight intervals; each is a byte of a word.

    Examples
    --------
    >>> low, high, number = (np.array([word], np.uint64) for word in (0x0510, 0x0710, 0x0912))
    >>> coarse_steps(low, high, number).tolist()
    [4]
    """
    mine = number.view(np.uint8)
    above = np.maximum(low.view(np.uint8), mine)
    below = np.minimum(high.view(np.uint8), mine)
    apart = np.subtract(above, below, out=above).view(np.uint64)
    return _added((apart & BYTES) + ((apart >> np.uint64(8)) & BYTES))


def fine_steps(here: NDArray[np.uint64], there: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Return how far four numbers are, added up, from four others; each is a quarter of a word.

    Examples
    --------
    >>> fine_steps(np.array([0x00050010], np.uint64), np.array([0x00070011], np.uint64)).tolist()
    [3]
    """
    mine, theirs = here.view(np.uint16), there.view(np.uint16)
    above, below = np.maximum(mine, theirs), np.minimum(mine, theirs)
    return _added(np.subtract(above, below, out=above).view(np.uint64))


def _added(quarters: NDArray[np.uint64]) -> NDArray[np.uint64]:
    quarters *= LANES
    quarters >>= np.uint64(48)
    return quarters
