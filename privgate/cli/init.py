"""``privgate init``: write a release file to be reviewed."""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated

import typer

from privgate.cli.asking import MODELS, ROLES, Asker, ask_model, ask_roles, is_terminal
from privgate.cli.console import say
from privgate.errors import InputError, Problem

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from privgate.data.guess import Guess
    from privgate.data.schema import TableSource
    from privgate.evidence import TableName
    from privgate.policy.proposal import Proposal


@dataclass(frozen=True)
class _Written:
    """A release file's text, with the policy to begin with and what to be told."""

    text: str
    proposal: Proposal
    warnings: tuple[str, ...] = ()
    to_review: str = "the roles"
    recipients_known: bool = True


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    # What is left over is told in `init`, with the remedy.
    app.command("init", context_settings={"allow_extra_args": True})(init)


def init(
    context: typer.Context,
    train: Annotated[Path, typer.Argument(metavar="TRAIN", help="Train table.")],
    synthetic: Annotated[Path, typer.Argument(metavar="SYNTHETIC", help="Synthetic table.")],
    holdout: Annotated[Path | None, typer.Option(help="Holdout table.")] = None,
    out: Annotated[Path, typer.Option(help="File to write.")] = Path("release.yaml"),
    role: Annotated[
        list[str] | None,
        typer.Option(metavar="COLUMN=ROLE", help="Role of a column; may be repeated."),
    ] = None,
    quasi: Annotated[str, typer.Option(help="Quasi-identifiers, separated by commas.")] = "",
    sensitive: Annotated[str, typer.Option(help="Sensitive columns, separated by commas.")] = "",
    recipients: Annotated[
        str, typer.Option(help="Who is to receive the release: public, controlled or internal.")
    ] = "",
    yes: Annotated[
        bool, typer.Option("--yes", "-y", help="Ask nothing; take the guesses as they are.")
    ] = False,
) -> None:
    """Write a release file to be reviewed, and propose a policy.

    Types are guessed from the cells and roles from names and cells, or the distance of arrays from
    their numbers, and marked as guesses. At a terminal the role of each column is asked for.
    """
    if context.args:
        message = "only the train and the synthetic table go without a name"
        remedy = "give that of people whom the generator never saw as --holdout FILE"
        raise InputError(Problem(message, remedy=remedy))
    if out.exists():
        raise InputError(
            Problem(
                "the file exists and may hold reviewed roles",
                file=str(out),
                remedy="move it away or give --out another name",
            )
        )
    if recipients and recipients not in MODELS:
        problem = f"there is no {recipients!r}"
        raise InputError(
            Problem(problem, path="--recipients", remedy=f"one of {', '.join(MODELS)}")
        )
    paths: dict[TableName, Path] = {"train": train, "synthetic": synthetic}
    if holdout is not None:
        paths = {"train": train, "holdout": holdout, "synthetic": synthetic}
    stated = _stated(role or [], quasi, sensitive)
    asker = Asker() if is_terminal() and not yes else None
    made = _release_file(paths, out, stated=stated, recipients=recipients, asker=asker)
    _write(made.text, out)
    _tell(made, out)


def _stated(role: Sequence[str], quasi: str, sensitive: str) -> dict[str, str]:
    """Return the roles that flags state, each column once."""
    entries = [*_entries(role), *_named(quasi, "quasi_identifier"), *_named(sensitive, "sensitive")]
    found: dict[str, str] = {}
    for column, name in entries:
        if found.setdefault(column, name) != name:
            problem = f"the column {column!r} is given two roles: {found[column]} and {name}"
            raise InputError(Problem(problem, remedy="give it one"))
    return found


def _entries(role: Sequence[str]) -> Iterator[tuple[str, str]]:
    for entry in role:
        column, _, name = entry.rpartition("=")
        if not column or name not in ROLES:
            remedy = f"write COLUMN=ROLE with one of {', '.join(ROLES)}"
            raise InputError(Problem(f"{entry!r} states no role", path="--role", remedy=remedy))
        yield column, name


def _named(columns: str, role: str) -> Iterator[tuple[str, str]]:
    for column in columns.split(","):
        if column.strip():
            yield column.strip(), role


def _release_file(
    paths: Mapping[TableName, Path],
    out: Path,
    *,
    stated: Mapping[str, str],
    recipients: str,
    asker: Asker | None,
) -> _Written:
    from privgate.cli.flags import all_arrays

    folder = out.parent or Path()
    written = {table: Path(os.path.relpath(it, folder)).as_posix() for table, it in paths.items()}
    if all_arrays(paths):
        _require_columns(stated, {})
        return _of_arrays(paths, written, recipients or (ask_model(asker) if asker else ""))
    return _of_tables(
        _guessed_sources(paths), written, stated=stated, recipients=recipients, asker=asker
    )


