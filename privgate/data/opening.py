"""Files opened to be read, and plain words about those that cannot be."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from privgate.data.explanations import nearby
from privgate.errors import InputError, Problem

if TYPE_CHECKING:
    from collections.abc import Iterator
    from io import BufferedReader
    from pathlib import Path


def refused(path: Path, message: str, remedy: str | None = None) -> InputError:
    """Return an error about a file."""
    return InputError(Problem(message, file=str(path), remedy=remedy))


@contextmanager
def opened(path: Path, *, place: Path | None = None) -> Iterator[BufferedReader]:
    """Open a file to read its bytes; ``place`` is where it is, if ``path`` is only how it is named.

    Raises
    ------
    InputError
        If the file cannot be read.
    """
    place = place or path
    try:
        with place.open("rb") as file:
            yield file
    except FileNotFoundError:
        raise refused(path, "there is no such file", nearby(path)) from None
    except IsADirectoryError:
        raise refused(path, "this is a folder", "name a file") from None
    except OSError as cause:
        if place.is_dir():  # Windows denies the permission to read a folder
            raise refused(path, "this is a folder", "name a file") from None
        raise refused(path, f"the file cannot be read ({cause.strerror})") from None
