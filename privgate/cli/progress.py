"""How far a run is, on stderr: a bar on a terminal, elsewhere a line now and then."""

from __future__ import annotations

from time import monotonic
from typing import TYPE_CHECKING

from rich.progress import (
    BarColumn,
    Progress,
    ProgressColumn,
    SpinnerColumn,
    Task,
    TextColumn,
    TimeElapsedColumn,
)
from rich.table import Column
from rich.text import Text

from privgate.cli.console import messages, say

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from privgate.engine.progress import Pace

_QUIET = 30.0  # seconds between two lines about one stage
_WORTH_TELLING = 60.0  # seconds left


class PlainProgress:
    """Progress as plain lines, for a pipe or log; stages of one title share a line."""

    def __init__(self, doing: str, pace: Pace, *, clock: Callable[[], float] = monotonic) -> None:
        self._doing = doing
        self._pace = pace
        self._clock = clock
        self._stages = 0
        self._done = 0
        self._title = ""
        self._told = clock()

    def started(self, stages: int) -> None:
        """Remember how many stages there are."""
        self._stages, self._done, self._title = stages, 0, ""
        self._pace.started(stages)
        self._told = self._clock()

    def stage(self, title: str) -> None:
        """Write which stage begins."""
        self._done += 1
        self._pace.stage()
        if title != self._title or self._silent_for_long():
            self._tell(title)
        self._title = title

    def part(self, done: int, parts: int) -> None:
        """Write how far the stage is, if nothing was written for half a minute."""
        self._pace.part(done, parts)
        if self._silent_for_long():
            self._tell(f"{self._title}, part {done} of {parts}")

    def finished(self) -> None:
        """Say nothing: the verdict follows."""

    def _silent_for_long(self) -> bool:
        return self._clock() - self._told >= _QUIET

    def _tell(self, what: str) -> None:
        left = self._pace.left()
        rest = f" ({about(left)} left)" if left is not None and left >= _WORTH_TELLING else ""
        say(f"{self._doing} {self._done} of {self._stages}: {what}{rest}")
        self._told = self._clock()


class _Left(ProgressColumn):
    """The time that is left, counted anew at every look."""

    max_refresh = 0.5

    def __init__(self, pace: Pace) -> None:
        super().__init__(table_column=Column(no_wrap=True))
        self._pace = pace

    def render(self, task: Task) -> Text:
        """Return the text, empty while nothing tells."""
        del task
        left = self._pace.left()
        return Text("" if left is None else f"{about(left)} left".removeprefix("about "))


class LiveProgress:
    """Progress as a line that is redrawn, for a terminal."""

    def __init__(self, doing: str, pace: Pace) -> None:
        self._pace = pace
        self._bar = Progress(
            SpinnerColumn(),
            TextColumn(
                "{task.description}",
                markup=False,
                # What a narrow terminal has no room for is the end of a long title.
                table_column=Column(no_wrap=True, overflow="ellipsis", max_width=34),
            ),
            BarColumn(bar_width=14),
            TextColumn("{task.fields[stage]}", table_column=Column(no_wrap=True)),
            TimeElapsedColumn(table_column=Column(no_wrap=True)),
            _Left(pace),
            console=messages(),
            transient=True,
        )
        self._task = self._bar.add_task(doing, total=None, stage="")
        self._stages = 0
        self._stage = 0

    def started(self, stages: int) -> None:
        """Show the bar."""
        self._pace.started(stages)
        self._stages, self._stage = stages, 0
        self._bar.update(self._task, total=stages, completed=0)
        self._bar.start()

    def stage(self, title: str) -> None:
        """Show which stage begins."""
        self._pace.stage()
        self._stage += 1
        self._show(0.0, description=title)

    def part(self, done: int, parts: int) -> None:
        """Show how far the computation under way is."""
        self._pace.part(done, parts)
        self._show(done / parts)

    def finished(self) -> None:
        """Take the bar away."""
        self._bar.stop()

    def _show(self, part: float, description: str | None = None) -> None:
        """Draw the stage that is under way; a finished computation need not end its stage."""
        self._bar.update(
            self._task,
            description=description,
            completed=self._stage - 1 + min(part, 0.95),
            stage=f"{self._stage}/{self._stages}",
        )


def about(seconds: float) -> str:
    """Return a duration as people say it, no more exact than it is known.

    Examples
    --------
    >>> about(42), about(100), about(4000), about(90000)
    ('about 40 seconds', 'about 2 minutes', 'about 1.1 hours', 'about 25 hours')
    """
    for unit, length in (("hour", 3600.0), ("minute", 60.0)):
        number = seconds / length
        if number >= 1:
            shown = f"{number:.1f}" if unit == "hour" and number < 10 else f"{number:.0f}"
            shown = shown.removesuffix(".0")
            return f"about {shown} {unit}{'' if shown == '1' else 's'}"
    return f"about {max(1, round(seconds / 10)) * 10} seconds"


def progress(
    doing: str = "measuring", expected: Sequence[float] = ()
) -> PlainProgress | LiveProgress:
    """Return the progress display that fits where stderr goes.

    ``doing`` is what the stages do, ``expected`` how many seconds each is likely to take.
    """
    from privgate.engine.progress import Pace

    pace = Pace(expected)
    return LiveProgress(doing, pace) if messages().is_terminal else PlainProgress(doing, pace)
