"""``privgate init``: write a release file to be reviewed."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from privgate.cli.console import say
from privgate.errors import InputError, Problem

if TYPE_CHECKING:
    from privgate.evidence import TableName


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command("init")(init)


def init(
    train: Annotated[Path, typer.Argument(metavar="TRAIN", help="Train table.")],
    synthetic: Annotated[Path, typer.Argument(metavar="SYNTHETIC", help="Synthetic table.")],
    holdout: Annotated[Path | None, typer.Option(help="Holdout table.")] = None,
    out: Annotated[Path, typer.Option(help="File to write.")] = Path("release.yaml"),
) -> None:
    """Write a release file to be reviewed.

    Types are guessed from the cells and roles from the names, and marked as guesses.
    """
    from privgate.data.guess import guess_declarations, render_release_file
    from privgate.data.load import read_tables

    if out.exists():
        raise InputError(
            Problem(
                "the file exists and may hold reviewed roles",
                file=str(out),
                remedy="move it away or give --out another name",
            )
        )
    paths: dict[TableName, Path] = {"train": train, "synthetic": synthetic}
    if holdout is not None:
        paths = {"train": train, "holdout": holdout, "synthetic": synthetic}
    guesses = guess_declarations(read_tables(paths))
    text = render_release_file(
        guesses,
        paths={
            table: Path(os.path.relpath(path, out.parent or ".")).as_posix()
            for table, path in paths.items()
        },
        name=synthetic.name.split(".")[0],
    )
    try:
        out.write_text(text, encoding="utf-8")
    except OSError as cause:
        raise InputError(
            Problem(
                f"the file cannot be written ({cause.strerror})",
                file=str(out),
                remedy="give --out a file in a folder that exists and that you may write to",
            )
        ) from cause
    say(f"wrote {out}: review every line marked as a guess, above all the roles")
