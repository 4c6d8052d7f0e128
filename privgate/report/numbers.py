"""How figures are rounded and printed; rounding never moves one to the other side of a limit."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import ROUND_HALF_EVEN, Decimal

from privgate.evidence import FigureKind

_MINUS = "\N{MINUS SIGN}"
_SIGNIFICANT = {FigureKind.DISTANCE: 3, FigureKind.SCORE: 3, FigureKind.P_VALUE: 2}
_LARGEST_PLAIN = Decimal(10) ** 15
_SMALLEST_PLAIN = Decimal(10) ** -5
_SMALLEST_LIMIT = Decimal(10) ** -9  # a limit is printed in full, whatever its number of zeros
_RAISED = str.maketrans("0123456789-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "+")


@dataclass(frozen=True, kw_only=True)
class NumberStyle:
    """The signs with which a language writes numbers: around decimals and behind shares."""

    decimal: str
    thousands: str
    percent: str
    points: str

    def written(self, text: str) -> str:
        """Return a number written with a decimal point and thousands commas in this style.

        Examples
        --------
        >>> NumberStyle(decimal=",", thousands=".", percent=" %", points=" PP").written("1,234.5")
        '1.234,5'
        """
        return text.translate({ord(","): self.thousands, ord("."): self.decimal})


ENGLISH = NumberStyle(decimal=".", thousands=",", percent="%", points=" pp")


def figure_text(
    value: float, kind: FigureKind, style: NumberStyle, *, limit: float | None = None
) -> str:
    """Return a figure as the report prints it.

    Parameters
    ----------
    value
        A finite number.
    kind
        What the figure is; shares become per cent and differences percentage points.
    style
        How the language writes numbers.
    limit
        The number it is held against. Digits are added until the rounded figure lies on the same
        side of it as the figure itself.

    Examples
    --------
    >>> figure_text(0.12345, FigureKind.SHARE, ENGLISH)
    '12.3%'
    >>> figure_text(0.050001, FigureKind.SHARE, ENGLISH, limit=0.05)
    '5.0001%'
    >>> figure_text(-0.0042, FigureKind.DIFFERENCE, ENGLISH)
    '−0.42 pp'
    >>> figure_text(1234, FigureKind.COUNT, ENGLISH)
    '1,234'
    >>> figure_text(4.8e-7, FigureKind.SCORE, ENGLISH)
    '4.80 × 10⁻⁷'
    """
    number, bound = _scaled(value, kind), None if limit is None else _scaled(limit, kind)
    if kind is FigureKind.P_VALUE and 0 < number < Decimal("0.001") and (bound is None or bound):
        if bound is None or bound >= Decimal("0.001"):
            return f"<{style.written('0.001')}"
        return _plain(number, style)
    signed = "+" if kind is FigureKind.DIFFERENCE and number > 0 else ""
    return signed + _with_unit(_plain(_rounded(number, kind, bound), style), kind, style)


def limit_text(value: float, kind: FigureKind, style: NumberStyle) -> str:
    """Return a limit of a policy in full, without rounding.

    Examples
    --------
    >>> limit_text(0.05, FigureKind.SHARE, ENGLISH)
    '5%'
    """
    number = _scaled(value, kind)
    plain = _plain(number.normalize() if number else Decimal(0), style, _SMALLEST_LIMIT)
    return _with_unit(plain, kind, style)


def margin_text(value: float, kind: FigureKind, style: NumberStyle) -> str:
    """Return a distance from a limit, with its sign.

    Examples
    --------
    >>> margin_text(0.012, FigureKind.SHARE, ENGLISH)
    '+1.2 pp'
    """
    unit = FigureKind.DIFFERENCE if kind is FigureKind.SHARE else kind
    number = _scaled(value, unit)
    text = _with_unit(_plain(_rounded(number, unit, Decimal(0)), style), unit, style)
    return f"+{text}" if number > 0 else text


def count_text(value: int, style: NumberStyle) -> str:
    """Return a whole number with thousands set apart.

    Examples
    --------
    >>> count_text(9275, ENGLISH)
    '9,275'
    """
    return style.written(f"{value:,}")


def level_text(level: float, style: NumberStyle) -> str:
    """Return a confidence level in per cent.

    Examples
    --------
    >>> level_text(0.95, ENGLISH)
    '95%'
    """
    return limit_text(level, FigureKind.SHARE, style)


def _scaled(value: float, kind: FigureKind) -> Decimal:
    number = Decimal(repr(value))
    return number * 100 if kind in {FigureKind.SHARE, FigureKind.DIFFERENCE} else number


def _rounded(number: Decimal, kind: FigureKind, bound: Decimal | None) -> Decimal:
    if kind is FigureKind.COUNT and number == number.to_integral_value():
        return number.to_integral_value()
    significant = _SIGNIFICANT.get(kind, 2)
    magnitude = number.adjusted() if number else 0
    fewest = 1 if kind in {FigureKind.SHARE, FigureKind.DIFFERENCE, FigureKind.COUNT} else 0
    places = max(fewest, significant - 1 - magnitude)
    if not number:
        places = fewest
    while True:
        rounded = _quantized(number, places)
        if bound is None or _side(rounded, bound) == _side(number, bound):
            return rounded
        places += 1


def _quantized(number: Decimal, places: int) -> Decimal:
    if abs(number) >= _LARGEST_PLAIN:
        return number
    return number.quantize(Decimal(1).scaleb(-places), rounding=ROUND_HALF_EVEN)


def _side(number: Decimal, bound: Decimal) -> int:
    return (number > bound) - (number < bound)


def _plain(number: Decimal, style: NumberStyle, smallest: Decimal = _SMALLEST_PLAIN) -> str:
    if number and not smallest <= abs(number) < _LARGEST_PLAIN:
        mantissa, exponent = f"{number:.2e}".split("e")
        text = f"{mantissa} × 10{exponent.translate(_RAISED)}"
    else:
        text = f"{number:,f}"
    if not number:
        text = text.removeprefix("-")
    return style.written(text).replace("-", _MINUS)


def _with_unit(text: str, kind: FigureKind, style: NumberStyle) -> str:
    units = {FigureKind.SHARE: style.percent, FigureKind.DIFFERENCE: style.points}
    return text + units.get(kind, "")
