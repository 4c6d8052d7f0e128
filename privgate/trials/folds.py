"""Folds of a table, and a synthesiser's answer to each, whatever is measured on them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from privgate.data import release_from_frames
from privgate.errors import InputError, Problem

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.random import Generator
    from numpy.typing import NDArray

    from privgate.data import ColumnDeclaration, Release

    Declarations = Mapping[str, ColumnDeclaration | Mapping[str, Any]]

Synthesizer = Callable[[pd.DataFrame, "Generator"], pd.DataFrame]


@dataclass(frozen=True)
class Fold:
    """One fold: what the synthesiser learns from, and the people it never sees.

    ``number`` counts from 1.
    """

    number: int
    rest: pd.DataFrame
    held_out: pd.DataFrame

    @property
    def name(self) -> str:
        """Return what messages call the fold."""
        return f"fold {self.number}"


def stratified_folds(
    data: pd.DataFrame, columns: Declarations, *, by: str, folds: int, rng: Generator
) -> tuple[Fold, ...]:
    """Return folds of about equal size in which the column ``by`` is spread alike.

    The order of the rows has no influence: they are brought into the canonical order of a release.

    Notes
    -----
    Rows are sorted by the column, equal ones at random, and each run of k neighbours is dealt to
    the k folds at random. So no class and no range of numbers is in one fold more than two rows
    oftener than in another.

    Raises
    ------
    InputError
        If the data cannot be read under the declarations, or there are not 2 to n folds.
    """
    if not 2 <= folds <= len(data):
        message = f"{folds} folds of {len(data)} rows cannot be made"
        raise InputError(Problem(message, path="folds", remedy="give 2 to the number of rows"))
    known = release_from_frames(train=data, synthetic=data, columns=columns).train
    dealt = _dealt(known.values[by].astype(np.float64), folds, rng)
    ordered = data.iloc[known.positions - 1].reset_index(drop=True)
    return tuple(
        Fold(
            place + 1,
            ordered[dealt != place].reset_index(drop=True),
            ordered[dealt == place].reset_index(drop=True),
        )
        for place in range(folds)
    )


def synthesised(
    synthesize: Synthesizer, fold: Fold, columns: Declarations, rng: Generator
) -> pd.DataFrame:
    """Return the synthetic table that a synthesiser makes from the rest of a fold.

    The synthesiser gets a copy, so it cannot change what is measured.

    Raises
    ------
    InputError
        If it raises an exception, or returns no table with rows and all declared columns.
    """
    try:
        made: object = synthesize(fold.rest.copy(), rng)
    except Exception as cause:
        # The exception's own text may quote a record; it stays with the cause.
        message = f"the synthesizer stopped with {type(cause).__name__}"
        raise _refused(fold, message, "call it on these rows alone to see why") from cause
    if not isinstance(made, pd.DataFrame):
        message = f"the synthesizer returned {type(made).__name__} and no data frame"
        raise _refused(fold, message, "return a pandas.DataFrame")
    absent = [repr(name) for name in columns if name not in made.columns and name in fold.rest]
    if absent:
        message = f"the synthetic table lacks {', '.join(absent)}"
        raise _refused(fold, message, "return every declared column of the given table")
    if made.empty:
        raise _refused(fold, "the synthetic table has no rows", "return at least one row")
    return made


def release_named(
    name: str,
    columns: Declarations,
    *,
    train: pd.DataFrame,
    holdout: pd.DataFrame | None,
    synthetic: pd.DataFrame,
    unit: str = "person",
) -> Release:
    """Return the release of one run of several.

    Raises
    ------
    InputError
        If a table cannot be used; the message names the run.
    """
    try:
        return release_from_frames(
            train=train,
            holdout=holdout,
            synthetic=synthetic,
            columns=columns,
            name=name,
            unit=unit,
        )
    except InputError as error:
        raise InputError(
            Problem(
                problem.message,
                file=name if problem.file is None else f"{name}, {problem.file}",
                path=problem.path,
                remedy=problem.remedy,
            )
            for problem in error.problems
        ) from error


def _refused(fold: Fold, message: str, remedy: str) -> InputError:
    return InputError(Problem(message, path=fold.name, remedy=remedy))


def _dealt(values: NDArray[np.float64], folds: int, rng: Generator) -> NDArray[np.int64]:
    """Return the fold of each row: every run of neighbours in value goes to all folds."""
    rows = len(values)
    runs = -(-rows // folds)
    dealt = rng.permuted(np.tile(np.arange(folds), (runs, 1)), axis=1).ravel()[:rows]
    found = np.empty(rows, np.int64)
    found[np.lexsort((rng.random(rows), values))] = dealt
    return found
