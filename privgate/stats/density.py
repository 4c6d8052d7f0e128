"""Kernel density estimates in log space."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from scipy.spatial.distance import cdist

from privgate.executors import SERIAL, Executor

if TYPE_CHECKING:
    from numpy.typing import NDArray

BLOCK = 128  # points
TOLERANCE = 1e-8  # of an exponent


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
    points: NDArray[np.float64],
    sample: NDArray[np.float64],
    *,
    bandwidth: float,
    executor: Executor = SERIAL,
) -> NDArray[np.float64]:
    """Return ln of (1/n) Σ_i exp(-‖x - s_i‖²/(2h²)) at each point x.

    That is a Gaussian kernel density estimate but for the constant (2πh²)^(-d/2), which two
    estimates of one bandwidth share. Summed in log space, so far points keep a finite value. An
    exponent is right to 1e-8, by products of the coordinates where these are exact enough and by
    their differences where not. Points are taken in blocks of one size, so that a point has the
    same density wherever it stands.

    Examples
    --------
    >>> here = log_density(np.array([[0.0], [1e3]]), np.array([[0.0], [0.0]]), bandwidth=1.0)
    >>> here.tolist()
    [0.0, -500000.0]
    """
    centre = sample.mean(axis=0)
    there, kernels = (points - centre) / bandwidth, (sample - centre) / bandwidth
    blocks = [slice(start, start + BLOCK) for start in range(0, len(points), BLOCK)]
    if (rounding_of_products(there, kernels) <= TOLERANCE).all():
        shared = there, kernels, half_squares(kernels)
        found = executor.map(_by_products, shared, blocks)
    else:
        measured = partial(_by_differences, bandwidth=bandwidth)
        found = executor.map(measured, (points, sample), blocks)
    return np.concatenate(list(found))


def rounding_of_products(
    points: NDArray[np.float64], kernels: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return by how much rounding changes half a squared distance that is taken from a product.

    With t terms of at most a = ‖x‖ and b = ‖s‖ it changes x·s - ‖s‖²/2 - ‖x‖²/2 by at most
    t · 2⁻⁵³ · (a + b)²; one bound for each kernel, whichever point is asked about.
    """
    far, near = (np.sqrt(2 * half_squares(side)) for side in (points, kernels))
    found: NDArray[np.float64] = (
        (points.shape[1] + 4) * 2.0**-53 * (far.max(initial=0.0) + near) ** 2
    )
    return found


def _by_products(
    shared: tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]], block: slice
) -> NDArray[np.float64]:
    points, kernels, of_kernels = shared
    asked = np.zeros((BLOCK, points.shape[1]))
    count = len(points[block])
    asked[:count] = points[block]
    exponent = asked @ kernels.T
    exponent -= of_kernels
    exponent -= half_squares(asked)[:, None]
    return log_mean(exponent)[:count]


def half_squares(rows: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return half the squared length of each row."""
    found: NDArray[np.float64] = np.einsum("ij,ij->i", rows, rows) / 2
    return found


def _by_differences(
    shared: tuple[NDArray[np.float64], NDArray[np.float64]], block: slice, *, bandwidth: float
) -> NDArray[np.float64]:
    points, sample = shared
    exponent = cdist(points[block], sample, "sqeuclidean")
    exponent /= -2 * bandwidth**2
    return log_mean(exponent)


def log_mean(exponent: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return ln of the mean of exp(exponent) of each row, and spoil the exponents."""
    greatest = exponent.max(axis=1)
    exponent -= greatest[:, None]
    found: NDArray[np.float64] = greatest + np.log(np.exp(exponent, out=exponent).mean(axis=1))
    return found
