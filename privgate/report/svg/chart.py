"""Histograms as step outlines, curves, and points beside curves."""

from __future__ import annotations

from enum import Enum
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
    from privgate.report.numbers import NumberStyle

_RIGHT = 14
_COLOURS = ("#1b4f8a", "#b4530a", "#0f6e66", "#7b3fb5")
_DASHES = ("", "7 4", "2 3", "9 3 2 3")
_LETTER = 7.5  # about how wide a letter of a mark's name is
_ROWS = (-10, 4)  # where names of marks may stand, from the top of the axes

Points = list[tuple[float, float] | None]


class PictureSize(Enum):
    """Room of a picture: width, height and the margins left, above and below of the axes."""

    HALF = (480, 290, 62, 40, 52)
    WIDE = (740, 330, 84, 50, 60)

    def __init__(self, width: int, height: int, left: int, top: int, below: int) -> None:
        self.width, self.height = width, height
        self.left, self.right = left, width - _RIGHT
        self.top, self.base = top, height - below
        self.room = 1.75 * width  # letters times font size that fit across


def chart_picture(
    chart: Chart,
    *,
    identity: str,
    description: str,
    shares: bool,
    y_label: str,
    style: NumberStyle,
    size: PictureSize = PictureSize.HALF,
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
    style
        How the language writes numbers.
    size
        How much room the picture has.
    """
    heights = [_heights(chart, series, shares=shares) for series in chart.series]
    across = _horizontal(chart, size)
    up = _vertical(heights, chart.kind, size)
    percent = shares or (chart.kind == "curve" and _are_shares(heights))
    body = [*axes(across, up, style, percent=percent), *axis_names(chart.x_label, y_label, size)]
    for number, values in enumerate(heights):
        if chart.kind == "points" and number == 0:
            body += _dots(_curve(chart.x, values), across, up)
            continue
        outline = _steps if chart.kind == "histogram" else _curve
        body.append(_path(outline(chart.x, values), across, up, number))
    body += _marks(chart.marks, across, size)
    return picture(
        body,
        width=size.width,
        height=size.height,
        identity=identity,
        title=chart.title,
        description=description,
    )


def swatch(number: int, kind: str = "curve") -> str:
    """Return the sample of a series for the legend: its line, or a point."""
    drawn = f'<path d="M1 5H33" fill="none" {_style(number)}/>'
    if kind == "points" and number == 0:
        drawn = _dot(17, 5)
    return (
        '<svg class="swatch" viewBox="0 0 34 10" width="34" height="10" aria-hidden="true">'
        f"{drawn}</svg>"
    )


def _heights(chart: Chart, series: Series, *, shares: bool) -> list[float | None]:
    if chart.kind != "histogram":
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


def _horizontal(chart: Chart, size: PictureSize) -> Scale:
    numbers = [*chart.x, *chart.marks.values()]
    low, high = min(numbers), max(numbers)
    if chart.kind == "points":
        low, high = low - 0.03 * (high - low), high + 0.03 * (high - low)
    return Scale(low=low, high=high, start=size.left, end=size.right)


def _vertical(heights: Sequence[Sequence[float | None]], kind: str, size: PictureSize) -> Scale:
    shown = [y for values in heights for y in values if y is not None] or [0.0]
    high = max(shown)
    low = min(0.0, *shown) if kind == "curve" else 0.0
    if kind == "points":
        low = min(shown) - 0.08 * (high - min(shown))
    high = high + 0.08 * (high - low) if high > low else low + 1.0
    return Scale(low=low, high=high, start=size.base, end=size.top)


def axes(across: Scale, up: Scale, style: NumberStyle, *, percent: bool) -> list[str]:
    """Return a grid with its numbers at the left and an axis with its own below."""
    drawn, left, right = [], across.start, across.end
    for number in ticks(up.low, up.high, at_most=5):
        y = up(number)
        drawn.append(line(left, y, right, y, name="grid", stroke=GRID))
        text = tick_text(number, style, percent=percent)
        drawn.append(label(left - 8, y + 4, text, name="tick", anchor="end"))
    base = up(up.low)
    drawn.append(line(left, base, right, base, name="axis", stroke=FAINT))
    for number in ticks(across.low, across.high, at_most=6):
        x = across(number)
        drawn.append(line(x, base, x, base + 5, name="axis", stroke=FAINT))
        drawn.append(label(x, base + 20, tick_text(number, style), name="tick", anchor="middle"))
    return drawn


def axis_names(x_label: str, y_label: str, size: PictureSize) -> list[str]:
    """Return what the axes show."""
    middle = (size.left + size.right) / 2
    return [
        label(middle, size.height - 10, x_label, name="name", anchor="middle", room=size.room),
        label(4, size.top - 26, y_label, name="name", room=size.room),
    ]


def _steps(edges: Sequence[float], values: Sequence[float | None]) -> Points:
    points: Points = []
    for low, high, y in zip(edges, edges[1:], values, strict=False):
        points += [None] if y is None else [(low, y), (high, y)]
    return points


def _curve(xs: Sequence[float], values: Sequence[float | None]) -> Points:
    """Return the points there are: the line runs straight past the others."""
    return [(x, y) for x, y in zip(xs, values, strict=True) if y is not None]


def _path(points: Points, across: Scale, up: Scale, number: int) -> str:
    steps, pen = [], "M"
    for point in points:
        if point is None:
            pen = "M"
            continue
        steps.append(f"{pen}{place(across(point[0]))} {place(up(point[1]))}")
        pen = "L"
    return f'<path d="{"".join(steps)}" fill="none" {_style(number)}/>'


def _dots(points: Points, across: Scale, up: Scale) -> list[str]:
    return [_dot(across(point[0]), up(point[1])) for point in points if point is not None]


def _dot(x: float, y: float) -> str:
    return (
        f'<circle class="series s1" cx="{place(x)}" cy="{place(y)}" r="3" fill="none" '
        f'stroke="{_COLOURS[0]}" stroke-width="1.6"/>'
    )


def _style(number: int) -> str:
    index = number % len(_COLOURS)
    width = 2 if number < len(_COLOURS) else 3.5
    dash = f' stroke-dasharray="{_DASHES[index]}"' if _DASHES[index] else ""
    return (
        f'class="series s{index + 1}" stroke="{_COLOURS[index]}" stroke-width="{width}" '
        f'stroke-linejoin="round"{dash}'
    )


def _marks(marks: dict[str, float], across: Scale, size: PictureSize) -> list[str]:
    """Return lines with names; one whose name would meet the last one's names it a row lower."""
    drawn, ends = [], [0.0] * len(_ROWS)
    for name, number in sorted(marks.items(), key=lambda mark: (mark[1], mark[0])):
        x = across(number)
        dashed = ' stroke-width="1.2" stroke-dasharray="4 3"'
        drawn.append(line(x, size.top - 8, x, size.base, name="mark", stroke=FAINT, more=dashed))
        anchor = "end" if x > size.width * 0.6 else "start"
        width = _LETTER * (len(name) + 1)
        start = x - width if anchor == "end" else x
        row = next((n for n, end in enumerate(ends) if end <= start), ends.index(min(ends)))
        ends[row] = start + width
        y = size.top + _ROWS[row]
        drawn.append(label(x, y, name, name="tick strong", anchor=anchor))
    return drawn
