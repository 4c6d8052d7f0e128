"""Mann-Whitney statistics of distances.

References
----------
Mann and Whitney 1947, doi 10.1214/aoms/1177730491; Meehan et al. 2020, arXiv 2004.05675 (C_T).
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from privgate.stats.compare import tie_levels

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray


def farther_pairs(first: NDArray[np.float64], second: NDArray[np.float64]) -> float:
    """Return U, the number of pairs in which the first distance is the greater one; ties half.

    Examples
    --------
    >>> farther_pairs(np.array([1.0, 3.0]), np.array([1.0, 2.0]))
    2.5
    """
    places = tie_levels(np.concatenate([first, second]))
    levels = places.max(initial=-1) + 1
    here, there = (np.bincount(side, minlength=levels) for side in np.split(places, [len(first)]))
    return float(here @ (np.cumsum(there) - there / 2))


def closeness_z(published: NDArray[np.float64], fresh: NDArray[np.float64]) -> float:
    """Return Z, how far U lies above its mean in standard deviations; low is too close.

    Both are distances to the nearest train row, of published records and of people the generator
    never saw. Z = (U - (mn/2 - 1/2)) / sqrt(mn(m + n + 1)/12), with the continuity term of the
    authors' code and without a correction for ties.

    Examples
    --------
    >>> round(closeness_z(np.array([0.1, 0.2]), np.array([0.3, 0.4])), 12)
    -1.161895003862
    """
    m, n = len(published), len(fresh)
    spread = math.sqrt(m * n * (m + n + 1) / 12)
    return (farther_pairs(published, fresh) - (m * n / 2 - 0.5)) / spread


def weighted_z(scores: Sequence[float], fresh: Sequence[int]) -> float:
    """Return C_T, the mean of the cells' Z by their numbers of people the generator never saw.

    Examples
    --------
    >>> weighted_z([-2.0, 1.0], [4, 2])
    -1.0
    """
    return float(np.average(scores, weights=fresh))
