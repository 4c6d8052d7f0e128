"""How far a run is, as a line that is redrawn on a terminal or below a notebook's cell."""

from __future__ import annotations

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

if TYPE_CHECKING:
    from rich.console import Console

    from privgate.engine.progress import Pace


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
    """Progress on a console that can redraw a line; ``doing`` is what the stages do."""

    def __init__(self, doing: str, pace: Pace, console: Console) -> None:
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
            console=console,
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
