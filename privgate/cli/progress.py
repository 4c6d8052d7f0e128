"""How far a run is, on stderr: a bar on a terminal, elsewhere a line now and then."""

from __future__ import annotations

from time import monotonic
from typing import TYPE_CHECKING

from privgate.cli.console import messages, say
from privgate.live_progress import LiveProgress, about

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


def progress(
    doing: str = "measuring", expected: Sequence[float] = ()
) -> PlainProgress | LiveProgress:
    """Return the progress display that fits where stderr goes.

    ``doing`` is what the stages do, ``expected`` how many seconds each is likely to take.
    """
    from privgate.engine.progress import Pace

    pace = Pace(expected)
    console = messages()
    return LiveProgress(doing, pace, console) if console.is_terminal else PlainProgress(doing, pace)
