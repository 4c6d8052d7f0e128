"""How figures are rounded and printed; rounding never moves one to the other side of a limit."""

from __future__ import annotations

from decimal import ROUND_HALF_EVEN, Decimal

from privgate.evidence import FigureKind

_MINUS = "\N{MINUS SIGN}"
_SIGNIFICANT = {FigureKind.DISTANCE: 3, FigureKind.SCORE: 3, FigureKind.P_VALUE: 2}
_LARGEST_PLAIN = Decimal(10) ** 15
_SMALLEST_PLAIN = Decimal(10) ** -9


def figure_text(value: float, kind: FigureKind, *, limit: float | None = None) -> str:
    """Return a figure as the report prints it.

    Parameters
    ----------
    value
        A finite number.
    kind
        What the figure is; shares become per cent and differences percentage points.
    limit
        The number it is held against. Digits are added until the rounded figure lies on the same
        side of it as the figure itself.

    Examples
    --------
    >>> figure_text(0.12345, FigureKind.SHARE)
    '12.3%'
    >>> figure_text(0.050001, FigureKind.SHARE, limit=0.05)
    '5.0001%'
    >>> figure_text(-0.0042, FigureKind.DIFFERENCE)
    '−0.42 pp'
    >>> figure_text(1234, FigureKind.COUNT)
    '1,234'
    """
    number, bound = _scaled(value, kind), None if limit is None else _scaled(limit, kind)
    if kind is FigureKind.P_VALUE and 0 < number < Decimal("0.001") and (bound is None or bound):
        return "<0.001" if bound is None or bound >= Decimal("0.001") else _plain(number)
    return _with_unit(_plain(_rounded(number, kind, bound)), kind, signed=number > 0)


def limit_text(value: float, kind: FigureKind) -> str:
    """Return a limit of a policy in full, without rounding.

    Examples
    --------
    >>> limit_text(0.05, FigureKind.SHARE), limit_text(0.1, FigureKind.DIFFERENCE)
    ('5%', '10 pp')
    """
    number = _scaled(value, kind)
    return _with_unit(_plain(number.normalize() if number else Decimal(0)), kind, signed=False)


def margin_text(value: float, kind: FigureKind) -> str:
    """Return a distance from a limit, with its sign.

    Examples
    --------
    >>> margin_text(0.012, FigureKind.SHARE), margin_text(-3, FigureKind.COUNT)
    ('+1.2 pp', '−3')
    """
    unit = FigureKind.DIFFERENCE if kind is FigureKind.SHARE else kind
    number = _scaled(value, unit)
    text = _plain(_rounded(number, unit, Decimal(0)))
    signed = f"+{text}" if number > 0 else text
    return f"{signed} pp" if unit is FigureKind.DIFFERENCE else signed


def count_text(value: int) -> str:
    """Return a whole number with thousands set apart.

    Examples
    --------
    >>> count_text(9275)
    '9,275'
    """
    return f"{value:,}"


def level_text(level: float) -> str:
    """Return a confidence level in per cent.

    Examples
    --------
    >>> level_text(0.95)
    '95%'
    """
    return limit_text(level, FigureKind.SHARE)


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


def _plain(number: Decimal) -> str:
    if number and not _SMALLEST_PLAIN <= abs(number) < _LARGEST_PLAIN:
        text = f"{number:.2e}"
    else:
        text = f"{number:,f}"
    if not number:
        text = text.removeprefix("-")
    return text.replace("-", _MINUS)


def _with_unit(text: str, kind: FigureKind, *, signed: bool) -> str:
    if kind is FigureKind.SHARE:
        return f"{text}%"
    if kind is FigureKind.DIFFERENCE:
        return f"{'+' if signed else ''}{text} pp"
    return text
