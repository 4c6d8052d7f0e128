"""When a prediction gives a person away: scores of guessed classes and errors of guessed numbers.

References
----------
Templ, Thees and Mueller 2026, arXiv 2602.09235 (RAPID).
"""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.random import Generator
    from numpy.typing import NDArray

# (0.51 - 0.3) / 0.7 is 0.30000000000000004 in float64 although it is exactly 0.3.
ROUNDING = 1e-12


_BLOCK = 2**21  # weights held at once
# The least probability whose logarithm is taken.
LEAST = 1e-10


class ScoreMode(StrEnum):
    """How confident a guess of a person's true class is."""

    GAIN = "gain"
    CONDITIONAL_RATIO = "conditional_ratio"
    NCE = "nce"


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
    gain = np.full(np.broadcast_shapes(probability.shape, base.shape), -np.inf)
    np.divide(probability - base, left, out=gain, where=left > 0)
    return gain


def conditional_ratio(
    probability: NDArray[np.float64], mean: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return ``g / mean``: how much surer the attacker is than of others of the same class.

    ``mean`` is the mean of g over the people of that class; -inf where it is 0, for then the
    attacker guesses nobody of the class. A class that is guessed with certainty has ratio 1.

    Examples
    --------
    >>> ratio = conditional_ratio(np.array([0.9, 0.6, 0.3]), np.array([0.6, 0.6, 0.6]))
    >>> ratio.round(3).tolist()
    [1.5, 1.0, 0.5]
    """
    ratio = np.full(np.broadcast_shapes(probability.shape, mean.shape), -np.inf)
    np.divide(probability, mean, out=ratio, where=mean > 0)
    return ratio


def normalised_cross_entropy(
    probability: NDArray[np.float64], class_count: int | NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return ``1 + log g / log K``: 1 is certain and right, 0 no better than K equal chances.

    A probability below 1e-10 counts as 1e-10.

    Examples
    --------
    >>> normalised_cross_entropy(np.array([1.0, 0.5, 0.25]), 2).tolist()
    [1.0, 0.0, -1.0]
    """
    score: NDArray[np.float64] = 1 + np.log(np.maximum(probability, LEAST)) / np.log(class_count)
    return score


def class_reference(
    mode: ScoreMode,
    probability: NDArray[np.float64],
    classes: NDArray[np.int64],
    *,
    class_count: int,
    weight: NDArray[np.float64] | None = None,
) -> NDArray[np.float64]:
    """Return for each class what :func:`class_score` compares a probability with.

    The class's share for the gain, the mean probability of its people for the ratio, the number
    of classes that occur for the cross-entropy. ``weight``, shape (samples, people), counts each
    person in bootstrap samples; the result then has one row per sample.
    """
    counted = np.ones((1, len(classes))) if weight is None else weight
    sizes = _class_sums(counted, classes, class_count)
    if mode is ScoreMode.GAIN:
        found: NDArray[np.float64] = sizes / sizes.sum(axis=1, keepdims=True)
    elif mode is ScoreMode.CONDITIONAL_RATIO:
        found = _class_sums(counted * probability, classes, class_count) / np.maximum(sizes, 1)
    else:
        occurring = len(np.unique(classes))  # a class does not vanish because a sample missed it
        found = np.full(sizes.shape, float(occurring))
    return found.reshape(-1) if weight is None else found


def class_score(
    mode: ScoreMode, probability: NDArray[np.float64], reference: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the score of each guess; ``reference`` is that of the person's true class."""
    if mode is ScoreMode.GAIN:
        return normalised_gain(probability, reference)
    if mode is ScoreMode.CONDITIONAL_RATIO:
        return conditional_ratio(probability, reference)
    return normalised_cross_entropy(probability, reference)


def exceeds(score: NDArray[np.float64], threshold: float) -> NDArray[np.bool_]:
    """Return where a score lies above the threshold, not merely on it."""
    above: NDArray[np.bool_] = score > threshold + ROUNDING
    return above


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


def resampled_class_shares(
    probabilities: Sequence[NDArray[np.float64]],
    classes: NDArray[np.int64],
    *,
    mode: ScoreMode,
    threshold: float,
    replicates: int,
    rng: Generator,
) -> NDArray[np.float64]:
    """Return the share at risk under each attacker in bootstrap samples of people.

    Shape (replicates, attackers): all attackers face the same people of a sample. What a score is
    compared with, such as the shares of the classes, is taken anew in each. The attackers are not
    refitted: the interval covers the sampling of people only.
    """
    count = int(classes.max()) + 1

    def shares(weight: NDArray[np.float64]) -> Iterator[NDArray[np.float64]]:
        for probability in probabilities:
            reference = class_reference(
                mode, probability, classes, class_count=count, weight=weight
            )
            hit = exceeds(class_score(mode, probability, reference[:, classes]), threshold)
            yield (weight * hit).sum(axis=1) / len(classes)

    samples = _bootstrap_weights(len(classes), replicates, rng)
    return np.concatenate([np.column_stack(list(shares(weight))) for weight in samples])


def resampled_hit_shares(
    hits: Sequence[NDArray[np.bool_]], *, replicates: int, rng: Generator
) -> NDArray[np.float64]:
    """Return the share of hits of each attacker in bootstrap samples of people.

    Shape (replicates, attackers): all attackers face the same people of a sample.
    """
    hit = np.column_stack(hits).astype(np.float64)
    samples = _bootstrap_weights(len(hit), replicates, rng)
    return np.concatenate([weight @ hit / len(hit) for weight in samples])


def _bootstrap_weights(
    people: int, replicates: int, rng: Generator
) -> Iterator[NDArray[np.float64]]:
    """Yield how often each person is drawn, shape (samples, people), in blocks of bounded size."""
    block = max(1, _BLOCK // people)
    for first in range(0, replicates, block):
        samples = min(block, replicates - first)
        drawn = rng.integers(people, size=(samples, people))
        drawn += np.arange(samples)[:, None] * people
        counted = np.bincount(drawn.ravel(), minlength=samples * people)
        yield counted.reshape(samples, people).astype(np.float64)


def _class_sums(
    weight: NDArray[np.float64], classes: NDArray[np.int64], class_count: int
) -> NDArray[np.float64]:
    """Return the sum of weights by sample and class."""
    samples = len(weight)
    place = np.arange(samples)[:, None] * class_count + classes
    total = np.bincount(place.ravel(), weight.ravel(), minlength=samples * class_count)
    return total.reshape(samples, class_count).astype(np.float64)
