"""A release from command-line flags, types guessed and said to be guessed."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from privgate.data import Role, release_from_tables
from privgate.data.explanations import did_you_mean
from privgate.data.guess import guess_declarations
from privgate.data.load import read_tables
from privgate.errors import InputError, Problem

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from privgate.data import Release
    from privgate.data.schema import ColumnDeclaration
    from privgate.evidence import TableName

GUESSED = (
    "Column types were guessed from the cells, roles taken from the command line; a release file "
    "states them for good."
)


def release_from_flags(
    *,
    train: Path,
    synthetic: Path,
    holdout: Path | None,
    quasi: Sequence[str],
    sensitive: Sequence[str],
) -> Release:
    """Return the release that tables and role lists make; the guesses are noted in the evidence.

    Raises
    ------
    InputError
        If a table cannot be used, or a named column does not exist or is named twice.
    """
    paths: dict[TableName, Path] = {"train": train, "synthetic": synthetic}
    if holdout is not None:
        paths["holdout"] = holdout
    guesses = guess_declarations(read_tables(paths))
    roles = _roles(quasi, sensitive, list(guesses))
    columns: Mapping[str, ColumnDeclaration] = {
        name: guess.declaration.model_copy(
            update={"role": roles.get(name, _kept(guess.declaration.role))}
        )
        for name, guess in guesses.items()
    }
    release = release_from_tables(
        train=train,
        synthetic=synthetic,
        holdout=holdout,
        columns=columns,
        name=synthetic.name.split(".")[0],
    )
    facts = release.facts.model_copy(update={"notes": (*release.facts.notes, GUESSED)})
    return replace(release, facts=facts)


def _kept(guessed: Role) -> Role:
    """Leave out guessed identifiers, but never let a guess make a column known or secret."""
    return guessed if guessed is Role.IDENTIFIER else Role.OTHER


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
