"""Mixtures of isotropic Gaussians around given centres, each with a variance of its own.

References
----------
Jiralerspong et al. 2023, arXiv 2302.04440 (feature likelihood divergence).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy.spatial.distance import cdist

from privgate.executors import SERIAL, Executor
from privgate.stats.density import TOLERANCE, half_squares, log_mean, rounding_of_products

if TYPE_CHECKING:
    from numpy.typing import NDArray

Fit = tuple["NDArray[np.float64]", "NDArray[np.float64]", "NDArray[np.float64]"]  # with the mean
Terms = tuple["NDArray[np.float64]", "NDArray[np.float64]"]
Part = tuple[slice, "NDArray[np.float64]", "NDArray[np.float64] | None"]

TILE_BYTES = 2 * 2**20
MOST_KEPT = 2**28  # bytes of distances that all steps of a fit share
BOUND = 40.0  # of a log variance, either way
NEAREST = 1e-3  # keeps the first variance of a copied point above 0
SHRUNK = 0.81  # of squared distances to the mean, in the Gaussian that only the fit has
STEPS = 50
FAINT = 50.0  # below the greatest log density: 20,000 such terms are 4e-18 of it
FEW = 1 / 16  # of all terms
SMALLEST_STEP = 1e6  # in units of the last digit of the likelihood


@dataclass(frozen=True)
class Mixture:
    """Gaussians of equal weight at ``centres`` with variances exp(``log_variances``)."""

    centres: NDArray[np.float64]
    log_variances: NDArray[np.float64]

    def log_density(
        self, points: NDArray[np.float64], *, executor: Executor = SERIAL
    ) -> NDArray[np.float64]:
        """Return the natural logarithm of the density at each point.

        Examples
        --------
        >>> mixture = Mixture(np.array([[0.0], [2.0]]), np.log([1.0, 0.25]))
        >>> np.round(mixture.log_density(np.array([[0.0], [2.0]])), 10).tolist()
        [-1.6114150135, -0.8534620381]
        """
        blocks = _blocks(len(points), len(self.centres))
        return np.concatenate(list(executor.map(_density, (self, points), blocks)))

    def nearest_kernels(
        self, points: NDArray[np.float64], *, executor: Executor = SERIAL
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the greatest log density of a single Gaussian, for each point and each centre.

        The second is that of the centre's own Gaussian at the point where it is greatest.
        """
        blocks = _blocks(len(points), len(self.centres))
        found = executor.map(_greatest, (self, points), blocks)
        of_points, of_centres = zip(*found, strict=True)
        return np.concatenate(of_points), np.maximum.reduce(of_centres)

    def log_kernels(self, points: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the log density of each Gaussian at each point, shape (points, centres)."""
        precision = 0.5 * np.exp(-self.log_variances)
        kernels = _squares_to(points, self.centres, precision)
        kernels *= -precision
        kernels += _log_peak(self.log_variances, points.shape[1])
        return kernels


def _squares_to(
    points: NDArray[np.float64], centres: NDArray[np.float64], precision: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return squared distances, which times the precision are right to ``TOLERANCE``.

    Products take a tenth of the time of differences; the narrow kernels of copies need differences.
    """
    found: NDArray[np.float64] = points @ centres.T
    found *= -1
    found += half_squares(points)[:, None]
    found += half_squares(centres)
    found *= 2
    off = 2 * rounding_of_products(points, centres) * precision
    narrow = np.flatnonzero(~(off <= TOLERANCE))
    if len(narrow):
        found[:, narrow] = cdist(points, centres[narrow], "sqeuclidean")
    return found


def fitted_mixture(
    centres: NDArray[np.float64], sample: NDArray[np.float64], *, executor: Executor = SERIAL
) -> Mixture:
    """Return the mixture around centres whose variances make a sample most likely.

    Each log variance starts at that of the sample point nearest to the centre and stays within
    ±40. While fitting, one more Gaussian at the mean of the sample, of weight 1 and a variance of
    its own, keeps every likelihood finite. L-BFGS takes about 50 exact gradients, so the result
    has no randomness and does not depend on the executor.
    """
    from scipy.optimize import fmin_l_bfgs_b  # noqa: PLC0415 - slow to import

    dimensions = sample.shape[1]
    shared = centres, sample, sample.mean(axis=0, keepdims=True)
    blocks = _blocks(len(sample), len(centres) + 1)
    # What takes longest are the distances, and they are the same in every step.
    known = 8 * len(sample) * (len(centres) + 1) <= MOST_KEPT
    kept = list(executor.map(_squares, shared, blocks)) if known else None
    least = executor.map(_nearest, shared, blocks) if kept is None else map(_least, kept)
    nearest = np.minimum.reduce(list(least))
    start = np.append(np.log((nearest + NEAREST) / dimensions), 0.0)
    log_variances, _, _ = fmin_l_bfgs_b(
        lambda given: _loss(given, shared, executor, kept),
        np.clip(start, -BOUND, BOUND),
        bounds=[(-BOUND, BOUND)] * len(start),
        maxiter=STEPS,
        maxfun=STEPS,
        factr=SMALLEST_STEP,
    )
    return Mixture(centres, np.asarray(log_variances[:-1], np.float64))


def _loss(
    log_variances: NDArray[np.float64],
    shared: Fit,
    executor: Executor,
    kept: list[NDArray[np.float64]] | None = None,
) -> tuple[float, NDArray[np.float64]]:
    """Return the mean negative log likelihood per dimension while fitting, and its gradient."""
    rows, dimensions = shared[1].shape
    blocks = _blocks(rows, len(log_variances))
    squares = [None] * len(blocks) if kept is None else kept
    parts = [(block, log_variances, far) for block, far in zip(blocks, squares, strict=True)]
    found = list(executor.map(_sums, shared, parts))
    likelihood = math.fsum(part for part, _ in found)
    pull = np.add.reduce([part for _, part in found])
    return -likelihood / (rows * dimensions), -pull / (rows * dimensions)


def _sums(shared: Fit, part: Part) -> tuple[float, NDArray[np.float64]]:
    """Return the log likelihood of a block of the sample, and its gradient."""
    (centres, sample, _), (block, log_variances, kept) = shared, part
    dimensions = sample.shape[1]
    peak = _log_peak(log_variances, dimensions)
    peak[:-1] -= math.log(len(centres))
    squares = _squares(shared, block) if kept is None else kept
    far = squares * (0.5 * np.exp(-log_variances))
    values = peak - far
    greatest = values.max(axis=1, keepdims=True)
    loud = np.flatnonzero(values > greatest - FAINT)
    if len(loud) <= FEW * values.size:
        total, pull = _few_terms(values, greatest, far, loud)
    else:
        total, pull = _all_terms(values, greatest, far)
    likelihood = (greatest[:, 0] + np.log(total)).sum()
    return float(likelihood), pull[0] - dimensions / 2 * pull[1]


def _few_terms(
    values: NDArray[np.float64],
    greatest: NDArray[np.float64],
    far: NDArray[np.float64],
    loud: NDArray[np.int64],
) -> Terms:
    """Return what :func:`_all_terms` does, of those terms that are not faint."""
    rows, columns = values.shape
    row, column = np.divmod(loud, columns)
    share = np.exp(values.ravel()[loud] - greatest[row, 0])
    total = np.asarray(np.bincount(row, share, minlength=rows), np.float64)
    share /= total[row]
    parts = share * far.ravel()[loud], share
    return total, np.array([np.bincount(column, part, minlength=columns) for part in parts])


def _all_terms(
    values: NDArray[np.float64], greatest: NDArray[np.float64], far: NDArray[np.float64]
) -> Terms:
    """Return each row's Σ exp(value - greatest), and each column's Σ share · far and Σ share."""
    share = np.exp(values - greatest)
    total = share.sum(axis=1)
    share /= total[:, None]
    return total, np.array([np.einsum("ij,ij->j", share, far), share.sum(axis=0)])


def _squares(shared: Fit, block: slice) -> NDArray[np.float64]:
    """Return squared distances to the centres and, shrunk, to the mean."""
    centres, sample, mean = shared
    far = np.empty((len(sample[block]), len(centres) + 1))
    far[:, :-1] = cdist(sample[block], centres, "sqeuclidean")
    far[:, -1:] = SHRUNK * cdist(sample[block], mean, "sqeuclidean")
    return far


def _nearest(shared: Fit, block: slice) -> NDArray[np.float64]:
    return _least(_squares(shared, block))


def _least(squares: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the least square of each centre; the last column is that of the mean."""
    found: NDArray[np.float64] = squares[:, :-1].min(axis=0)
    return found


def _density(shared: tuple[Mixture, NDArray[np.float64]], block: slice) -> NDArray[np.float64]:
    mixture, points = shared
    return log_mean(mixture.log_kernels(points[block]))


def _greatest(
    shared: tuple[Mixture, NDArray[np.float64]], block: slice
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    mixture, points = shared
    kernels = mixture.log_kernels(points[block])
    return kernels.max(axis=1), kernels.max(axis=0)


def generalisation_gap(
    train: NDArray[np.float64], holdout: NDArray[np.float64], dimensions: int
) -> float:
    """Return 100 (nll(train) - nll(holdout)) per dimension; negative when train is likelier.

    Both are log densities of points.

    Examples
    --------
    >>> generalisation_gap(np.array([-1.0]), np.array([-3.0]), 2)
    -100.0
    """
    return 100 * float(holdout.mean() - train.mean()) / dimensions


def _log_peak(log_variances: NDArray[np.float64], dimensions: int) -> NDArray[np.float64]:
    return np.asarray(-dimensions / 2 * (log_variances + math.log(2 * math.pi)))


def _blocks(rows: int, width: int) -> list[slice]:
    """Return rows in blocks, so small that a tile of so many columns fits into a core's cache."""
    step = max(1, TILE_BYTES // (8 * width))
    return [slice(start, start + step) for start in range(0, rows, step)]
