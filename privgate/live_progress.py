"""How far a run is, as a line that is redrawn on a terminal or below a notebook's cell."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.progress import (
    BarColumn,
    Progress,
    SpinnerColumn,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

if TYPE_CHECKING:
    from rich.console import Console


class LiveProgress:
    """Progress on a console that can redraw a line; ``doing`` is what the stages do."""

    def __init__(self, doing: str, console: Console) -> None:
        self._bar = Progress(
            SpinnerColumn(),
            TextColumn("{task.description}", markup=False),
            BarColumn(bar_width=24),
            TextColumn("{task.completed}/{task.total}"),
            TimeElapsedColumn(),
            TextColumn("left"),
            TimeRemainingColumn(),
            console=console,
            transient=True,
        )
        self._task = self._bar.add_task(doing, total=None)
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
