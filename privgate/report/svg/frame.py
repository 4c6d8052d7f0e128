"""Scales, ticks and the drawing of axes."""

from __future__ import annotations

import math
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from privgate.report.numbers import NumberStyle

from privgate.report.names import short_words

INK = "#1c2430"
FAINT = "#5b6675"
GRID = "#dfe3e8"
TONES = {
    "met": "#17663f",
    "violated": "#a5211b",
    "not_assessed": "#85560a",
    "waived": "#5a4a9c",
}
_WIDEST_TEXT = 840.0  # letters times font size that fit across a picture of half a page
_FONTS = "Report Sans, Report Mono, Liberation Sans, Arial, sans-serif"


@dataclass(frozen=True, kw_only=True)
class Scale:
    """A linear map from numbers (``low`` to ``high``) to places (``start`` to ``end``)."""

    low: float
    high: float
    start: float
    end: float

    def __call__(self, number: float) -> float:
        """Return the place of a number, held within the scale."""
        span = self.high - self.low
        share = (number - self.low) / span if span > 0 else 0.5
        return self.start + min(1.0, max(0.0, share)) * (self.end - self.start)


def ticks(low: float, high: float, *, at_most: int) -> tuple[float, ...]:
    """Return round numbers within a range, evenly spaced.

    Examples
    --------
    >>> ticks(0, 1, at_most=5)
    (0.0, 0.25, 0.5, 0.75, 1.0)
    >>> ticks(0.0, 37, at_most=5)
    (0.0, 10.0, 20.0, 30.0)
    """
    if not high > low:
        return (low,)
    rough = (high - low) / max(1, at_most - 1)
    magnitude = 10.0 ** math.floor(math.log10(rough))
    step = next(s * magnitude for s in (1, 2, 2.5, 5, 10) if s * magnitude >= rough * (1 - 1e-9))
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return tuple(float(f"{count * step:.10g}") for count in range(first, last + 1))


def tick_text(number: float, style: NumberStyle, *, percent: bool = False) -> str:
    """Return the label of a tick.

    Examples
    --------
    >>> from privgate.report.numbers import ENGLISH
    >>> tick_text(0.25, ENGLISH, percent=True), tick_text(-1500.0, ENGLISH)
    ('25%', '−1,500')
    """
    text = style.written(f"{number * 100 if percent else number:,.6g}")
    return text.replace("-", "\N{MINUS SIGN}") + (style.percent if percent else "")


def place(number: float) -> str:
    """Return a coordinate in its shortest form with two decimals at most."""
    return f"{number:.2f}".rstrip("0").rstrip(".")


def line(
    x1: float, y1: float, x2: float, y2: float, *, name: str, stroke: str, more: str = ""
) -> str:
    """Return a straight line."""
    ends = f'x1="{place(x1)}" y1="{place(y1)}" x2="{place(x2)}" y2="{place(y2)}"'
    return f'<line class="{name}" {ends} stroke="{stroke}"{more}/>'


def label(
    x: float,
    y: float,
    text: str,
    *,
    name: str,
    anchor: str = "start",
    more: str = "",
    room: float = _WIDEST_TEXT,
) -> str:
    """Return a text, escaped; it is smaller where its letters at full size exceed the room."""
    text = short_words(text)
    fill = INK if "strong" in name else FAINT
    size = place(min(14.0, room / max(1, len(text))))
    return (
        f'<text class="{name}" x="{place(x)}" y="{place(y)}" text-anchor="{anchor}" '
        f'fill="{fill}" font-size="{size}"{more}>{escape(text)}</text>'
    )


def picture(
    body: list[str], *, width: int, height: int, identity: str, title: str, description: str
) -> str:
    """Return a complete SVG element that says in words what it shows."""
    head = (
        f'<svg class="chart" xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
        f'role="img" aria-labelledby="{identity}-t {identity}-d" font-family="{_FONTS}">'
        f'<title id="{identity}-t">{escape(short_words(title))}</title>'
        f'<desc id="{identity}-d">{escape(short_words(description))}</desc>'
    )
    return head + "".join(body) + "</svg>"
