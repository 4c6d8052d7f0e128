"""Intervals as horizontal bars beside the limit they are judged by."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from privgate.report.svg.frame import (
    FAINT,
    GRID,
    INK,
    TONES,
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

    from privgate.report.numbers import NumberStyle

_WIDTH, _SIDE, _LINE, _FOOT = 480, 24, 16, 26
_BAR, _NAME = 28, 20  # heights of a bar's strip and of the name above it
_LONGEST_NAME = 34


@dataclass(frozen=True, kw_only=True)
class IntervalRow:
    """One bar: a value, its interval if there is one, and the name above it, which may be empty."""

    name: str
    value: float
    low: float | None
    high: float | None
    tone: str


def interval_bars(
    rows: Sequence[IntervalRow],
    limits: Sequence[tuple[float, str]],
    *,
    identity: str,
    title: str,
    description: str,
    percent: bool,
    style: NumberStyle,
) -> str:
    """Return the picture of intervals, one below the other, with the limits across.

    Each limit comes with what is written at it; ``percent`` says whether the axis counts in per
    cent. Names stand above their bars, where no limit and no axis crosses them.
    """
    across = _scale(rows, [number for number, _ in limits])
    top = float(_LINE * len(limits) + 4)
    body = [_limit_text(across, limit, _LINE * (i + 1) - 3) for i, limit in enumerate(limits)]
    for row in rows:
        if row.name:
            body.append(label(0, top + _NAME - 6, row.name, name="row strong"))
            top += _NAME
        body.append(_strip(row, across, [number for number, _ in limits], top))
        top += _BAR
    body.append(_axis(across, top, style, percent=percent))
    return picture(
        body,
        width=_WIDTH,
        height=int(top + _FOOT),
        identity=identity,
        title=title,
        description=description,
    )


def shortened(name: str) -> str:
    """Return a name that fits above a bar.

    Examples
    --------
    >>> len(shortened("x" * 200)), shortened("income")
    (34, 'income')
    """
    return name if len(name) <= _LONGEST_NAME else name[: _LONGEST_NAME - 1] + "…"


def _scale(rows: Sequence[IntervalRow], limits: Sequence[float]) -> Scale:
    numbers = [0.0, *limits]
    for row in rows:
        numbers += [end for end in (row.low, row.value, row.high) if end is not None]
    low, high = min(numbers), max(numbers)
    room = 0.08 * (high - low) or 1.0
    return Scale(
        low=low - room if low < 0 else low,
        high=high + room if high > 0 or low == high else high,
        start=_SIDE,
        end=_WIDTH - _SIDE,
    )


def _limit_text(across: Scale, limit: tuple[float, str], y: float) -> str:
    x = across(limit[0])
    anchor = "end" if x > _WIDTH * 0.6 else "start"
    edge = min(_WIDTH - 1.0, x + 8) if anchor == "end" else max(1.0, x - 8)
    return label(edge, y, limit[1], name="tick strong", anchor=anchor)


def _strip(row: IntervalRow, across: Scale, limits: Sequence[float], top: float) -> str:
    drawn = [
        line(across(number), top, across(number), top + _BAR, name="grid", stroke=GRID)
        for number in ticks(across.low, across.high, at_most=6)
    ]
    wide = ' stroke-width="2"'
    drawn += [
        line(across(number), top, across(number), top + _BAR, name="limit", stroke=INK, more=wide)
        for number in limits
    ]
    return "".join([*drawn, _bar(row, across, top + _BAR / 2)])


def _axis(across: Scale, base: float, style: NumberStyle, *, percent: bool) -> str:
    drawn = [line(_SIDE, base, _WIDTH - _SIDE, base, name="axis", stroke=FAINT)]
    for number in ticks(across.low, across.high, at_most=6):
        text = tick_text(number, style, percent=percent)
        drawn.append(label(across(number), base + 18, text, name="tick", anchor="middle"))
    return "".join(drawn)


def _bar(row: IntervalRow, across: Scale, y: float) -> str:
    colour, drawn = TONES.get(row.tone, INK), []
    if row.low is not None and row.high is not None:
        left, right = across(row.low), across(row.high)
        wide = ' stroke-width="3"'
        drawn.append(line(left, y, right, y, name=f"bar t-{row.tone}", stroke=colour, more=wide))
        drawn += [
            line(x, y - 6, x, y + 6, name=f"bar t-{row.tone}", stroke=colour, more=wide)
            for x in (left, right)
        ]
    centre = f'cx="{place(across(row.value))}" cy="{place(y)}" r="5.5"'
    drawn.append(f'<circle class="dot t-{row.tone}" {centre} fill="{colour}" stroke="{colour}"/>')
    return "".join(drawn)
