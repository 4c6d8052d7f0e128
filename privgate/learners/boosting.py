"""LightGBM, seeded and on one thread: the same digits on any machine."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

Predictor = Callable[["NDArray[np.float64]"], "NDArray[np.float64]"]

_ROUNDS = 50
_ATTACK: dict[str, Any] = {"learning_rate": 0.2, "num_leaves": 15, "min_data_in_leaf": 20}
ATTACK_SETTINGS = {**_ATTACK, "num_iterations": _ROUNDS}


def boosted(
    features: NDArray[np.float64],
    target: NDArray[Any],
    options: Mapping[str, Any],
    *,
    rounds: int,
    seed: int,
) -> Any:
    """Return a booster fitted with the given options."""
    import lightgbm  # noqa: PLC0415 - slow to import

    fixed = {
        "seed": seed,
        "deterministic": True,
        "force_row_wise": True,
        "num_threads": 1,
        "verbosity": -1,
    }
    return lightgbm.train(
        {**options, **fixed}, lightgbm.Dataset(features, target), num_boost_round=rounds
    )


def boosted_classes(
    features: NDArray[np.float64], classes: NDArray[np.int64], *, seed: int, jobs: int
) -> Predictor:
    """Return a function from features to class probabilities; classes count from 0, at least two.

    ``jobs`` changes nothing: there is always one thread.
    """
    del jobs
    count = int(classes.max()) + 1
    objective: dict[str, Any] = (
        {"objective": "binary"} if count == 2 else {"objective": "multiclass", "num_class": count}
    )
    booster = boosted(features, classes, {**_ATTACK, **objective}, rounds=_ROUNDS, seed=seed)

    def probabilities(asked: NDArray[np.float64]) -> NDArray[np.float64]:
        raw = np.asarray(booster.predict(asked, num_threads=1))
        return raw if raw.ndim == 2 else np.column_stack([1 - raw, raw])

    return probabilities


def boosted_numbers(
    features: NDArray[np.float64], values: NDArray[np.float64], *, seed: int, jobs: int
) -> Predictor:
    """Return a function from features to predicted numbers; ``jobs`` changes nothing.

    LightGBM stores labels as float32, which is exact enough for standardised values only.
    """
    del jobs
    options = {**_ATTACK, "objective": "l2"}
    booster = boosted(features, values, options, rounds=_ROUNDS, seed=seed)
    return lambda asked: np.asarray(booster.predict(asked, num_threads=1), np.float64)
