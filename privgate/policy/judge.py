"""One figure held against one limit.

Every comparison asks whether the limit is *kept*, so that whatever is unknown is not kept.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from operator import eq, ge, gt, le, lt
from typing import TYPE_CHECKING

from privgate.policy.limits import LOWER, UPPER
from privgate.policy.model import Judge
from privgate.policy.verdict import Outcome

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from privgate.evidence import Estimate, FigureSpec
    from privgate.policy.model import Limit, Operator

Number = int | float
KEPT: Mapping[Operator, Callable[[Number, Number], bool]] = {
    "max": le,
    "below": lt,
    "min": ge,
    "above": gt,
    "equals": eq,
}
"""Whether a number keeps a limit, for each way to state one."""
_WORDS: Mapping[Operator, str] = {
    "max": "at most",
    "below": "below",
    "min": "at least",
    "above": "above",
    "equals": "exactly",
}
_GRAVITY = {Outcome.VIOLATED: 0, Outcome.NOT_ASSESSED: 1, Outcome.MET: 2}
_LARGEST_SAMPLE = 10**9  # more records than any release has: no advice worth printing


@dataclass(frozen=True, kw_only=True)
class Judgement:
    """What became of one figure under one limit.

    ``margin`` says by how much the judged number keeps the limit, in units of the figure; negative
    where it breaks it, minus infinity where nothing is known.
    """

    outcome: Outcome
    reason: str
    judged: Number | None = None
    margin: float = -math.inf
    needed_n: int | None = None

    @property
    def rank(self) -> tuple[int, float]:
        """Return a key that sorts the gravest judgement first."""
        return _GRAVITY[self.outcome], self.margin


def unassessed(reason: str) -> Judgement:
    """Return the judgement that nothing can be said."""
    return Judgement(outcome=Outcome.NOT_ASSESSED, reason=reason)


def judge_figure(
    estimate: Estimate, *, limit: Limit, spec: FigureSpec, judge: Judge, confidence: float
) -> Judgement:
    """Return what a limit makes of a figure.

    On the bound: met if the unfavourable end of the interval keeps the limit, violated if the value
    itself breaks it, otherwise not assessed. An exact figure has no interval and is its own bound.

    Examples
    --------
    >>> from privgate.evidence import Estimate, FigureKind, FigureSpec, SafeSide
    >>> from privgate.policy.model import Limit
    >>> share = FigureSpec(title="t", meaning="m", safe_side=SafeSide.LOW, kind=FigureKind.SHARE,
    ...                    has_interval=True)
    >>> seen = Estimate(value=0.04, low=0.01, high=0.07, level=0.95, method="Wilson", n=100)
    >>> found = judge_figure(seen, limit=Limit(max=0.05), spec=share, judge=Judge.BOUND,
    ...                      confidence=0.95)
    >>> found.outcome.value, found.judged, found.needed_n
    ('not_assessed', 0.07, 900)
    """
    if estimate.value is None:
        return unassessed(f"The figure has no value: {_clause(estimate.reason)}.")
    if not math.isfinite(estimate.value):
        return unassessed("The figure is not a finite number.")
    if not spec.has_interval or judge is Judge.POINT:
        ends = (estimate.value, estimate.value)
    elif reason := _unfit_interval(estimate, confidence):
        return unassessed(reason)
    else:
        ends = (_finite(estimate.low), _finite(estimate.high))
    held = [_held(estimate, ends, operator, number) for operator, number in limit.stated.items()]
    return min(held, key=lambda judgement: judgement.rank)


def breaks_with_certainty(estimate: Estimate, limit: Limit) -> bool:
    """Return whether every value of a figure's interval breaks the same limit.

    Examples
    --------
    >>> from privgate.policy.model import Limit
    >>> from privgate.evidence import Estimate
    >>> seen = Estimate(value=0.08, low=0.04, high=0.12, level=0.95, method="Wilson", n=100)
    >>> [breaks_with_certainty(seen, Limit(max=most)) for most in (0.05, 0.03)]
    [False, True]
    """
    ends = _finite(estimate.low), _finite(estimate.high)
    if not all(map(math.isfinite, ends)):
        return False
    return any(_all_break(ends, operator, number) for operator, number in limit.stated.items())


def _all_break(ends: tuple[float, float], operator: Operator, number: float) -> bool:
    if operator == "equals":
        return not ends[0] <= number <= ends[1]
    return not any(KEPT[operator](end, number) for end in ends)


def _clause(reason: str | None) -> str:
    return (reason or "no reason is given").strip().rstrip(".")


def _finite(end: float | None) -> float:
    return math.nan if end is None else end


def _unfit_interval(estimate: Estimate, confidence: float) -> str | None:
    """Return why the interval cannot be judged; a wider one than asked for can be."""
    if not (math.isfinite(_finite(estimate.low)) and math.isfinite(_finite(estimate.high))):
        return "The figure comes without the interval that it is to be judged by."
    if not (estimate.level is not None and estimate.level >= confidence):
        return "The interval has a lower confidence than the policy asks for."
    return None


def _held(
    estimate: Estimate, ends: tuple[Number, Number], operator: Operator, number: float
) -> Judgement:
    """Hold one figure, with the ends of its interval, against one limit."""
    value, kept = estimate.value, KEPT[operator]
    if value is None:
        return unassessed("The figure has no value.")
    unfavourable = _unfavourable(ends, operator)
    judged = min(unfavourable, key=lambda end: _margin(operator, end, number))
    wanted = f"the limit ({_WORDS[operator]} {number:.12g})"
    needed = None
    if not kept(value, number):
        outcome, reason = Outcome.VIOLATED, f"The value breaks {wanted}."
    elif all(kept(end, number) for end in unfavourable):
        what = "value" if ends == (value, value) else "unfavourable end of the interval"
        outcome, reason = Outcome.MET, f"The {what} keeps {wanted}."
    else:
        outcome = Outcome.NOT_ASSESSED
        reason = f"Inconclusive: the interval straddles {wanted}."
        needed = _needed_records(estimate, judged, number)
    margin = _margin(operator, judged, number)
    return Judgement(outcome=outcome, reason=reason, judged=judged, margin=margin, needed_n=needed)


def _unfavourable(ends: tuple[Number, Number], operator: Operator) -> tuple[Number, ...]:
    if operator in UPPER:
        return ends[1:]
    return ends[:1] if operator in LOWER else ends


def _margin(operator: Operator, number: Number, limit: float) -> float:
    """Return how far a number keeps a limit; an ``equals`` is kept at distance 0 at most."""
    if operator in UPPER:
        return limit - number
    return number - limit if operator in LOWER else -abs(number - limit)


def _needed_records(estimate: Estimate, judged: Number, limit: float) -> int | None:
    """Return about how many records would bring the judged end to the limit, were the value true.

    The half-width of an interval shrinks with the square root of n, so the number is
    n × (half-width on the unfavourable side / distance of the value from the limit)².
    """
    if estimate.value is None or estimate.n is None or estimate.value == limit:
        return None
    ratio = (judged - estimate.value) / (limit - estimate.value)
    needed = estimate.n * ratio * ratio
    if not needed <= _LARGEST_SAMPLE:
        return None
    return max(math.ceil(needed), estimate.n + 1)
