"""Learned attackers: trained on the synthetic table, asked about real people."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

import numpy as np

from privgate.learners import boosting, linear_models, trees

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from numpy.typing import NDArray

    from privgate.evidence import JsonValue
    from privgate.learners.boosting import Predictor

MIN_ROWS = 40  # LightGBM cannot split fewer than 2 × min_data_in_leaf rows


class Attacker(StrEnum):
    """Learners an attacker may use."""

    LIGHTGBM = "lightgbm"
    RANDOM_FOREST = "random_forest"
    CART = "cart"
    LOGISTIC = "logistic"
    LINEAR = "linear"

    @property
    def guesses_classes(self) -> bool:
        """Return whether the learner gives probabilities of classes."""
        return _LEARNERS[self].classes is not None

    @property
    def guesses_numbers(self) -> bool:
        """Return whether the learner predicts numbers."""
        return _LEARNERS[self].numbers is not None


@dataclass(frozen=True)
class _Learner:
    settings: Mapping[str, JsonValue]
    classes: Callable[..., Predictor] | None = None
    numbers: Callable[..., Predictor] | None = None


_LEARNERS = {
    Attacker.LIGHTGBM: _Learner(
        boosting.ATTACK_SETTINGS, boosting.boosted_classes, boosting.boosted_numbers
    ),
    Attacker.RANDOM_FOREST: _Learner(
        trees.FOREST_SETTINGS, trees.forest_classes, trees.forest_numbers
    ),
    Attacker.CART: _Learner(trees.CART_SETTINGS, trees.cart_classes, trees.cart_numbers),
    Attacker.LOGISTIC: _Learner(
        linear_models.LOGISTIC_SETTINGS, classes=linear_models.logistic_classes
    ),
    Attacker.LINEAR: _Learner(linear_models.LINEAR_SETTINGS, numbers=linear_models.linear_numbers),
}


def settings(attacker: Attacker) -> dict[str, JsonValue]:
    """Return the fixed settings of an attacker, for the evidence."""
    return dict(_LEARNERS[attacker].settings)


def fit_classifier(
    attacker: Attacker,
    features: NDArray[np.float64],
    classes: NDArray[np.int64],
    *,
    class_count: int,
    seed: int,
    jobs: int = 1,
) -> Predictor:
    """Return a function from features to class probabilities, shape (rows, class_count).

    A class that does not occur in ``classes`` has probability 0. Fewer than two classes cannot be
    learned and are the caller's to exclude.

    Raises
    ------
    ValueError
        If the attacker learns numbers only.
    NotAssessable
        If the learner does not converge.
    """
    fit = _LEARNERS[attacker].classes
    if fit is None:
        raise ValueError(f"{attacker} guesses no classes")
    present, compact = np.unique(classes, return_inverse=True)
    compact_probabilities = fit(features, compact, seed=seed, jobs=jobs)

    def probabilities(asked: NDArray[np.float64]) -> NDArray[np.float64]:
        full = np.zeros((len(asked), class_count))
        full[:, present] = compact_probabilities(asked)
        return full

    return probabilities


def fit_regressor(
    attacker: Attacker,
    features: NDArray[np.float64],
    values: NDArray[np.float64],
    *,
    seed: int,
    jobs: int = 1,
) -> Predictor:
    """Return a function from features to predicted numbers, shape (rows,).

    Values are standardised for the learner, so that numbers of any size are learned equally well.

    Raises
    ------
    ValueError
        If the attacker learns classes only.
    """
    fit = _LEARNERS[attacker].numbers
    if fit is None:
        raise ValueError(f"{attacker} guesses no numbers")
    centre, spread = float(values.mean()), float(values.std()) or 1.0
    predict = fit(features, (values - centre) / spread, seed=seed, jobs=jobs)
    return lambda asked: centre + spread * predict(asked)
