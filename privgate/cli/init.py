"""``privgate init``: write a release file to be reviewed."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from privgate.cli.console import say
from privgate.errors import InputError, Problem

if TYPE_CHECKING:
    from collections.abc import Mapping

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

    Types are guessed from the cells and roles from the names, or the distance of arrays from their
    numbers, and marked as guesses.
    """
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
    text = _release_file(paths, out.parent or Path(), name=synthetic.name.split(".")[0])
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
    asked = "the roles" if "\ncolumns:" in text else "the distance"
    say(f"wrote {out}: review every line marked as a guess, above all {asked}")


def _release_file(paths: Mapping[TableName, Path], folder: Path, *, name: str) -> str:
    from privgate.cli.flags import all_arrays
    from privgate.data import Distance, guess_declarations, read_arrays, read_tables
    from privgate.data.guess import render_array_release_file, render_release_file

    written = {
        table: Path(os.path.relpath(path, folder)).as_posix() for table, path in paths.items()
    }
    if all_arrays(paths):
        arrays = read_arrays(paths, Distance.EUCLIDEAN)
        return render_array_release_file(arrays, paths=written, name=name)
    return render_release_file(guess_declarations(read_tables(paths)), paths=written, name=name)
