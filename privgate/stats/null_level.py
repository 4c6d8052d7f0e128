"""The level that a share has when there is nothing to be learned, from repeated fits to noise."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from privgate.evidence import Estimate
from privgate.stats.intervals import wilson

if TYPE_CHECKING:
    from collections.abc import Sequence


def mean_share(shares: Sequence[float], *, n: int, level: float) -> Estimate:
    """Return the mean of repeated shares of the same ``n`` people with an interval.

    Notes
    -----
    Two things are uncertain: which people there are (Wilson's interval, which is wide enough for
    the mean over repetitions: a person's own rate varies less than a yes or no of the same mean),
    and what other repetitions would have given (t interval). The two distances are squared and
    added, as in Newcombe's interval.

    Raises
    ------
    ValueError
        With fewer than 2 shares or one outside [0, 1].

    Examples
    --------
    >>> mean = mean_share([0.1, 0.2, 0.3], n=100, level=0.95)
    >>> round(mean.value, 12), round(mean.low, 3), round(mean.high, 3)
    (0.2, 0.0, 0.464)
    """
    from scipy.stats import t  # noqa: PLC0415 - slow to import

    given = np.asarray(shares, np.float64)
    if len(given) < 2 or not ((given >= 0) & (given <= 1)).all():
        raise ValueError("an interval needs at least 2 shares, all in [0, 1]")
    value = min(max(math.fsum(given) / len(given), 0.0), 1.0)
    people = wilson(value * n, n, level=level)
    error = float(given.std(ddof=1)) / math.sqrt(len(given))
    reach = float(t.ppf((1 + level) / 2, len(given) - 1)) * error
    below, above = value - (people.low or 0.0), (people.high or 1.0) - value
    return Estimate(
        value=value,
        low=max(0.0, value - math.hypot(below, reach)),
        high=min(1.0, value + math.hypot(above, reach)),
        level=level,
        method="Wilson and t over repetitions, squared and added",
        n=n,
    )


def upper_point(shares: Sequence[float], probability: float) -> float:
    """Return the least of the shares that the given part of them does not exceed.

    Examples
    --------
    >>> upper_point([0.4, 0.1, 0.3, 0.2], 0.75)
    0.3
    """
    return float(np.quantile(np.asarray(shares, np.float64), probability, method="inverted_cdf"))
