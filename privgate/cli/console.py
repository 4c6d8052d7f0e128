"""What people see: messages and progress on stderr, results on stdout."""

from __future__ import annotations

import io
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from rich.console import Console
from rich.table import Table
from rich.text import Text

from privgate.errors import InputError, Problem

if TYPE_CHECKING:
    from collections.abc import Sequence

    from privgate.errors import PrivgateError


def prepare_streams() -> None:
    """Let every character be written: as UTF-8 into pipes and files, as it can on a terminal.

    What is written to a stream that was closed before the start goes nowhere.
    """
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            nowhere = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115 - for the whole run
            setattr(sys, name, nowhere)
    for stream in (sys.stdout, sys.stderr):
        if not isinstance(stream, io.TextIOWrapper):
            continue
        if stream.isatty():
            stream.reconfigure(errors="backslashreplace")
        else:
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")


def messages() -> Console:
    """Return the console for people; NO_COLOR is honoured."""
    return Console(stderr=True, highlight=False, emoji=False)


def results() -> Console:
    """Return the console for results."""
    return Console(highlight=False, emoji=False)


def say(text: str) -> None:
    """Write a message for people; control characters, which names may hold, are shown escaped."""
    _write(sys.stderr, "".join(map(_visible, text)))


def complain(error: PrivgateError) -> None:
    """Write every problem of an error, one a line."""
    console = messages()
    for problem in error.problems:
        if console.is_terminal:
            console.print("error:", style="bold red", end=" ")
            say(str(problem))
        else:
            say(f"error: {problem}")


def emit(text: str) -> None:
    """Write a result for programs or people, exactly as it is."""
    _write(sys.stdout, text)


def emit_table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Write a table: fitted to a terminal, elsewhere one line a row however long."""
    console = results()
    if console.is_terminal:
        table = Table(*header, box=None, pad_edge=False)
        for row in rows:
            table.add_row(*map(Text, row))
        console.print(table)
        return
    widths = [max(map(len, column)) for column in zip(header, *rows, strict=True)]
    for row in (header, *rows):
        cells = (cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        emit("  ".join(cells).rstrip())


def _visible(sign: str) -> str:
    return sign if sign.isprintable() or sign == "\n" else repr(sign)[1:-1]


def _write(stream: TextIO, text: str) -> None:
    """Write and flush; a reader that has gone away, such as ``head``, does not stop the work.

    Raises
    ------
    InputError
        If results cannot be written for another reason.
    """
    try:
        stream.write(text if text.endswith("\n") else f"{text}\n")
        stream.flush()
    except OSError as cause:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())  # what is still in the buffer must go somewhere
        os.close(nowhere)
        if stream is sys.stdout and not isinstance(cause, BrokenPipeError):
            message = f"the standard output cannot be written ({cause.strerror})"
            raise InputError(
                Problem(message, remedy="free some space, or send it elsewhere")
            ) from None
