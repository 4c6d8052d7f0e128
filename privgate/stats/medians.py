"""Distribution-free intervals for a median."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


def median_ends(values: NDArray[np.float64], *, level: float) -> tuple[float, float]:
    """Return the ends of an interval that holds the median of what the values were drawn from.

    The ends are two of the values, symmetric in rank: the median lies below the k-th smallest of n
    only if fewer than k values lie below it, which a fair coin allows with probability
    P(X < k), X ~ B(n, 1/2). The coverage is at least ``level`` for every distribution, ties
    included. With too few values for the level the interval has no ends: (-inf, inf).

    Examples
    --------
    >>> median_ends(np.arange(1.0, 11.0), level=0.95)
    (2.0, 9.0)
    >>> median_ends(np.arange(5.0), level=0.95)
    (-inf, inf)
    """
    from scipy.stats import binom  # noqa: PLC0415 - slow to import

    rank = int(binom.ppf((1 - level) / 2, len(values), 0.5))
    if rank < 1:
        return -math.inf, math.inf
    ordered = np.sort(values)
    return float(ordered[rank - 1]), float(ordered[-rank])
