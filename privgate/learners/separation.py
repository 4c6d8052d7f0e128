"""A learner that tells published rows from real ones."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from privgate.learners.boosting import boosted

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from privgate.evidence import JsonValue

SEPARATION: dict[str, JsonValue] = {
    "learning_rate": 0.1,
    "num_leaves": 31,
    "min_data_in_leaf": 20,
}
SEPARATION_ROUNDS = 100


def fit_separation(
    published: NDArray[np.float64], real: NDArray[np.float64], *, seed: int
) -> Callable[[NDArray[np.float64]], NDArray[np.float64]]:
    """Return a function from rows to the probability of being published.

    LightGBM with the defaults of its classifier: 100 trees of 31 leaves, learning rate 0.1.
    """
    labels = np.concatenate([np.ones(len(published)), np.zeros(len(real))])
    booster = boosted(
        np.concatenate([published, real]),
        labels,
        {**SEPARATION, "objective": "binary"},
        rounds=SEPARATION_ROUNDS,
        seed=seed,
    )

    def probability(asked: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.asarray(booster.predict(asked, num_threads=1), np.float64)

    return probability


def separation_settings() -> dict[str, JsonValue]:
    """Return the fixed settings of the learner, for the evidence."""
    return {**SEPARATION, "num_iterations": SEPARATION_ROUNDS}
