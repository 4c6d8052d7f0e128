"""Invented data for the tests of metrics: small, seeded, with every column type."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from privgate.data import release_from_frames
from privgate.encoding import Distance, EuclideanRows, Space, weighted
from privgate.executors import SERIAL, Executor
from privgate.neighbors import Neighbours
from privgate.stats.entropy import bin_counts, entropy

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from numpy.typing import ArrayLike

    from privgate.data import Release

SURVEY_COLUMNS: Mapping[str, Mapping[str, Any]] = {
    "age": {"type": "numeric", "role": "quasi_identifier"},
    "sex": {"type": "categorical", "role": "quasi_identifier"},
    "region": {"type": "categorical", "role": "quasi_identifier"},
    "married": {"type": "boolean", "role": "quasi_identifier"},
    "health": {"type": "ordinal", "role": "other", "levels": ["poor", "fair", "good"]},
    "since": {"type": "datetime", "role": "other"},
    "income": {"type": "numeric", "role": "sensitive"},
    "smoker": {"type": "categorical", "role": "sensitive"},
}


def survey(rows: int, seed: int) -> pd.DataFrame:
    """Return an invented survey with every column type, dependencies and missing values.

    Two surveys of different seeds are independent draws from one population. The columns are those
    of ``SURVEY_COLUMNS``.

    Examples
    --------
    >>> survey(3, 1).shape
    (3, 8)
    """
    rng = np.random.default_rng(seed)
    age = rng.integers(18, 90, rows)
    days = rng.integers(0, 9000, rows)
    table = pd.DataFrame(
        {
            "age": age,
            "sex": rng.choice(["f", "m"], rows),
            "region": rng.choice(["north", "south", "east", "west"], rows, p=[0.4, 0.3, 0.2, 0.1]),
            "married": rng.random(rows) < 0.5,
            "health": rng.choice(["poor", "fair", "good"], rows),
            "since": pd.Timestamp("2000-01-01") + pd.to_timedelta(days, unit="D"),
            "income": np.round(np.exp(rng.normal(9.5 + age / 100, 0.5)), 2),
            "smoker": np.where(rng.random(rows) < 0.2 + 0.3 * (age < 40), "yes", "no"),
        }
    )
    table["region"] = table["region"].where(rng.random(rows) > 0.03)
    table["income"] = table["income"].where(rng.random(rows) > 0.03)
    return table


def survey_release(rows: int, *, seed: int = 1) -> Release:
    """Return a release of invented people with three tables of one size, none made from another.

    Examples
    --------
    >>> survey_release(50).train.rows
    50
    """
    return release_from_frames(
        train=survey(rows, seed),
        holdout=survey(rows, seed + 1),
        synthetic=survey(rows, seed + 2),
        columns=SURVEY_COLUMNS,
    )


@dataclass(frozen=True)
class EncodedInputs:
    """Inputs of a metric that looks at distances only; numbers are taken as already encoded."""

    shared: Neighbours[EuclideanRows]
    confidence: float = 0.95
    executor: Executor = SERIAL

    @property
    def jobs(self) -> int:
        """Return how many threads of this machine may work."""
        return self.executor.jobs

    def neighbours(
        self, distance: Distance | None = None, *, columns: Collection[str] | None = None
    ) -> Neighbours[EuclideanRows]:
        """Return the distance sets, whatever the distance and the columns."""
        del distance, columns
        return self.shared

    def weighted_neighbours(self, distance: Distance | None = None) -> Neighbours[EuclideanRows]:
        """Return the distance sets with each number divided by its entropy in train."""
        del distance
        columns = self.shared.space.train.numbers.T
        entropies = [entropy(bin_counts(column)) for column in columns]
        weights = np.array([1 / value if value else 0.0 for value in entropies])
        return Neighbours(weighted(self.shared.space, weights, np.empty(0)))


def encoded(
    train: ArrayLike, synthetic: ArrayLike, holdout: ArrayLike | None = None
) -> EncodedInputs:
    """Return inputs from rows that are already encoded, one number or a row of numbers each.

    Examples
    --------
    >>> inputs = encoded([0, 1, 4, 6], [0, 2.5, 9, 30])
    >>> inputs.neighbours().real_to_synthetic.distance.tolist()
    [0.0, 1.0, 1.5, 3.0]
    """

    def rows(values: ArrayLike) -> EuclideanRows:
        numbers = np.asarray(values, np.float64)
        numbers = numbers.reshape(len(numbers), -1)
        return EuclideanRows(numbers, np.empty((len(numbers), 0), np.int32))

    space = Space.of(
        Distance.EUCLIDEAN,
        rows(train),
        rows(synthetic),
        None if holdout is None else rows(holdout),
    )
    return EncodedInputs(Neighbours(space))
