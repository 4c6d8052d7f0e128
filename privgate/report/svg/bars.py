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

_WIDTH, _LEFT, _RIGHT, _TOP, _ROW, _FOOT = 480, 12, 14, 30, 44, 26
_LONGEST_LABEL = 40


@dataclass(frozen=True, kw_only=True)
class IntervalRow:
    """One bar: a value, its interval if there is one, and how it is written."""

    name: str
    value: float
    low: float | None
    high: float | None
    text: str
    tone: str


def interval_bars(
    rows: Sequence[IntervalRow],
    limits: Sequence[float],
    *,
    identity: str,
    title: str,
    description: str,
    limit_label: str,
    percent: bool,
) -> str:
    """Return the picture of intervals, one below the other, with the limits across.

    ``percent`` says whether the axis counts in per cent.
    """
    height = _TOP + _ROW * len(rows) + _FOOT
    across = _scale(rows, limits)
    base = height - _FOOT
    body = [_axis(across, base, percent=percent)]
    body += [_limit_label(across, number, limit_label, base=base) for number in limits]
    body += [_limit_beside(across, limits, _TOP + _ROW * number) for number in range(len(rows))]
    body += [_bar(row, across, _TOP + _ROW * number) for number, row in enumerate(rows)]
    return picture(
        body,
        width=_WIDTH,
        height=height,
        identity=identity,
        title=title,
        description=description,
    )


def _scale(rows: Sequence[IntervalRow], limits: Sequence[float]) -> Scale:
    numbers = [0.0, *limits]
    for row in rows:
        numbers += [end for end in (row.low, row.value, row.high) if end is not None]
    low, high = min(numbers), max(numbers)
    room = 0.08 * (high - low) or 1.0
    return Scale(
        low=low - room if low < 0 else low,
        high=high + room,
        start=_LEFT,
        end=_WIDTH - _RIGHT,
    )


def _axis(across: Scale, base: float, *, percent: bool) -> str:
    drawn = [line(_LEFT, base, _WIDTH - _RIGHT, base, name="axis", stroke=FAINT)]
    for number in ticks(across.low, across.high, at_most=6):
        x = across(number)
        drawn.append(line(x, _TOP - 4, x, base, name="grid", stroke=GRID))
        text = tick_text(number, percent=percent)
        drawn.append(label(x, base + 17, text, name="tick", anchor="middle"))
    return "".join(drawn)


def _limit_label(across: Scale, number: float, text: str, *, base: float) -> str:
    x = across(number)
    anchor = "end" if x > _WIDTH * 0.6 else "start"
    mark = line(x, 18, x, 26, name="limit", stroke=INK, more=' stroke-width="2"')
    mark += line(x, 26, x, base, name="mark", stroke=FAINT, more=' stroke-dasharray="2 3"')
    return mark + label(x, 13, text, name="tick strong", anchor=anchor)


def _limit_beside(across: Scale, limits: Sequence[float], top: float) -> str:
    """Return the limits' marks at one bar; they leave the row's label free."""
    places = (across(number) for number in limits)
    wide = ' stroke-width="2"'
    return "".join(
        line(x, top + 19, x, top + _ROW, name="limit", stroke=INK, more=wide) for x in places
    )


def _bar(row: IntervalRow, across: Scale, top: float) -> str:
    y, colour = top + 30, TONES.get(row.tone, INK)
    name = row.name if len(row.name) <= _LONGEST_LABEL else row.name[: _LONGEST_LABEL - 1] + "…"
    name = f"{name}: {row.text}" if row.text else name
    drawn = []
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
    drawn.append(label(_LEFT, top + 14, name, name="row strong halo"))
    return "".join(drawn)
