"""The release of a command: from its file, or from flags, with guesses said to be guesses."""

from __future__ import annotations

from typing import TYPE_CHECKING

from privgate.data import (
    Distance,
    Role,
    load_release,
    release_from_array_files,
    release_from_tables,
)
from privgate.data.array_files import is_array_file
from privgate.data.arrays import ARRAY_DISTANCES
from privgate.data.explanations import did_you_mean
from privgate.data.facts import marked_as_guessed
from privgate.data.guess import guess_declarations, unreviewed
from privgate.data.load import read_tables
from privgate.errors import InputError, Problem
from privgate.executors import SERIAL

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from privgate.data import Release
    from privgate.data.schema import ColumnDeclaration
    from privgate.evidence import TableName
    from privgate.executors import Executor

GUESSED = (
    "Column types were guessed from the cells, roles taken from the command line; a release file "
    "states them for good."
)


def release_given(
    release_file: Path | None,
    train: Path | None,
    holdout: Path | None,
    synthetic: Path | None,
    quasi: str,
    sensitive: str,
    distance: str,
    *,
    executor: Executor,
) -> Release:
    """Return the release that a command names: by its file, or by tables and options.

    Raises
    ------
    InputError
        If both are given or neither, or the release cannot be used.
    """
    flags = [train, holdout, synthetic, quasi, sensitive, distance]
    if release_file is not None:
        if any(flags):
            raise InputError(
                Problem(
                    "a release file and table options were both given",
                    remedy="give either RELEASE.yaml, or --train, --synthetic and so on",
                )
            )
        return load_release(release_file, executor=executor)
    if train is None or synthetic is None:
        raise InputError(
            Problem(
                "there is nothing to check",
                remedy="give a release file, or at least --train and --synthetic",
            )
        )
    return release_from_flags(
        train=train,
        holdout=holdout,
        synthetic=synthetic,
        quasi=[name.strip() for name in quasi.split(",") if name.strip()],
        sensitive=[name.strip() for name in sensitive.split(",") if name.strip()],
        distance=distance,
        executor=executor,
    )


def release_from_flags(
    *,
    train: Path,
    synthetic: Path,
    holdout: Path | None,
    quasi: Sequence[str],
    sensitive: Sequence[str],
    distance: str = "",
    executor: Executor = SERIAL,
) -> Release:
    """Return the release that tables and role lists make, or arrays and their distance.

    What is guessed of tables is noted in the evidence.

    Raises
    ------
    InputError
        If a table or array cannot be used, or the other options do not fit them.
    """
    paths: dict[TableName, Path] = {"train": train, "synthetic": synthetic}
    if holdout is not None:
        paths["holdout"] = holdout
    name = synthetic.name.split(".")[0]
    if all_arrays(paths):
        wanted = _array_distance(distance, named=[*quasi, *sensitive])
        return release_from_array_files(paths, distance=wanted, name=name)
    if distance:
        message = "tables are compared by their columns, so they take no distance"
        raise InputError(Problem(message, path="--distance", remedy="leave it out"))
    guesses = guess_declarations(read_tables(paths, executor), executor)
    roles = _roles(quasi, sensitive, list(guesses))
    columns: Mapping[str, ColumnDeclaration] = {
        column: unreviewed(guess, roles.get(column)) for column, guess in guesses.items()
    }
    release = release_from_tables(
        train=train,
        synthetic=synthetic,
        holdout=holdout,
        columns=columns,
        name=name,
        executor=executor,
    )
    return marked_as_guessed(release, GUESSED)


def all_arrays(paths: Mapping[TableName, Path]) -> bool:
    """Return whether files are arrays.

    Raises
    ------
    InputError
        If some are arrays and others tables.
    """
    arrays = {table: is_array_file(path) for table, path in paths.items()}
    if any(arrays.values()) and not all(arrays.values()):
        raise InputError(
            Problem(
                "this is a table, others of the release are arrays",
                file=str(paths[table]),
                remedy="give arrays only, or tables only",
            )
            for table, array in arrays.items()
            if not array
        )
    return all(arrays.values())


def _array_distance(asked: str, *, named: Sequence[str]) -> Distance:
    known = [distance.value for distance in ARRAY_DISTANCES]
    problems = []
    if named:
        message = "arrays have no columns, so no roles"
        problems.append(Problem(message, path="--quasi, --sensitive", remedy="leave them out"))
    if not asked:
        remedy = f"add --distance with one of {', '.join(known)}"
        problems.append(Problem("arrays need a distance", path="--distance", remedy=remedy))
    elif asked not in known:
        message = f"{asked!r} is not a distance of arrays"
        problems.append(Problem(message, path="--distance", remedy=did_you_mean(asked, known)))
    if problems:
        raise InputError(problems)
    return Distance(asked)


def _roles(quasi: Sequence[str], sensitive: Sequence[str], known: list[str]) -> dict[str, Role]:
    problems = [
        Problem(
            f"there is no column {name!r}", path=option, remedy=did_you_mean(name, known) or None
        )
        for option, names in (("--quasi", quasi), ("--sensitive", sensitive))
        for name in names
        if name not in known
    ]
    problems += [
        Problem(f"the column {name!r} is named as both quasi-identifier and sensitive")
        for name in quasi
        if name in sensitive
    ]
    if problems:
        raise InputError(problems)
    return dict.fromkeys(quasi, Role.QUASI_IDENTIFIER) | dict.fromkeys(sensitive, Role.SENSITIVE)
