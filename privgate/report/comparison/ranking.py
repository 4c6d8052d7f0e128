"""The order of releases under one policy; releases that nothing tells apart share a place."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from privgate.policy.limits import figure_range
from privgate.policy.verdict import Outcome
from privgate.report.rule_view import margin

if TYPE_CHECKING:
    from collections.abc import Sequence

    from privgate.evidence import FigureSpec
    from privgate.policy.verdict import RuleVerdict
    from privgate.report.view import ReportView

PLACES = 3  # decimals to which overshoots are compared, which are those that are printed
_ORDER = ("met", "met_waived", "not_assessed", "violated")


@dataclass(frozen=True, kw_only=True)
class Standing:
    """What the order of a release rests on.

    ``violated`` counts blocking rules whose finding is a violation, whether or not a waiver covers
    it. ``overshoot`` sums how far those are beyond their limits, ``None`` where a figure is not
    known or withheld. ``open`` counts what the policy demands and could not be shown.
    """

    outcome: str
    violated: int
    overshoot: float | None
    open: int

    @property
    def key(self) -> tuple[int, int, float, int]:
        """Return what is compared, the better first; what is not known comes last."""
        overshoot = math.inf if self.overshoot is None else self.overshoot
        return _ORDER.index(self.outcome), self.violated, overshoot, self.open


def standing(view: ReportView) -> Standing:
    """Return what the order of a release rests on, from what its report shows."""
    blocking = [rule for rule in view.rules if rule.verdict.severity == "blocking"]
    broken = [rule for rule in blocking if rule.verdict.finding is Outcome.VIOLATED]
    excesses = [
        overshoot(rule.verdict, rule.card.figures.get(rule.verdict.measure)) for rule in broken
    ]
    waived = any(rule.is_let_stand for rule in blocking)
    unshown = sum(rule.verdict.finding is Outcome.NOT_ASSESSED for rule in blocking)
    known = [excess for excess in excesses if excess is not None]
    return Standing(
        outcome="met_waived" if view.outcome == Outcome.MET and waived else view.outcome,
        violated=len(broken),
        overshoot=round(math.fsum(known), PLACES) if len(known) == len(broken) else None,
        open=unshown + sum(not demand.satisfied for demand in view.demands),
    )


def overshoot(rule: RuleVerdict, spec: FigureSpec | None) -> float | None:
    """Return how far a rule is beyond its limit, from 0 to 1, or ``None`` if that is not known.

    1 is the worst value that the figure can have. A figure without a worst value that lies ``d``
    beyond its limit ``l`` counts as d / (d + max(|l|, 1)).
    """
    if rule.judged is None or not rule.require:
        return None
    beyond = -margin(rule.judged, rule.require)
    ends = (-math.inf, math.inf) if spec is None else figure_range(spec)
    room = max(-margin(end, rule.require) for end in ends)
    if math.isinf(room):
        room = beyond + max(1.0, *map(abs, rule.require.values()))
    return min(1.0, beyond / room) if beyond > 0 else 0.0


def ranks(standings: Sequence[Standing]) -> list[int]:
    """Return the place of each: one more than how many are better.

    Examples
    --------
    >>> met = Standing(outcome="met", violated=0, overshoot=0.0, open=0)
    >>> broken = Standing(outcome="violated", violated=1, overshoot=0.2, open=0)
    >>> ranks([broken, met, met])
    [3, 1, 1]
    """
    keys = [standing.key for standing in standings]
    return [1 + sum(other < key for other in keys) for key in keys]


def deciding(better: Standing, worse: Standing) -> str:
    """Return the name of the first thing in which one stands behind another."""
    names = ("outcome", "violated", "overshoot", "open")
    pairs = zip(names, better.key, worse.key, strict=True)
    return next(name for name, one, other in pairs if one != other)
