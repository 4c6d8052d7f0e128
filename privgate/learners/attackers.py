"""Learned attackers: trained on the synthetic table, asked about real people."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from typing import TYPE_CHECKING, Any

import numpy as np

from privgate.learners.boosting import boosted

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from privgate.evidence import JsonValue

MIN_ROWS = 40  # LightGBM cannot split fewer than 2 × min_data_in_leaf rows

ClassPredictor = Callable[["NDArray[np.float64]"], "NDArray[np.float64]"]
NumberPredictor = Callable[["NDArray[np.float64]"], "NDArray[np.float64]"]


class Attacker(StrEnum):
    """Learners an attacker may use."""

    LIGHTGBM = "lightgbm"
    RANDOM_FOREST = "random_forest"


_LIGHTGBM: dict[str, Any] = {
    "learning_rate": 0.2,
    "num_leaves": 15,
    "min_data_in_leaf": 20,
}
_ROUNDS = 50
_FOREST: dict[str, Any] = {"n_estimators": 500, "min_samples_split": 10}


def settings(attacker: Attacker) -> dict[str, JsonValue]:
    """Return the fixed settings of an attacker, for the evidence."""
    if attacker is Attacker.LIGHTGBM:
        return {**_LIGHTGBM, "num_iterations": _ROUNDS}
    return {**_FOREST, "max_features": "sqrt (classes), 1/3 (numbers)"}


def fit_classifier(
    attacker: Attacker,
    features: NDArray[np.float64],
    classes: NDArray[np.int64],
    *,
    class_count: int,
    seed: int,
    jobs: int = 1,
) -> ClassPredictor:
    """Return a function from features to class probabilities, shape (rows, class_count).

    A class that does not occur in ``classes`` has probability 0. Fewer than two classes cannot be
    learned and are the caller's to exclude.
    """
    present, compact = np.unique(classes, return_inverse=True)
    if attacker is Attacker.LIGHTGBM:
        objective = (
            {"objective": "binary"}
            if len(present) == 2
            else {"objective": "multiclass", "num_class": len(present)}
        )
        booster = boosted(features, compact, {**_LIGHTGBM, **objective}, rounds=_ROUNDS, seed=seed)

        def compact_probabilities(asked: NDArray[np.float64]) -> NDArray[np.float64]:
            raw = np.asarray(booster.predict(asked, num_threads=1))
            return raw if raw.ndim == 2 else np.column_stack([1 - raw, raw])
    else:
        from sklearn.ensemble import RandomForestClassifier  # noqa: PLC0415 - slow to import

        forest = RandomForestClassifier(
            **_FOREST, max_features="sqrt", random_state=seed, n_jobs=jobs
        ).fit(features, compact)
        compact_probabilities = _single_threaded(forest).predict_proba

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
) -> NumberPredictor:
    """Return a function from features to predicted numbers, shape (rows,)."""
    if attacker is Attacker.LIGHTGBM:
        # Standardising keeps LightGBM's float32 labels exact enough for values of any size.
        centre, spread = float(values.mean()), float(values.std()) or 1.0
        options = {**_LIGHTGBM, "objective": "l2"}
        booster = boosted(features, (values - centre) / spread, options, rounds=_ROUNDS, seed=seed)
        return lambda asked: (
            centre + spread * np.asarray(booster.predict(asked, num_threads=1), np.float64)
        )
    from sklearn.ensemble import RandomForestRegressor  # noqa: PLC0415 - slow to import

    forest = RandomForestRegressor(
        **_FOREST, max_features=1 / 3, random_state=seed, n_jobs=jobs
    ).fit(features, values)
    predict: NumberPredictor = _single_threaded(forest).predict
    return predict


def _single_threaded(forest: Any) -> Any:
    """Return the forest so that it adds up its trees in one order: same digits on any machine."""
    forest.set_params(n_jobs=1)
    return forest
