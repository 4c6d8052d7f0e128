"""What an attacker trained on the release guesses about real people.

A task holds what is learned and asked once, so that any number of attackers, and refits on permuted
secrets, work on the same features.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from privgate.data import Role
from privgate.errors import NotAssessable
from privgate.learners import MIN_ROWS, FeatureEncoder, fit_classifier, fit_regressor

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from privgate.data import Column, Table
    from privgate.learners import Attacker
    from privgate.metrics.inputs import Inputs


@dataclass(frozen=True)
class ClassGuesses:
    """Guesses of a categorical secret, per real table.

    ``probability`` is what the attacker gives to the true class (0 if the release has no such
    class), ``right`` whether the likeliest class is the true one.
    """

    probability: Mapping[str, NDArray[np.float64]]
    right: Mapping[str, NDArray[np.bool_]]


@dataclass(frozen=True)
class ClassTask:
    """A categorical secret to be learned from synthetic rows and guessed for real people.

    ``learned`` are class codes of the synthetic rows, ``truth`` those of the real tables; a missing
    value is a class of its own.
    """

    features: Mapping[str, NDArray[np.float64]]
    learned: NDArray[np.int64]
    truth: Mapping[str, NDArray[np.int64]]
    class_count: int

    def guesses(
        self,
        attacker: Attacker,
        *,
        seed: int,
        jobs: int = 1,
        order: NDArray[np.int64] | None = None,
    ) -> ClassGuesses:
        """Return an attacker's guesses; ``order`` permutes the secrets before they are learned."""
        predict = fit_classifier(
            attacker,
            self.features["synthetic"],
            self.learned if order is None else self.learned[order],
            class_count=self.class_count,
            seed=seed,
            jobs=jobs,
        )
        probability, right = {}, {}
        for name, truth in self.truth.items():
            guessed = predict(self.features[name])
            probability[name] = guessed[np.arange(len(guessed)), truth]
            right[name] = guessed.argmax(axis=1) == truth
        return ClassGuesses(probability, right)

    @property
    def of_unpublished_class(self) -> int:
        """Return the number of train rows whose class no synthetic row has."""
        return int((~np.isin(self.truth["train"], self.learned)).sum())


@dataclass(frozen=True)
class NumberTask:
    """A numeric secret to be learned from synthetic rows, rows without a value left out.

    ``attacked`` marks the rows of each real table that have a value; ``spread`` is the standard
    deviation in train.
    """

    features: Mapping[str, NDArray[np.float64]]
    learned: NDArray[np.float64]
    truth: Mapping[str, NDArray[np.float64]]
    attacked: Mapping[str, NDArray[np.bool_]]
    spread: float

    def guesses(
        self,
        attacker: Attacker,
        *,
        seed: int,
        jobs: int = 1,
        order: NDArray[np.int64] | None = None,
    ) -> dict[str, NDArray[np.float64]]:
        """Return an attacker's predictions per real table; ``order`` as for classes."""
        learned = self.learned if order is None else self.learned[order]
        predict = fit_regressor(attacker, self.features["synthetic"], learned, seed=seed, jobs=jobs)
        return {name: predict(self.features[name]) for name in self.truth}


def class_task(inputs: Inputs, column: Column) -> ClassTask:
    """Return the task of guessing a column with levels.

    Raises
    ------
    NotAssessable
        If the column has fewer than two classes in train or synthetic, or there are too few rows.
    """
    tables = inputs.release.tables
    classes = {name: _classes(table, column) for name, table in tables.items()}
    for name in ("train", "synthetic"):
        if len(np.unique(classes[name])) < 2:
            raise NotAssessable(
                f"the column has a single value in {name}, so nothing can be guessed"
            )
    encoder = _encoder(inputs, len(classes["synthetic"]))
    return ClassTask(
        features={name: encoder.matrix(table) for name, table in tables.items()},
        learned=classes.pop("synthetic"),
        truth=classes,
        class_count=len(column.levels) + 1,
    )


def number_task(inputs: Inputs, column: Column) -> NumberTask:
    """Return the task of guessing a numeric column.

    Raises
    ------
    NotAssessable
        If the column does not vary in train or synthetic, or there are too few rows.
    """
    tables = inputs.release.tables
    values = {
        name: np.asarray(table.values[column.name], np.float64) for name, table in tables.items()
    }
    known = {name: ~np.isnan(own) for name, own in values.items()}
    for name in ("train", "synthetic"):
        if len(np.unique(values[name][known[name]])) < 2:
            raise NotAssessable(f"the column does not vary in {name}, so nothing can be guessed")
    encoder = _encoder(inputs, int(known["synthetic"].sum()))
    asked = [name for name in tables if known[name].any()]
    shown = {name: values[name][known[name]] for name in asked}
    return NumberTask(
        features={name: encoder.matrix(tables[name])[known[name]] for name in asked},
        learned=shown.pop("synthetic"),
        truth=shown,
        attacked={name: known[name] for name in shown},
        spread=float(shown["train"].std()),
    )


def rows_with_unpublished_levels(inputs: Inputs) -> int:
    """Return the number of train rows with a quasi-identifier level that no synthetic row has."""
    train, synthetic = inputs.release.train, inputs.release.synthetic
    unseen = np.zeros(train.rows, np.bool_)
    for column in inputs.columns(Role.QUASI_IDENTIFIER):
        if column.type.has_levels:
            unseen |= ~np.isin(train.values[column.name], synthetic.values[column.name])
    return int(unseen.sum())


def _classes(table: Table, column: Column) -> NDArray[np.int64]:
    codes = table.values[column.name].astype(np.int64)
    return np.where(codes < 0, len(column.levels), codes)


def _encoder(inputs: Inputs, rows: int) -> FeatureEncoder:
    if rows < MIN_ROWS:
        raise NotAssessable(
            f"fewer than {MIN_ROWS} synthetic rows have a value, too few for an attacker to learn "
            "from"
        )
    return FeatureEncoder.fitted(inputs.columns(Role.QUASI_IDENTIFIER), inputs.release.synthetic)
