"""Which limits make sense for a figure."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from privgate.evidence import FigureKind, FigureSpec, SafeSide
from privgate.policy.model import Operator

if TYPE_CHECKING:
    from collections.abc import Iterator

    from privgate.policy.model import Limit

UPPER: frozenset[Operator] = frozenset({"max", "below"})
LOWER: frozenset[Operator] = frozenset({"min", "above"})
_NATURAL_RANGES = {
    FigureKind.SHARE: (0.0, 1.0),
    FigureKind.DIFFERENCE: (-1.0, 1.0),
    FigureKind.COUNT: (0.0, math.inf),
    FigureKind.P_VALUE: (0.0, 1.0),
    FigureKind.DISTANCE: (0.0, math.inf),
    FigureKind.SCORE: (-math.inf, math.inf),
}
Complaint = tuple[Operator, str, str | None]


def figure_range(spec: FigureSpec) -> tuple[float, float]:
    """Return the least and the greatest value a figure can have; infinite where there is none.

    Examples
    --------
    >>> figure_range(FigureSpec(title="t", meaning="m", safe_side=SafeSide.LOW,
    ...                         kind=FigureKind.COUNT))
    (0.0, inf)
    """
    least, greatest = _NATURAL_RANGES[spec.kind]
    return (
        least if spec.minimum is None else spec.minimum,
        greatest if spec.maximum is None else spec.maximum,
    )


def allowed_ends(limit: Limit) -> tuple[tuple[float, bool], tuple[float, bool]]:
    """Return the two ends of what a limit allows, so made that the tighter end compares greater.

    The first is (number, whether it is itself refused), the second the same with the sign of the
    number turned.

    Examples
    --------
    >>> from privgate.policy.model import Limit
    >>> allowed_ends(Limit(above=0.1, max=0.5))
    ((0.1, True), (-0.5, False))
    """
    low, high = (-math.inf, False), (-math.inf, False)
    for operator, number in limit.stated.items():
        if operator in LOWER or operator == "equals":
            low = (number, operator == "above")
        if operator in UPPER or operator == "equals":
            high = (-number, operator == "below")
    return low, high


def is_within(limit: Limit, other: Limit) -> bool:
    """Return whether a limit allows nothing that the other refuses.

    Then it is met by no figure that does not meet the other, and violated by every figure that
    violates the other, whichever end of an interval is judged.

    Examples
    --------
    >>> from privgate.policy.model import Limit
    >>> is_within(Limit(below=0.05), Limit(max=0.05)), is_within(Limit(max=0.05), Limit(below=0.05))
    (True, False)
    """
    return all(
        own >= others for own, others in zip(allowed_ends(limit), allowed_ends(other), strict=True)
    )


def limit_complaints(limit: Limit, spec: FigureSpec) -> Iterator[Complaint]:
    """Yield operator, message and remedy for each limit that guards nothing or admits nothing."""
    yield from _wrong_side(limit, spec)
    least, greatest = figure_range(spec)
    for operator, number in limit.stated.items():
        if not least <= number <= greatest:
            between = f"between {least:g} and {greatest:g}"
            if math.inf in {greatest, -least}:
                between = f"at least {least:g}" if least > -math.inf else f"at most {greatest:g}"
            yield (
                operator,
                f"the limit {number:g} is outside the figure's range",
                (f"the figure is always {between}"),
            )
        elif never := _never(operator, number, spec):
            yield operator, f"{operator} {number:g} can never {never}", _moved(operator, never)


def _wrong_side(limit: Limit, spec: FigureSpec) -> Iterator[Complaint]:
    """Refuse a limit that only keeps the figure from being harmless."""
    low = spec.safe_side is SafeSide.LOW
    guarding, idle = (UPPER, LOWER) if low else (LOWER, UPPER)
    stated = limit.stated
    if not stated.keys() & idle or stated.keys() & guarding:
        return
    operator = next(iter(stated))
    wanted = "max or below" if low else "min or above"
    yield (
        operator,
        f"{operator} does not guard this figure: its harmless end is the {spec.safe_side} one",
        f"write {wanted}",
    )


def _never(operator: Operator, number: float, spec: FigureSpec) -> str | None:
    """Return what a limit within the range can never do: fail or be met."""
    least, greatest = figure_range(spec)
    if (operator == "max" and number == greatest) or (operator == "min" and number == least):
        return "fail"
    if (operator == "below" and number == least) or (operator == "above" and number == greatest):
        return "be met"
    if operator == "equals" and spec.kind is FigureKind.COUNT and not number.is_integer():
        return "be met"
    return None


def _moved(operator: Operator, never: str) -> str:
    if operator == "equals":
        return "a count is a whole number"
    lower = (never == "fail") == (operator == "max")
    return f"write a {'lower' if lower else 'higher'} limit"
