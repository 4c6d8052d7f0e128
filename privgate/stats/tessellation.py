"""Comparison of two samples by the cells of a random tessellation.

References
----------
Lemos et al. 2024, arXiv 2402.04355 (PQMass).
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import gammaincc, gammainccinv, gammaln

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

SMALLEST = 1e-290  # a survival probability below is looked for by its logarithm
TERMS = 500


def pearson(first: ArrayLike, second: ArrayLike) -> tuple[float, int]:
    """Return Pearson's χ² of two samples' counts in cells, and its degrees of freedom.

    Cells empty in both samples are left out; there is no continuity correction.

    Raises
    ------
    ValueError
        If fewer than two cells are left, or a sample is empty.

    Examples
    --------
    >>> value, freedom = pearson([10, 20, 30, 0], [15, 15, 20, 10])
    >>> round(value, 13), freedom
    (13.7142857142857, 3)
    """
    counts = np.array([first, second], np.float64)
    counts = counts[:, counts.sum(axis=0) > 0]
    totals = counts.sum(axis=1)
    if counts.shape[1] < 2 or not totals.all():
        raise ValueError("a comparison needs two samples and at least two cells with rows")
    expected = totals[:, None] * counts.sum(axis=0) / totals.sum()
    return float(((counts - expected) ** 2 / expected).sum()), counts.shape[1] - 1


def at_freedom(value: float, freedom: int, wanted: int) -> float:
    """Return the χ² of ``wanted`` degrees of freedom that is as improbable as ``value``.

    Far in the tail, where the probability is below the smallest float, its logarithm is matched.

    Examples
    --------
    >>> round(at_freedom(12 / 7, 1, 2), 12)
    3.316938441185
    >>> round(at_freedom(5000.0, 10, 20), 6)
    5059.208736
    """
    if freedom == wanted:
        return value
    probability = float(gammaincc(freedom / 2, value / 2))
    if probability > SMALLEST:
        return 2 * float(gammainccinv(wanted / 2, probability))
    target = log_survival(value, freedom)
    high = 2 * (value + wanted)
    while log_survival(high, wanted) > target:
        high *= 2
    low = float(wanted + 2)
    from scipy.optimize import brentq  # noqa: PLC0415 - slow to import

    return float(brentq(lambda at: log_survival(at, wanted) - target, low, high, xtol=1e-10))


def log_survival(value: float, freedom: int) -> float:
    """Return the logarithm of the probability that χ² exceeds a value above ``freedom`` + 2.

    By the continued fraction of the incomplete gamma function, which holds far in the tail
    (NIST DLMF 8.9.2, https://dlmf.nist.gov/8.9).

    Examples
    --------
    >>> round(log_survival(40.0, 4), 12) == round(math.log(math.exp(-20) * 21), 12)
    True
    """
    shape, x = freedom / 2, value / 2
    fraction = 0.0
    for term in range(TERMS, 0, -1):
        fraction = term * (shape - term) / (x + 2 * term + 1 - shape + fraction)
    return float(-x + shape * math.log(x) - gammaln(shape) - math.log(x + 1 - shape + fraction))
