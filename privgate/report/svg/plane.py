"""Named points on a plane, with a line that none of them should lie above."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING

from privgate.report.svg.chart import PictureSize, axes, axis_names
from privgate.report.svg.frame import INK, TONES, Scale, label, line, picture, place

if TYPE_CHECKING:
    from collections.abc import Sequence

    from privgate.report.numbers import NumberStyle

_SIZE = PictureSize.WIDE
_BESIDE = ((11, 5, "start"), (-11, 5, "end"), (0, -11, "middle"), (0, 21, "middle"))
_APART = 15.0  # between letters that can be told apart
_ARROW = 22.0


@dataclass(frozen=True, kw_only=True)
class PlanePoint:
    """A point called by a short name; one that is ``rising`` may in truth lie higher up."""

    name: str
    x: float
    y: float
    tone: str
    rising: bool = False


def plane_picture(
    points: Sequence[PlanePoint],
    *,
    limit: tuple[float, str],
    highest: float,
    labels: tuple[str, str],
    identity: str,
    title: str,
    description: str,
    style: NumberStyle,
) -> str:
    """Return the picture of points whose x are shares.

    Parameters
    ----------
    points
        At least one.
    limit
        Where the line is, and its name.
    highest
        The greatest y that is drawn at its place; points beyond it stand there.
    labels
        What the axes show, across and up.
    identity
        Prefix of the ids inside the picture, unique within the document.
    title, description
        What the picture shows, in words.
    style
        How the language writes numbers.
    """
    least = math.floor(10 * min(point.x for point in points) - 0.5) / 10
    across = Scale(low=max(0.0, least), high=1.0, start=_SIZE.left, end=_SIZE.right - 20)
    top = min(highest, max(limit[0], *(point.y for point in points)))
    up = Scale(low=0.0, high=1.12 * top, start=_SIZE.base, end=_SIZE.top)
    shown = [(point, across(point.x), up(min(point.y, highest))) for point in points]
    body = [
        *axes(across, up, style, percent=False),
        *axis_names(*labels, _SIZE),
        *_limit(*limit, across, up),
        *(_dot(*it) for it in shown),
        *_letters(shown),
    ]
    return picture(
        body,
        width=_SIZE.width,
        height=_SIZE.height,
        identity=identity,
        title=title,
        description=description,
    )


def _limit(number: float, name: str, across: Scale, up: Scale) -> list[str]:
    y = up(number)
    dashed = ' stroke-width="1.6" stroke-dasharray="6 4"'
    return [
        line(across.start, y, _SIZE.right, y, name="mark", stroke=INK, more=dashed),
        label(across.start + 6, y - 6, name, name="tick strong"),
    ]


def _dot(point: PlanePoint, x: float, y: float) -> str:
    colour = TONES.get(point.tone, INK)
    named = f"t-{point.tone}"
    dot = (
        f'<circle class="dot {named}" cx="{place(x)}" cy="{place(y)}" r="6" fill="{colour}" '
        f'stroke="{colour}"/>'
    )
    if not point.rising:
        return dot
    tip = y - _ARROW
    wide = ' stroke-width="2"'
    ends = ((x, y, x, tip), (x - 5, tip + 6, x, tip), (x + 5, tip + 6, x, tip))
    return dot + "".join(line(*end, name=f"bar {named}", stroke=colour, more=wide) for end in ends)


def _letters(shown: Sequence[tuple[PlanePoint, float, float]]) -> list[str]:
    """Return the name of each point beside it, where no other name or point stands yet."""
    letters: list[tuple[float, float]] = []
    drawn = []
    for own, (point, x, y) in enumerate(shown):
        taken = letters + [it[1:] for place, it in enumerate(shown) if place != own]
        rooms = [
            (x + scale * right, y + (down if right else scale * down), anchor)
            for scale, (right, down, anchor) in product((1, 2.5, 4), _BESIDE)
        ]
        free = (room for room in rooms if all(math.dist(room[:2], it) >= _APART for it in taken))
        left, height, anchor = next(free, rooms[0])
        letters.append((left, height))
        drawn.append(label(left, height, point.name, name="tick strong", anchor=anchor))
    return drawn
