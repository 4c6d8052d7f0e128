"""About how long a run will take and how much memory, tried on small parts of the release.

Parts of growing size are measured by the very plan of the run, and what they took is carried on to
the full size. That needs no table of costs per metric, and holds for metrics of others and for any
machine. It is for people only: nothing that is measured, and no choice of how, depends on it.
"""

from __future__ import annotations

import tracemalloc
from dataclasses import dataclass
from datetime import UTC, datetime
from math import log2
from time import perf_counter
from typing import TYPE_CHECKING

import numpy as np
from scipy.optimize import nnls

from privgate.data.sampling import FEWEST_ROWS, draw_sample
from privgate.engine.plan import plan
from privgate.engine.progress import Silent
from privgate.engine.run import Conditions, measure
from privgate.executors import Threads
from privgate.neighbors.tiles import TILE_BYTES
from privgate.stats.rng import generator

if TYPE_CHECKING:
    from collections.abc import Sequence

    from privgate.data import Release
    from privgate.policy.bind import BoundPolicy

_SMALL = 100_000  # values in the largest table; what is not larger takes less than a minute
_FIRST, _LAST = 32, 4  # shares of the rows that are tried first and at most
_MOST_ROWS = 400  # to begin with
_ENOUGH = 1.5  # seconds that one more try may take in any case
_WORTH = 0.03  # share of the foreseen time that it may take
_TILES = 4  # copies of a tile of distances that live at a time, for each thread


@dataclass(frozen=True, kw_only=True)
class Forecast:
    """What a run is likely to need: seconds for each of its stages, and bytes beside the tables."""

    seconds: tuple[float, ...]
    memory: float

    @property
    def total(self) -> float:
        """Return how many seconds the whole run is likely to take."""
        return sum(self.seconds)


@dataclass(frozen=True, kw_only=True)
class _Tried:
    """What the run of a part took: seconds a stage, bytes that it kept and that it passed by."""

    rows: int
    seconds: tuple[float, ...]
    kept: float
    passing: float


def measured_rows(release: Release, policy: BoundPolicy, sample: int | None) -> int:
    """Return how many rows of the largest table a run measures."""
    whole = max(table.rows for table in release.tables.values())
    return min(whole, sample or policy.policy.sample or whole)


def is_large(release: Release, policy: BoundPolicy, sample: int | None = None) -> bool:
    """Return whether it is worth while to try what a run will take."""
    rows = measured_rows(release, policy, sample)
    return rows * _width(release) > _SMALL and rows >= _FIRST * FEWEST_ROWS


def forecast(
    release: Release, policy: BoundPolicy, *, jobs: int, sample: int | None = None
) -> Forecast:
    """Return what a run of a release that is large is likely to need.

    Parameters
    ----------
    sample
        Most rows of the largest table to be measured, if a number is given by hand.
    """
    rows = measured_rows(release, policy, sample)
    first = max(FEWEST_ROWS, min(_MOST_ROWS, rows // _FIRST))
    _try(release, policy, FEWEST_ROWS, jobs)  # libraries are loaded once, which is not to count
    tried = [_try(release, policy, first * share, jobs) for share in (1, 2, 4)]
    while True:
        found = _carried_on(tried, rows=rows, jobs=jobs)
        larger, last = 2 * tried[-1].rows, sum(tried[-1].seconds)
        # Twice the rows may take four times as long.
        if larger > rows // _LAST or 4 * last > max(_ENOUGH, _WORTH * found.total):
            return found
        tried.append(_try(release, policy, larger, jobs))


def _width(release: Release) -> int:
    matrix = release.train.matrix
    return len(release.columns) if matrix is None else matrix.shape[1] * matrix.itemsize // 8


class _Watch(Silent):
    """Notes when each stage begins and how much memory is in use then."""

    def __init__(self) -> None:
        self.begins: list[float] = []
        self.kept = 0

    def stage(self, title: str) -> None:
        """Note time and memory."""
        del title
        self.begins.append(perf_counter())
        self.kept = max(self.kept, tracemalloc.get_traced_memory()[0])


def _try(release: Release, policy: BoundPolicy, rows: int, jobs: int) -> _Tried:
    """Measure a part of the release as the run will, and return what that took."""
    drawn = draw_sample(release, rows, generator(rows, "privgate/forecast"))
    part = release if drawn is None else drawn.release
    conditions = Conditions(
        seed=rows,
        seed_source="derived",
        confidence=policy.policy.confidence,
        created=datetime.fromtimestamp(0, UTC),
        executor=Threads(jobs),
    )
    watch = _Watch()
    traced = tracemalloc.is_tracing()
    if not traced:
        tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        tracemalloc.reset_peak()
        measure(part, plan(policy), conditions, watch)
        ends = [*watch.begins[1:], perf_counter()]
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        if not traced:
            tracemalloc.stop()
    kept = max(0, watch.kept - before)
    return _Tried(
        rows=rows,
        seconds=tuple(end - begin for begin, end in zip(watch.begins, ends, strict=True)),
        kept=kept,
        passing=max(0, peak - before - kept),
    )


def _carried_on(tried: Sequence[_Tried], *, rows: int, jobs: int) -> Forecast:
    """Return what the full size will take if it goes on growing as from part to part.

    Each stage takes a constant time, one that grows with the rows and one with their square. Memory
    that is passing grows like that, too, until tiles of distances have their full size; what is
    kept grows with the rows.
    """
    sizes = [run.rows for run in tried]
    seconds = tuple(
        _grown(sizes, taken, rows) for taken in zip(*(run.seconds for run in tried), strict=True)
    )
    small, large = tried[-2:]
    factor = rows / large.rows
    power = _power(small.passing, large.passing)
    passing = large.passing * factor**power
    if power > 1:
        passing = min(passing, max(large.passing, float(_TILES * jobs * TILE_BYTES)))
    memory = large.kept * factor + passing
    return Forecast(seconds=seconds, memory=memory)


def _grown(sizes: Sequence[int], taken: Sequence[float], size: int) -> float:
    """Return what is taken at another size: a + b n + c n², none negative, fitted to what was seen.

    Misses count by their share of what was taken, so that small sizes have their say.

    Examples
    --------
    >>> round(_grown([1, 2, 4], [3.0, 6.0, 12.0], 10)), round(_grown([1, 2, 4], [3, 6, 18], 10))
    (30, 102)
    """
    powers = np.arange(3)
    weights = 1 / np.maximum(taken, 1e-6)
    terms = np.asarray(sizes, float)[:, None] ** powers * weights[:, None]
    found, _ = nnls(terms, np.asarray(taken) * weights)
    return float(found @ float(size) ** powers)


def _power(before: float, after: float) -> float:
    """Return the power with which something grows that doubled rows brought from one to the other.

    Examples
    --------
    >>> _power(1.0, 2.0), _power(1.0, 16.0), _power(2.0, 1.0)
    (1.0, 2.0, 0.0)
    """
    if before <= 0 or after <= 0:
        return 1.0
    return min(2.0, max(0.0, log2(after / before)))
