"""Where a run tells how far it is, and how long it may still take."""

from __future__ import annotations

from dataclasses import dataclass
from time import monotonic
from typing import TYPE_CHECKING, Protocol, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from privgate.executors import Executor

S = TypeVar("S")
P = TypeVar("P")
T = TypeVar("T")

_TAKEN_UP = 0.05  # a stage that took less than this share of what it should was not computed
_TRUST = 5.0  # seconds of measured work that weigh as much as what was foreseen


class Progress(Protocol):
    """Something that is told about the stages of a run."""

    def started(self, stages: int) -> None:
        """Tell that a run of so many stages begins."""

    def stage(self, title: str) -> None:
        """Tell that the next stage begins."""

    def part(self, done: int, parts: int) -> None:
        """Tell how many parts of the computation under way are done; a stage may have several."""

    def finished(self) -> None:
        """Tell that all stages are done."""


class Silent:
    """Says nothing."""

    def started(self, stages: int) -> None:
        """Say nothing."""

    def stage(self, title: str) -> None:
        """Say nothing."""

    def part(self, done: int, parts: int) -> None:
        """Say nothing."""

    def finished(self) -> None:
        """Say nothing."""


@dataclass(frozen=True)
class Reporting:
    """An executor that tells how many parts are done, and computes where another one does.

    Examples
    --------
    >>> from privgate.executors import SERIAL
    >>> class Shown(Silent):
    ...     def part(self, done, parts):
    ...         print(f"{done} of {parts}")
    >>> list(Reporting(SERIAL, Shown()).map(lambda shared, part: shared + part, 10, [1, 2]))
    1 of 2
    2 of 2
    [11, 12]
    """

    executor: Executor
    progress: Progress

    @property
    def jobs(self) -> int:
        """Return how many threads may work on this machine."""
        return self.executor.jobs

    def map(self, task: Callable[[S, P], T], shared: S, parts: Sequence[P]) -> Iterator[T]:
        """Yield what the task makes of every part, in their order."""
        for done, result in enumerate(self.executor.map(task, shared, parts), start=1):
            self.progress.part(done, len(parts))
            yield result


class Pace:
    """How far a run is, and about how long it will still take.

    ``expected`` are the seconds foreseen for each stage. What has been measured of the run so far
    corrects them: the longer it runs, the more that counts. Without them every stage is expected to
    take as long as those before.

    Examples
    --------
    >>> seconds = iter([0, 10, 25])
    >>> pace = Pace([10, 30], clock=lambda: next(seconds))
    >>> pace.started(2); pace.stage(); pace.stage()  # the first stage took as long as foreseen
    >>> pace.left()  # 15 of 30 seconds are over
    15.0
    """

    def __init__(
        self, expected: Sequence[float] = (), *, clock: Callable[[], float] = monotonic
    ) -> None:
        self._expected = tuple(expected)
        self._clock = clock
        self._stages = 0
        self._taken: list[float] = []
        self._since: float | None = None  # when the stage under way began
        self._part: tuple[float, int, int] | None = None  # begin of the parts, done, all

    def started(self, stages: int) -> None:
        """Begin with the first of so many stages."""
        self._stages, self._taken, self._since, self._part = stages, [], None, None

    def stage(self) -> None:
        """Go on to the next stage."""
        now = self._clock()
        if self._since is not None:
            self._taken.append(now - self._since)
        self._since, self._part = now, None

    def part(self, done: int, parts: int) -> None:
        """Note that a part of the computation under way is done."""
        begun = self._clock() if self._part is None or done <= self._part[1] else self._part[0]
        self._part = begun, done, parts

    @property
    def done(self) -> int:
        """Return how many stages are done."""
        return len(self._taken)

    def left(self) -> float | None:
        """Return about how many seconds the run will still take; ``None`` if nothing tells."""
        expected = self._foreseen()
        if self._since is None or expected is None or self.done >= self._stages:
            return None
        now = self._clock()
        here, later = expected[self.done], sum(expected[self.done + 1 :])
        return max(here - (now - self._since), self._left_of_parts(now)) + later

    def _foreseen(self) -> list[float] | None:
        """Return what each stage is likely to take, at the speed that was seen so far."""
        if len(self._expected) == self._stages:
            pairs = zip(self._taken, self._expected, strict=False)
            computed = [(took, seen) for took, seen in pairs if took > _TAKEN_UP * seen]
            took = _TRUST + sum(pair[0] for pair in computed)
            foreseen = _TRUST + sum(pair[1] for pair in computed)
            return [seconds * took / foreseen for seconds in self._expected]
        if not self._taken:
            return None
        return [sum(self._taken) / len(self._taken)] * self._stages

    def _left_of_parts(self, now: float) -> float:
        """Return what the parts under way will still take if they go on as they did."""
        if self._part is None or self._part[1] < 2:
            return 0.0
        begun, done, parts = self._part
        return (now - begun) * (parts - done) / (done - 1)
