"""Charts without bins or points that stand for one to ten records."""

from __future__ import annotations

from typing import TYPE_CHECKING

from privgate.report.small_counts import is_small

if TYPE_CHECKING:
    from collections.abc import Sequence

    from privgate.evidence import Chart, Series


def redact_chart(chart: Chart) -> Chart | None:
    """Return the chart with small bins merged into their neighbours and small points blanked.

    ``None`` if nothing can be shown: fewer than eleven records stand behind a whole series. Points
    are means over eleven records or more from the start.
    """
    return _merge_bins(chart) if chart.kind == "histogram" else _blank_points(chart)


def _blank_points(chart: Chart) -> Chart | None:
    series = tuple(_blanked(line) for line in chart.series)
    if all(y is None for line in series for y in line.y):
        return None
    return chart.model_copy(update={"series": series})


def _blanked(line: Series) -> Series:
    n = line.n
    if n is None:
        return line
    return line.model_copy(update={"y": tuple(None if _few(y, n) else y for y in line.y)})


def _few(y: float | None, n: int) -> bool:
    if y is None or not 0 <= y <= 1:
        return False
    return is_small(y * n) or is_small(n - y * n)


def _merge_bins(chart: Chart) -> Chart | None:
    groups = _groups([line.y for line in chart.series])
    if not groups:
        return None
    edges = (*(chart.x[first] for first, _ in groups), chart.x[-1])
    series = tuple(
        line.model_copy(update={"y": tuple(_total(line.y[first:last]) for first, last in groups)})
        for line in chart.series
    )
    return chart.model_copy(update={"x": edges, "series": series})


def _groups(counts: Sequence[Sequence[float | None]]) -> list[tuple[int, int]]:
    """Return the ranges of bins to merge, so that no series has a small count in any of them."""
    bins = len(counts[0])
    groups: list[tuple[int, int]] = []
    first = 0
    for last in range(1, bins + 1):
        if not _any_small(counts, first, last):
            groups.append((first, last))
            first = last
    while first < bins and groups:
        first, _ = groups.pop()
        if not _any_small(counts, first, bins):
            groups.append((first, bins))
            first = bins
    return groups


def _any_small(counts: Sequence[Sequence[float | None]], first: int, last: int) -> bool:
    return any(is_small(_total(line[first:last])) for line in counts)


def _total(counts: Sequence[float | None]) -> float:
    return sum(count for count in counts if count is not None)