def _guessed_sources(paths: Mapping[TableName, Path]) -> dict[TableName, TableSource]:
    """Return how each table is written, as a guess, and tell what is unusual."""
    from privgate.data.assembly import all_or_problems
    from privgate.data.dialect import guess_source, stated_marks

    found = all_or_problems({table: partial(guess_source, it) for table, it in paths.items()})
    for source in found.values():
        marks = ", ".join(f"{name} {it!r}" for name, it in stated_marks(source).items())
        if marks:
            say(f"{source.path}: read with {marks}, which is a guess")
    return found


def _of_arrays(
    paths: Mapping[TableName, Path], written: Mapping[TableName, str], model: str
) -> _Written:
    from privgate.data import Distance, read_arrays
    from privgate.data.guess import render_array_release_file
    from privgate.data.matrices import is_binary
    from privgate.policy.proposal import ReleaseModel, propose

    arrays = read_arrays(paths, Distance.EUCLIDEAN)
    text = render_array_release_file(
        arrays, paths=written, name=_name(str(paths["synthetic"])), context=_context(model)
    )
    proposal = propose(
        {table: len(array.matrix) for table, array in arrays.items()},
        model=ReleaseModel(model or "public"),
        binary=all(is_binary(array.matrix) for array in arrays.values()),
    )
    return _Written(text, proposal, (), "the distance", bool(model))


def _of_tables(
    sources: Mapping[TableName, TableSource],
    written: Mapping[TableName, str],
    *,
    stated: Mapping[str, str],
    recipients: str,
    asker: Asker | None,
) -> _Written:
    from privgate.data import guess_declarations, read_tables
    from privgate.data.guess import render_release_file
    from privgate.policy.proposal import ReleaseModel, propose

    tables = read_tables(sources)
    guesses = guess_declarations(tables)
    _require_columns(stated, guesses)
    declared = _with_roles(guesses, ask_roles(guesses, stated, asker) if asker else stated)
    model = recipients or (ask_model(asker) if asker else "")
    text = render_release_file(
        declared,
        sources={it: sources[it].model_copy(update={"path": path}) for it, path in written.items()},
        name=_name(sources["synthetic"].path),
        context=_context(model),
    )
    proposal = propose(
        {table: raw.rows for table, raw in tables.items()},
        model=ReleaseModel(model or "public"),
        roles={guess.declaration.role.value for guess in declared.values()},
    )
    warnings = () if asker else tuple(_warnings(declared))
    return _Written(text, proposal, warnings, recipients_known=bool(model))


def _name(synthetic: str) -> str:
    return Path(synthetic).name.split(".")[0]


def _context(model: str) -> dict[str, str]:
    return {"release_model": model} if model else {}


def _require_columns(stated: Mapping[str, str], known: Mapping[str, object]) -> None:
    from privgate.data.explanations import did_you_mean

    problems = [
        Problem(f"no table has a column {column!r}", remedy=did_you_mean(column, known))
        for column in stated
        if column not in known
    ]
    if problems:
        raise InputError(problems)


def _with_roles(guesses: Mapping[str, Guess], roles: Mapping[str, str]) -> dict[str, Guess]:
    from privgate.data import Role

    return {
        column: guess.with_role(Role(roles[column])) if column in roles else guess
        for column, guess in guesses.items()
    }


def _warnings(guesses: Mapping[str, Guess]) -> Iterator[str]:
    for column, guess in guesses.items():
        for warning in guess.warnings:
            yield f"column {column!r}: {warning}"


def _write(text: str, out: Path) -> None:
    try:
        with TemporaryDirectory(dir=out.parent, prefix=".privgate-") as workshop:
            (Path(workshop) / out.name).write_text(text, encoding="utf-8")
            (Path(workshop) / out.name).rename(out)
    except OSError as cause:
        raise InputError(
            Problem(
                f"the file cannot be written ({cause.strerror})",
                file=str(out),
                remedy="give --out a file in a folder that exists and that you may write to",
            )
        ) from cause


def _tell(made: _Written, out: Path) -> None:
    for warning in made.warnings:
        say(f"warning: {warning}")
    say(f"wrote {out}: review every line marked as a guess, above all {made.to_review}")
    say(f"policy to begin with: {made.proposal.policy} ({made.proposal.title})")
    if not made.recipients_known:
        say("  for a release that anybody may have; --recipients says if it is for fewer")
    if made.proposal.lacking:
        say("it also asks for the following; until then nothing better than 'not assessed' comes:")
        for lack in made.proposal.lacking:
            say(f"  {lack}")
    say(f"next: privgate check {out} --policy {made.proposal.policy}")
