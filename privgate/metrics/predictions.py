"""What an attacker trained on the release guesses about real people."""

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

    ``truth`` are class codes (a missing value is a class of its own), ``probability`` what the
    attacker gives to the true class (0 if the release has no such class), ``right`` whether the
    likeliest class is the true one, ``shares`` the share of each class in train.
    """

    truth: Mapping[str, NDArray[np.int64]]
    probability: Mapping[str, NDArray[np.float64]]
    right: Mapping[str, NDArray[np.bool_]]
    shares: NDArray[np.float64]


@dataclass(frozen=True)
class NumberGuesses:
    """Guesses of a numeric secret, per real table, people without a value left out.

    ``spread`` is the standard deviation in train, ``left_out`` the number of train rows without a
    value.
    """

    truth: Mapping[str, NDArray[np.float64]]
    predicted: Mapping[str, NDArray[np.float64]]
    spread: float
    left_out: int


def guess_classes(inputs: Inputs, column: Column, attacker: Attacker, seed: int) -> ClassGuesses:
    """Return an attacker's guesses of a column with levels for train and holdout.

    Raises
    ------
    NotAssessable
        If the column has fewer than two classes in train or synthetic, or there are too few rows.
    """
    release = inputs.release
    classes = {name: _classes(table, column) for name, table in release.tables.items()}
    for name in ("train", "synthetic"):
        if len(np.unique(classes[name])) < 2:
            raise NotAssessable(
                f"the column has a single value in {name}, so nothing can be guessed"
            )
    count = len(column.levels) + 1
    encoder = _encoder(inputs, len(classes["synthetic"]))
    predict = fit_classifier(
        attacker,
        encoder.matrix(release.synthetic),
        classes["synthetic"],
        class_count=count,
        seed=seed,
        jobs=inputs.jobs,
    )
    truth, probability, right = {}, {}, {}
    for name, table in _real(inputs).items():
        guessed = predict(encoder.matrix(table))
        truth[name] = classes[name]
        probability[name] = guessed[np.arange(len(guessed)), classes[name]]
        right[name] = guessed.argmax(axis=1) == classes[name]
    shares = np.bincount(classes["train"], minlength=count) / len(classes["train"])
    return ClassGuesses(truth, probability, right, shares)


def guess_numbers(inputs: Inputs, column: Column, attacker: Attacker, seed: int) -> NumberGuesses:
    """Return an attacker's guesses of a numeric column for train and holdout.

    Raises
    ------
    NotAssessable
        If the column does not vary in train or synthetic, or there are too few rows.
    """
    release = inputs.release
    values = {
        name: np.asarray(table.values[column.name], np.float64)
        for name, table in release.tables.items()
    }
    known = {name: ~np.isnan(column_values) for name, column_values in values.items()}
    for name in ("train", "synthetic"):
        if len(np.unique(values[name][known[name]])) < 2:
            raise NotAssessable(f"the column does not vary in {name}, so nothing can be guessed")
    encoder = _encoder(inputs, int(known["synthetic"].sum()))
    predict = fit_regressor(
        attacker,
        encoder.matrix(release.synthetic)[known["synthetic"]],
        values["synthetic"][known["synthetic"]],
        seed=seed,
        jobs=inputs.jobs,
    )
    real = {name: table for name, table in _real(inputs).items() if known[name].any()}
    return NumberGuesses(
        truth={name: values[name][known[name]] for name in real},
        predicted={
            name: predict(encoder.matrix(table)[known[name]]) for name, table in real.items()
        },
        spread=float(values["train"][known["train"]].std()),
        left_out=int((~known["train"]).sum()),
    )


def _classes(table: Table, column: Column) -> NDArray[np.int64]:
    codes = table.values[column.name].astype(np.int64)
    return np.where(codes < 0, len(column.levels), codes)


def _encoder(inputs: Inputs, rows: int) -> FeatureEncoder:
    if rows < MIN_ROWS:
        raise NotAssessable(
            f"{rows} synthetic rows with a value are too few for an attacker to learn from, "
            f"{MIN_ROWS} are needed"
        )
    return FeatureEncoder.fitted(inputs.columns(Role.QUASI_IDENTIFIER), inputs.release.synthetic)


def _real(inputs: Inputs) -> dict[str, Table]:
    return {name: table for name, table in inputs.release.tables.items() if name != "synthetic"}
