"""What people see: messages and progress on stderr, results on stdout."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from rich.console import Console
from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

if TYPE_CHECKING:
    from privgate.errors import PrivgateError


def messages() -> Console:
    """Return the console for people; NO_COLOR is honoured."""
    return Console(stderr=True, highlight=False, soft_wrap=True)


def results() -> Console:
    """Return the console for results."""
    return Console(highlight=False, soft_wrap=True)


def say(text: str) -> None:
    """Write a message for people, exactly as it is."""
    messages().print(text, markup=False)


def complain(error: PrivgateError) -> None:
    """Write every problem of an error, one a line."""
    console = messages()
    for problem in error.problems:
        console.print("error:", style="bold red", end=" ")
        console.print(str(problem), markup=False)


def emit(text: str) -> None:
    """Write a result for programs or people, exactly as it is."""
    sys.stdout.write(text if text.endswith("\n") else f"{text}\n")


class PlainProgress:
    """Progress as plain lines, for a pipe or log."""

    def __init__(self) -> None:
        self._stages = 0
        self._done = 0

    def started(self, stages: int) -> None:
        """Remember how many stages there are."""
        self._stages, self._done = stages, 0

    def stage(self, title: str) -> None:
        """Write which stage begins."""
        self._done += 1
        say(f"measuring {self._done} of {self._stages}: {title}")

    def finished(self) -> None:
        """Say nothing: the verdict follows."""


class LiveProgress:
    """Progress as a line that is redrawn, for a terminal."""

    def __init__(self) -> None:
        self._bar = Progress(
            SpinnerColumn(),
            TextColumn("{task.description}", markup=False),
            BarColumn(bar_width=24),
            TextColumn("{task.completed}/{task.total}"),
            TimeElapsedColumn(),
            console=messages(),
            transient=True,
        )
        self._task = self._bar.add_task("measuring", total=None)
        self._begun = False

    def started(self, stages: int) -> None:
        """Show the bar."""
        self._bar.update(self._task, total=stages, completed=0)
        self._bar.start()

    def stage(self, title: str) -> None:
        """Show which stage begins."""
        self._bar.update(self._task, description=title, advance=int(self._begun))
        self._begun = True

    def finished(self) -> None:
        """Take the bar away."""
        self._bar.stop()


def progress() -> PlainProgress | LiveProgress:
    """Return the progress display that fits where stderr goes."""
    return LiveProgress() if messages().is_terminal else PlainProgress()
