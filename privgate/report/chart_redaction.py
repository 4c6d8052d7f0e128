"""Charts without bins or points that stand for one to ten records."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeGuard

from privgate.report.small_counts import is_small

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from privgate.evidence import Chart, Estimate, Series


def redact_chart(chart: Chart, figures: Collection[Estimate] = ()) -> Chart | None:
    """Return the chart with small bins merged into their neighbours and small points blanked.

    ``None`` if nothing can be shown: fewer than eleven records stand behind a whole series. Points
    are means over eleven records or more from the start.

    Parameters
    ----------
    figures
        What is printed beside the chart: two points of a curve must not leave few records between
        them, and neither must a point and a figure.
    """
    return _merge_bins(chart) if chart.kind == "histogram" else _blank_points(chart, figures)


def _blank_points(chart: Chart, figures: Collection[Estimate]) -> Chart | None:
    series = tuple(_blanked(line, figures) for line in chart.series)
    if all(y is None for line in series for y in line.y):
        return None
    return chart.model_copy(update={"series": series})


def _blanked(line: Series, figures: Collection[Estimate]) -> Series:
    """Return a series in which no point, and no two of them, tell of 1 to 10 records.

    Along a curve the records behind one point are among those behind the next.
    """
    n = line.n
    if n is None:
        return line
    printed = {figure.value for figure in figures if figure.n == n}
    kept = {y for y in line.y if y in printed and _may_stand(y, n, ())}
    for y in line.y:
        if _may_stand(y, n, kept):
            kept.add(y)
    return line.model_copy(update={"y": tuple(y if y in kept else None for y in line.y)})


def _may_stand(y: float | None, n: int, kept: Collection[float | None]) -> TypeGuard[float]:
    """Return whether a share tells of no 1 to 10 records, alone and beside those that are kept."""
    if y is None or not 0 <= y <= 1:
        return y is not None
    return not any(is_small(abs(y - other) * n) for other in (0.0, 1.0, *kept) if other is not None)


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
