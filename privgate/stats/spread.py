"""How far a figure moves when a trial is repeated."""

from __future__ import annotations

import math
from dataclasses import dataclass

from privgate.evidence import SafeSide

NORMAL_95 = 1.96


@dataclass(frozen=True)
class Spread:
    """The values of one figure in repeated trials, at least two, in the order of the trials.

    ``safe_side`` says which end of the figure's scale is the harmless one.

    Examples
    --------
    >>> gap = Spread((0.1, 0.2, 0.3), SafeSide.LOW)
    >>> round(gap.mean, 12), round(gap.sd, 12), gap.worst
    (0.2, 0.1, 0.3)
    >>> round(gap.low, 4), round(gap.high, 4)
    (0.0868, 0.3132)
    """

    values: tuple[float, ...]
    safe_side: SafeSide

    def __post_init__(self) -> None:
        if len(self.values) < 2 or not all(map(math.isfinite, self.values)):
            raise ValueError("a spread needs at least 2 finite values")

    @property
    def mean(self) -> float:
        """Return the mean over the trials."""
        return math.fsum(self.values) / len(self.values)

    @property
    def sd(self) -> float:
        """Return the standard deviation between trials, with k - 1 in the denominator."""
        mean = self.mean
        squares = math.fsum((value - mean) ** 2 for value in self.values)
        return math.sqrt(squares / (len(self.values) - 1))

    @property
    def se(self) -> float:
        """Return the standard deviation over the root of the number of trials."""
        return self.sd / math.sqrt(len(self.values))

    @property
    def minimum(self) -> float:
        """Return the least value."""
        return min(self.values)

    @property
    def maximum(self) -> float:
        """Return the greatest value."""
        return max(self.values)

    @property
    def worst(self) -> float:
        """Return the value that is farthest from harmless."""
        return self.maximum if self.safe_side is SafeSide.LOW else self.minimum

    @property
    def low(self) -> float:
        """Return the mean less 1.96 standard errors, which treats trials as independent."""
        return self.mean - NORMAL_95 * self.se

    @property
    def high(self) -> float:
        """Return the mean plus 1.96 standard errors, which treats trials as independent."""
        return self.mean + NORMAL_95 * self.se
