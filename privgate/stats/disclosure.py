"""When a prediction gives a person away: normalised gain and prediction error.

References
----------
Templ, Thees and Mueller 2026, arXiv 2602.09235 (RAPID).
"""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.random import Generator
    from numpy.typing import NDArray

# (0.51 - 0.3) / 0.7 is 0.30000000000000004 in float64 although it is exactly 0.3.
ROUNDING = 1e-12


class ErrorMeasure(StrEnum):
    """How far a numeric prediction is from the truth."""

    STABILISED_RELATIVE = "stabilised_relative"
    RELATIVE = "relative"
    SYMMETRIC = "symmetric"
    ABSOLUTE = "absolute"
    NORMALISED = "normalised"


def normalised_gain(
    probability: NDArray[np.float64], base: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return ``(g - b) / (1 - b)``: what an attacker gains over knowing the margin.

    ``probability`` g is what the attacker gives to the true class, ``base`` b that class's share.
    0 is no better than the margin, 1 is certain and right; -inf where a class has share 1, for
    nothing can be gained there.

    Examples
    --------
    >>> gain = normalised_gain(np.array([0.7, 0.85, 0.55]), np.array([0.6, 0.6, 0.6]))
    >>> gain.round(3).tolist()
    [0.25, 0.625, -0.125]
    """
    left = 1 - base
    gain = np.full(len(probability), -np.inf)
    np.divide(probability - base, left, out=gain, where=left > 0)
    return gain


def exceeds(gain: NDArray[np.float64], tau: float) -> NDArray[np.bool_]:
    """Return where a gain lies above ``tau``, not merely on it."""
    return gain > tau + ROUNDING


def prediction_error(
    truth: NDArray[np.float64],
    predicted: NDArray[np.float64],
    *,
    measure: ErrorMeasure,
    delta: float = 0.01,
    spread: float = 1.0,
) -> NDArray[np.float64]:
    """Return the error of each prediction.

    ``stabilised_relative`` |y - ŷ| / (|y| + δ); ``relative`` |y - ŷ| / |y|; ``symmetric``
    2 |y - ŷ| / (|y| + |ŷ| + 2 δ); ``absolute`` |y - ŷ|; ``normalised`` |y - ŷ| / spread.
    δ is in units of y.

    Raises
    ------
    ValueError
        If the measure is not defined for these values.

    Examples
    --------
    >>> truth, guess = np.array([50000.0, 80000.0]), np.array([47000.0, 90000.0])
    >>> prediction_error(truth, guess, measure=ErrorMeasure.RELATIVE).tolist()
    [0.06, 0.125]
    """
    miss = np.abs(truth - predicted)
    if measure is ErrorMeasure.ABSOLUTE:
        return miss
    if measure is ErrorMeasure.SYMMETRIC:
        scale = np.abs(truth) + np.abs(predicted) + 2 * delta
        miss = 2 * miss
    elif measure is ErrorMeasure.NORMALISED:
        scale = np.full(len(truth), spread)
    else:
        added = delta if measure is ErrorMeasure.STABILISED_RELATIVE else 0.0
        scale = np.abs(truth) + added
    if not (scale > 0).all():
        raise ValueError(f"the {measure} error is not defined for a true value of 0")
    relative: NDArray[np.float64] = miss / scale
    return relative


def resampled_gain_shares(
    probability: NDArray[np.float64],
    classes: NDArray[np.int64],
    *,
    tau: float,
    replicates: int,
    rng: Generator,
) -> NDArray[np.float64]:
    """Return the share at risk in bootstrap samples of people, class shares taken anew in each.

    The attacker is not refitted: the interval covers the sampling of people only.
    """
    n = len(classes)

    def shares() -> Iterator[float]:
        for _ in range(replicates):
            weight = np.bincount(rng.integers(n, size=n), minlength=n)
            base = np.bincount(classes, weight) / n
            hit = exceeds(normalised_gain(probability, base[classes]), tau)
            yield float(weight @ hit) / n

    return np.fromiter(shares(), np.float64, count=replicates)


def resampled_hit_shares(
    hit: NDArray[np.bool_], *, replicates: int, rng: Generator
) -> NDArray[np.float64]:
    """Return the share of hits in bootstrap samples of people."""
    return rng.binomial(len(hit), hit.mean(), size=replicates) / len(hit)
