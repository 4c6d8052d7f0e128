"""A release from what a notebook holds: data frames or arrays, and words for their columns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias, TypeGuard

import pandas as pd

from privgate.data import (
    ColumnDeclaration,
    Distance,
    Role,
    guess_declarations,
    release_from_arrays,
    release_from_frames,
)
from privgate.data.arrays import ARRAY_DISTANCES
from privgate.data.explanations import did_you_mean
from privgate.data.facts import marked_as_guessed
from privgate.data.frames import raw_from_frame
from privgate.data.guess import unreviewed
from privgate.errors import InputError, Problem

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from numpy.typing import ArrayLike

    from privgate.data import Release
    from privgate.evidence import TableName

Columns: TypeAlias = "Mapping[str, str | Role | ColumnDeclaration | Mapping[str, Any]]"
Declaration: TypeAlias = "ColumnDeclaration | Mapping[str, Any]"

GUESSED = (
    "Column types were guessed from the cells, roles taken from the call; a release file, or "
    "columns declared in full, state them for good."
)


def release_of(
    tables: Mapping[TableName, pd.DataFrame | ArrayLike],
    *,
    columns: Columns | None,
    distance: Distance | str | None,
    name: str,
    unit: str,
) -> Release:
    """Return the release that data frames make, or arrays and their distance.

    Raises
    ------
    InputError
        If they are neither all frames nor all arrays, or cannot be used.
    """
    frames = {n: table for n, table in tables.items() if isinstance(table, pd.DataFrame)}
    if len(frames) == len(tables):
        return _of_frames(frames, columns=columns, distance=distance, name=name, unit=unit)
    problems = [*_type_problems(tables), *_option_problems(columns, distance)]
    if problems or distance is None:
        raise InputError(problems)
    return release_from_arrays(
        train=tables["train"],
        synthetic=tables["synthetic"],
        holdout=tables.get("holdout"),
        distance=distance,
        name=name,
        unit=unit,
    )


def _of_frames(
    frames: Mapping[TableName, pd.DataFrame],
    *,
    columns: Columns | None,
    distance: Distance | str | None,
    name: str,
    unit: str,
) -> Release:
    if distance is not None:
        message = "tables are compared by their columns, so they take no distance"
        raise InputError(Problem(message, path="distance", remedy="leave it out"))
    release = release_from_frames(
        train=frames["train"],
        synthetic=frames["synthetic"],
        holdout=frames.get("holdout"),
        columns=columns if is_complete(columns) else declared_columns(frames, columns or {}),
        name=name,
        unit=unit,
    )
    return release if is_complete(columns) else marked_as_guessed(release, GUESSED)


def is_complete(columns: Columns | None) -> TypeGuard[Mapping[str, Declaration]]:
    """Return whether columns are declared as in a release file, no entry a mere role."""
    return bool(columns) and not any(isinstance(entry, str) for entry in (columns or {}).values())


def declared_columns(
    frames: Mapping[TableName, pd.DataFrame], columns: Columns
) -> dict[str, Declaration]:
    """Return a declaration for every column: the given one, or a given role and a guessed type.

    No guess makes a column known to attackers or secret; what looks like an identifier is left out.

    Raises
    ------
    InputError
        If a role is unknown or a column is not there.
    """
    guesses = guess_declarations({n: raw_from_frame(frame, n) for n, frame in frames.items()})
    problems = [*_role_problems(columns, list(guesses))]
    if problems:
        raise InputError(problems)
    declared: dict[str, Declaration] = {}
    for name, guess in guesses.items():
        entry = columns.get(name)
        if entry is not None and not isinstance(entry, str):
            declared[name] = entry
        else:
            declared[name] = unreviewed(guess, None if entry is None else Role(entry))
    return declared


def _role_problems(columns: Columns, known: list[str]) -> Iterator[Problem]:
    roles = [role.value for role in Role]
    for name, entry in columns.items():
        path = f"columns.{name}"
        if name not in known:
            message = f"there is no column {name!r}"
            yield Problem(message, path="columns", remedy=did_you_mean(str(name), known))
        elif isinstance(entry, str) and entry not in roles:
            yield Problem(f"{entry!r} is not a role", path=path, remedy=did_you_mean(entry, roles))


def _type_problems(tables: Mapping[TableName, object]) -> Iterator[Problem]:
    """Yield what is no array, beside which tables would be of the wrong kind, too."""
    for name, table in tables.items():
        kind = type(table).__name__
        if isinstance(table, pd.DataFrame):
            message = "this is a table, others of the release are not"
            yield Problem(message, path=name, remedy="give data frames only, or arrays only")
        elif hasattr(table, "to_pandas"):
            message = f"a {kind} is not a data frame of pandas"
            yield Problem(message, path=name, remedy="give what its to_pandas() returns")
        elif not hasattr(table, "__array__"):
            message = f"a {kind} is neither a data frame nor an array"
            remedy = "give a pandas.DataFrame or a numpy array; or the path of a release file alone"
            yield Problem(message, path=name, remedy=remedy)


def _option_problems(columns: Columns | None, distance: object) -> Iterator[Problem]:
    if columns:
        message = "arrays have no columns, so no roles"
        yield Problem(message, path="columns", remedy="leave them out")
    if distance is None:
        remedy = f"give one of {', '.join(choice.value for choice in ARRAY_DISTANCES)}"
        yield Problem("arrays need a distance", path="distance", remedy=remedy)
