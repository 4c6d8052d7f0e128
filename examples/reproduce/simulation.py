"""People with known dependencies: the simulated survey of the RAPID study.

Dependence is set by one number, kappa: at 0 no column says anything about another, at 50 the
diagnosis nearly follows from the rest.

Reference: Templ, Thees and Mueller 2026, arXiv 2602.09235. Its appendix prints another spread and
range of age than the code behind its tables; this is the code's.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

if TYPE_CHECKING:
    from numpy.typing import NDArray

COLUMNS = {
    "gender": {"type": "categorical", "role": "quasi_identifier"},
    "age": {"type": "numeric", "role": "quasi_identifier"},
    "education": {"type": "numeric", "role": "quasi_identifier"},
    "income": {"type": "numeric", "role": "quasi_identifier"},
    "health": {"type": "numeric", "role": "quasi_identifier"},
    "disease": {"type": "categorical", "role": "sensitive"},
}
DISEASES = np.array(["healthy", "diabetic", "hypertensive"])


def simulated_people(rows: int, kappa: float, rng: np.random.Generator) -> pd.DataFrame:
    """Return a survey of ``rows`` people whose columns depend on each other as ``kappa`` says."""
    signal, noise = np.sqrt(kappa / (1 + kappa)), np.sqrt(1 / (1 + kappa))

    def blended(dependent: NDArray[np.float64]) -> NDArray[np.float64]:
        return signal * dependent + noise * rng.standard_normal(rows)

    age = truncated_normal(rows, rng, mean=45, spread=15, low=18, high=90)
    status = rng.standard_normal(rows)
    older = standardised(age)
    education = np.digitize(blended(0.8 * status - 0.4 * older), [-0.3, 0.7])
    log_income = 10 + blended(0.5 * status + 0.3 * older + 0.25 * education)
    richer = standardised(log_income)
    health = 100 * sigmoid(blended(0.6 * status - 0.5 * older + 0.2 * education + 0.2 * richer))
    logits = np.column_stack(
        [
            np.zeros(rows),
            -1.5 + kappa * (0.8 * older - 0.3 * richer - 0.2 * education),
            -1.3 + kappa * (1.0 * older - 0.2 * richer - 0.1 * education),
        ]
    )
    male = rng.random(rows) < sigmoid(signal * (0.3 * status - 0.2 * older + 0.2 * education))
    return pd.DataFrame(
        {
            "gender": np.where(male, "m", "f"),
            "age": age,
            "education": education,
            "income": np.exp(log_income),
            "health": health,
            "disease": DISEASES[drawn_class(logits, rng)],
        }
    )


def truncated_normal(
    rows: int, rng: np.random.Generator, *, mean: float, spread: float, low: float, high: float
) -> NDArray[np.float64]:
    """Return normal numbers, those outside ``low`` to ``high`` drawn again."""
    values = rng.normal(mean, spread, rows)
    while (outside := (values < low) | (values > high)).any():
        values[outside] = rng.normal(mean, spread, int(outside.sum()))
    return values


def drawn_class(logits: NDArray[np.float64], rng: np.random.Generator) -> NDArray[np.int64]:
    """Return a class per row, drawn with the probabilities of the softmax of its logits."""
    weight = np.exp(logits - logits.max(axis=1, keepdims=True))
    cumulated = weight.cumsum(axis=1)
    at = rng.random(len(logits)) * cumulated[:, -1]
    return (at[:, None] >= cumulated).sum(axis=1)


def standardised(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return values with mean 0 and standard deviation 1."""
    return (values - values.mean()) / values.std(ddof=1)


def sigmoid(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return 1 / (1 + exp(-x))."""
    return 1 / (1 + np.exp(-values))
