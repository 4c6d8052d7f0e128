"""Kernel density estimates in log space."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy.spatial.distance import cdist

if TYPE_CHECKING:
    from numpy.typing import NDArray

TILE_BYTES = 32 * 2**20


def scott_bandwidth(sample: NDArray[np.float64]) -> float:
    """Return Scott's bandwidth s · n^(-1/(d + 4)) of one isotropic kernel in d dimensions.

    s is the root of the mean variance of the coordinates; 0 if no coordinate varies.

    References
    ----------
    Scott 2015, Multivariate Density Estimation, doi 10.1002/9781118575574.

    Examples
    --------
    >>> round(scott_bandwidth(np.array([[0.0], [2.0]])), 12)  # 1 · 2^(-1/5)
    0.870550563296
    """
    rows, dimensions = sample.shape
    spread = float(np.sqrt(sample.var(axis=0).mean()))
    return float(spread * rows ** (-1 / (dimensions + 4)))


def log_density(
    points: NDArray[np.float64], sample: NDArray[np.float64], *, bandwidth: float
) -> NDArray[np.float64]:
    """Return ln of (1/n) Σ_i exp(-‖x - s_i‖²/(2h²)) at each point x.

    That is a Gaussian kernel density estimate but for the constant (2πh²)^(-d/2), which two
    estimates of one bandwidth share. Summed in log space, so far points keep a finite value.

    Examples
    --------
    >>> here = log_density(np.array([[0.0], [1e3]]), np.array([[0.0], [0.0]]), bandwidth=1.0)
    >>> here.tolist()
    [0.0, -500000.0]
    """
    step = max(1, TILE_BYTES // (8 * len(sample)))
    found = np.empty(len(points))
    for start in range(0, len(points), step):
        exponent = cdist(points[start : start + step], sample, "sqeuclidean")
        exponent /= -2 * bandwidth**2
        greatest = exponent.max(axis=1)
        exponent -= greatest[:, None]
        found[start : start + step] = greatest + np.log(np.exp(exponent).mean(axis=1))
    return found
