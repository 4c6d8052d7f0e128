"""Histograms as step outlines, and curves."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from privgate.report.svg.frame import (
    FAINT,
    GRID,
    Scale,
    label,
    line,
    picture,
    place,
    tick_text,
    ticks,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from privgate.evidence import Chart, Series

_WIDTH, _HEIGHT = 480, 290
_LEFT, _RIGHT, _TOP, _BOTTOM = 62, 14, 40, 52
_COLOURS = ("#1b4f8a", "#b4530a", "#0f6e66", "#7b3fb5")
_DASHES = ("", "7 4", "2 3", "9 3 2 3")

Points = list[tuple[float, float] | None]


def chart_picture(
    chart: Chart, *, identity: str, description: str, shares: bool, y_label: str
) -> str:
    """Return the picture of a chart.

    Parameters
    ----------
    chart
        The numbers, as measured or redacted.
    identity
        Prefix of the ids inside the picture, unique within the document.
    description
        What the picture shows, in words.
    shares
        Whether counts of a histogram are drawn as shares of each series' records.
    y_label
        What the vertical axis shows.
    """
    heights = [_heights(chart, series, shares=shares) for series in chart.series]
    across = _horizontal(chart)
    up = _vertical(heights, chart.kind)
    percent = shares or (chart.kind == "curve" and _are_shares(heights))
    body = [*_axes(across, up, percent=percent), *_names(chart.x_label, y_label)]
    for number, values in enumerate(heights):
        outline = _steps if chart.kind == "histogram" else _curve
        body.append(_path(outline(chart.x, values), across, up, number))
    body += _marks(chart.marks, across)
    return picture(
        body,
        width=_WIDTH,
        height=_HEIGHT,
        identity=identity,
        title=chart.title,
        description=description,
    )


def swatch(number: int) -> str:
    """Return the line sample of a series for the legend."""
    drawn = _style(number)
    return (
        '<svg class="swatch" viewBox="0 0 34 10" width="34" height="10" aria-hidden="true">'
        f'<path d="M1 5H33" fill="none" {drawn}/></svg>'
    )


def _heights(chart: Chart, series: Series, *, shares: bool) -> list[float | None]:
    if chart.kind == "curve":
        return list(series.y)
    total = (series.n or 0) if shares else 1
    weights = _bin_weights(chart.x)
    return [
        None if y is None or not total else y / total * weight
        for y, weight in zip(series.y, weights, strict=True)
    ]


def _bin_weights(edges: Sequence[float]) -> list[float]:
    """Return by how much to flatten each bin: merged bins spread their records evenly."""
    widths = [high - low for low, high in pairwise(edges)]
    narrowest = min(widths)
    multiples = [width / narrowest if narrowest > 0 else 1.0 for width in widths]
    if any(abs(multiple - round(multiple)) > 1e-6 for multiple in multiples):
        return [1.0] * len(widths)  # unequal by design, not by merging
    return [1 / multiple for multiple in multiples]


def _are_shares(heights: Sequence[Sequence[float | None]]) -> bool:
    shown = [y for values in heights for y in values if y is not None]
    return bool(shown) and all(0 <= y <= 1 for y in shown)


def _horizontal(chart: Chart) -> Scale:
    numbers = [*chart.x, *chart.marks.values()]
    low, high = min(numbers), max(numbers)
    return Scale(low=low, high=high, start=_LEFT, end=_WIDTH - _RIGHT)


def _vertical(heights: Sequence[Sequence[float | None]], kind: str) -> Scale:
    shown = [y for values in heights for y in values if y is not None] or [0.0]
    low = min(0.0, *shown) if kind == "curve" else 0.0
    high = max(shown)
    high = high + 0.08 * (high - low) if high > low else low + 1.0
    return Scale(low=low, high=high, start=_HEIGHT - _BOTTOM, end=_TOP)


def _axes(across: Scale, up: Scale, *, percent: bool) -> list[str]:
    drawn = []
    for number in ticks(up.low, up.high, at_most=5):
        y = up(number)
        drawn.append(line(_LEFT, y, _WIDTH - _RIGHT, y, name="grid", stroke=GRID))
        text = tick_text(number, percent=percent)
        drawn.append(label(_LEFT - 8, y + 4, text, name="tick", anchor="end"))
    base = up(up.low)
    drawn.append(line(_LEFT, base, _WIDTH - _RIGHT, base, name="axis", stroke=FAINT))
    for number in ticks(across.low, across.high, at_most=6):
        x = across(number)
        drawn.append(line(x, base, x, base + 5, name="axis", stroke=FAINT))
        drawn.append(label(x, base + 19, tick_text(number), name="tick", anchor="middle"))
    return drawn


def _names(x_label: str, y_label: str) -> list[str]:
    middle = (_LEFT + _WIDTH - _RIGHT) / 2
    return [
        label(middle, _HEIGHT - 10, x_label, name="name", anchor="middle"),
        label(4, 14, y_label, name="name"),
    ]


def _steps(edges: Sequence[float], values: Sequence[float | None]) -> Points:
    points: Points = []
    for low, high, y in zip(edges, edges[1:], values, strict=False):
        points += [None] if y is None else [(low, y), (high, y)]
    return points


def _curve(xs: Sequence[float], values: Sequence[float | None]) -> Points:
    return [None if y is None else (x, y) for x, y in zip(xs, values, strict=True)]


def _path(points: Points, across: Scale, up: Scale, number: int) -> str:
    steps, pen = [], "M"
    for point in points:
        if point is None:
            pen = "M"
            continue
        steps.append(f"{pen}{place(across(point[0]))} {place(up(point[1]))}")
        pen = "L"
    return f'<path d="{"".join(steps)}" fill="none" {_style(number)}/>'


def _style(number: int) -> str:
    index = number % len(_COLOURS)
    width = 2 if number < len(_COLOURS) else 3.5
    dash = f' stroke-dasharray="{_DASHES[index]}"' if _DASHES[index] else ""
    return (
        f'class="series s{index + 1}" stroke="{_COLOURS[index]}" stroke-width="{width}" '
        f'stroke-linejoin="round"{dash}'
    )


def _marks(marks: dict[str, float], across: Scale) -> list[str]:
    drawn = []
    for name, number in sorted(marks.items(), key=lambda mark: (mark[1], mark[0])):
        x = across(number)
        dashed = ' stroke-width="1.2" stroke-dasharray="4 3"'
        drawn.append(
            line(x, _TOP - 8, x, _HEIGHT - _BOTTOM, name="mark", stroke=FAINT, more=dashed)
        )
        anchor = "end" if x > _WIDTH * 0.6 else "start"
        drawn.append(label(x, _TOP - 12, name, name="tick strong", anchor=anchor))
    return drawn
