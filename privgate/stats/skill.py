"""How much better than guessing predictions are, with weights for the rows.

Weights are how often a row was drawn, so that a bootstrap needs neither copies of rows nor new
predictions.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.random import Generator
    from numpy.typing import NDArray

    Numbers = NDArray[np.float64]


@dataclass(frozen=True)
class ClassPredictions:
    """Predicted classes: for each class the rank of every row's score, and which rows have it."""

    places: tuple[NDArray[np.int64], ...]
    positive: tuple[NDArray[np.bool_], ...]

    @classmethod
    def of(
        cls, scores: Numbers, truth: NDArray[np.int64], classes: Sequence[int]
    ) -> ClassPredictions:
        """Return the predictions of some classes; each needs rows that have it and others."""
        places = (np.unique(scores[:, own], return_inverse=True)[1] for own in classes)
        return cls(
            tuple(place.reshape(-1) for place in places), tuple(truth == own for own in classes)
        )

    def areas(self, weights: Numbers) -> list[float]:
        """Return for each class the area under the curve that tells it from all others.

        It is the share of pairs, of a row of the class and another one, in which the score of the
        first is greater; equal scores count half.

        Examples
        --------
        >>> sure = np.array([[0.9, 0.1], [0.5, 0.5], [0.5, 0.5]])
        >>> ClassPredictions.of(sure, np.array([0, 1, 0]), [0]).areas(np.ones(3))
        [0.75]
        """
        found = []
        for place, positive in zip(self.places, self.positive, strict=True):
            hits = np.bincount(place, np.where(positive, weights, 0.0))
            misses = np.bincount(place, np.where(positive, 0.0, weights))
            ordered = hits @ (np.cumsum(misses) - misses / 2)
            found.append(float(ordered / (hits.sum() * misses.sum())))
        return found

    def skill(self, weights: Numbers) -> float:
        """Return max(0, 2·A - 1), A being the mean of the areas: 0 is guessing, 1 perfect.

        Examples
        --------
        >>> sure = np.array([[0.9, 0.1], [0.5, 0.5], [0.5, 0.5]])
        >>> ClassPredictions.of(sure, np.array([0, 1, 0]), [0, 1]).skill(np.ones(3))
        0.5
        """
        return max(0.0, 2 * float(np.mean(self.areas(weights))) - 1)


@dataclass(frozen=True)
class NumberPredictions:
    """Predicted numbers and the true ones."""

    guesses: Numbers
    truth: Numbers

    def skill(self, weights: Numbers) -> float:
        """Return max(0, R²), the share of the variance that the guesses explain.

        0 is no better than always guessing the mean, also where nothing varies.

        Examples
        --------
        >>> NumberPredictions(np.array([1.0, 2, 4]), np.array([1.0, 2, 3])).skill(np.ones(3))
        0.5
        """
        mean = weights @ self.truth / weights.sum()
        spread = float(weights @ (self.truth - mean) ** 2)
        missed = float(weights @ (self.truth - self.guesses) ** 2)
        return max(0.0, 1 - missed / spread) if spread > 0 else 0.0


def drawn_weights(groups: NDArray[np.int64], rng: Generator) -> Numbers:
    """Return how often each row is drawn when each group is drawn anew from its own rows.

    Examples
    --------
    >>> drawn_weights(np.array([7, 3, 7]), np.random.default_rng(0)).tolist()
    [0.0, 1.0, 2.0]
    """
    _, place, sizes = np.unique(groups, return_inverse=True, return_counts=True)
    order = np.argsort(place.reshape(-1), kind="stable")
    starts = np.repeat(np.cumsum(sizes) - sizes, sizes)
    drawn = starts + rng.integers(np.repeat(sizes, sizes))
    return np.bincount(order[drawn], minlength=len(groups)).astype(np.float64)
