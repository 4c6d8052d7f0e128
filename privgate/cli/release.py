"""``privgate release``: what a release file may say."""

from __future__ import annotations

import json

import typer

from privgate.cli.console import emit

app = typer.Typer(no_args_is_help=True, help="Release files.")


@app.callback()
def _release() -> None:
    pass


@app.command("schema")
def schema() -> None:
    """Print the JSON Schema of a release file, for editors."""
    from privgate.data import release_schema

    emit(json.dumps(release_schema(), indent=2, ensure_ascii=False))
