"""Intervals for figures averaged over the folds of a cross-validation."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from privgate.evidence import Estimate

if TYPE_CHECKING:
    from numpy.typing import ArrayLike


def fold_mean(scores: ArrayLike, *, level: float, n: int) -> Estimate:
    """Return the mean of a score in [0, 1] over k folds, with the corrected t interval.

    Folds share most of their training rows, so the variance of their mean is not s²/k; the
    correction for that overlap gives s²·(1/k + 1/(k - 1)).

    Raises
    ------
    ValueError
        With fewer than 2 folds or a score outside [0, 1].

    References
    ----------
    Nadeau and Bengio 2003, doi 10.1023/A:1024068626366.

    Examples
    --------
    >>> mean = fold_mean([0.7, 0.8, 0.75], level=0.95, n=30)
    >>> round(mean.value, 12), round(mean.low, 4), round(mean.high, 4)
    (0.75, 0.5536, 0.9464)
    """
    from scipy.stats import t  # noqa: PLC0415 - slow to import

    given = np.asarray(scores, np.float64)
    k = len(given)
    if k < 2 or not ((given >= 0) & (given <= 1)).all():
        raise ValueError("an interval needs the scores of at least 2 folds, all in [0, 1]")
    mean = math.fsum(given) / k
    error = math.sqrt(float(given.var(ddof=1)) * (1 / k + 1 / (k - 1)))
    reach = float(t.ppf((1 + level) / 2, k - 1)) * error
    return Estimate(
        value=mean,
        low=max(0.0, mean - reach),
        high=min(1.0, mean + reach),
        level=level,
        method="corrected t over folds",
        n=n,
    )
