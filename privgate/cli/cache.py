"""``privgate cache``: finished measurements of runs that were interrupted."""

from __future__ import annotations

import os
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from privgate.cli.console import emit, say
from privgate.errors import InputError, Problem

if TYPE_CHECKING:
    from collections.abc import Iterator

    from privgate.engine.cache import Cache

app = typer.Typer(
    no_args_is_help=True,
    help="Finished measurements of runs that were interrupted.",
)
CacheFolder = Annotated[
    Path | None,
    typer.Option(
        "--cache",
        metavar="DIR",
        help="Where finished measurements are kept until the run is done; by default in the user's "
        "cache folder.",
    ),
]
NoCache = Annotated[
    bool, typer.Option("--no-cache", help="Keep no finished measurement and take none up.")
]


@app.command("show")
def show(folder: CacheFolder = None) -> None:
    """Tell where finished measurements lie, how many there are, and how large they are."""
    emit(described(folder))


@app.command("clear")
def clear(folder: CacheFolder = None) -> None:
    """Remove what interrupted runs have left; what they finished has to be measured again."""
    from privgate.engine.cache import Cache

    place = folder or default_folder()
    runs = Cache(place).clear()
    emit(f"removed what {runs} interrupted run{'' if runs == 1 else 's'} had left in {place}")


def described(folder: Path | None = None) -> str:
    """Return where finished measurements lie and how many there are."""
    from privgate.engine.cache import Cache

    place = folder or default_folder()
    count, size = Cache(place).size
    return f"finished measurements of interrupted runs: {count} ({size / 2**20:.1f} MiB) in {place}"


def default_folder() -> Path:
    """Return PRIVGATE_CACHE if it is set, else the place for such files on this system."""
    from platformdirs import user_cache_path

    given = os.environ.get("PRIVGATE_CACHE")
    return Path(given) if given else user_cache_path("privgate", appauthor=False) / "finished"


def wanted_cache(folder: Path | None, *, unwanted: bool) -> Cache | None:
    """Return where a command keeps finished measurements, or ``None`` if it is not to.

    Raises
    ------
    InputError
        If a folder is named and none is wanted.
    """
    from privgate.engine.cache import Cache

    if unwanted and folder is not None:
        message = "--cache names a folder and --no-cache wants none"
        raise InputError(Problem(message, remedy="give one of the two"))
    return None if unwanted else Cache(folder or default_folder(), say)


@contextmanager
def kept_until_done(cache: Cache | None) -> Iterator[None]:
    """Remove what a run has kept once it is done; where it is stopped, say what is kept."""
    try:
        yield
    except BaseException:
        if cache is not None and cache.kept:
            say(
                f"finished measurements are kept ({cache.kept}): the same command goes on from "
                "them; `privgate cache clear` removes them"
            )
        raise
    if cache is not None:
        cache.forget()
