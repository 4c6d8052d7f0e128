"""Where a release stands between risk and utility."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from privgate.evidence import SafeSide
from privgate.policy.judge import KEPT
from privgate.policy.limits import LOWER, UPPER, figure_range
from privgate.policy.verdict import Outcome

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from privgate.policy.model import Operator
    from privgate.report.rule_view import RuleView
    from privgate.report.view import ReportView

MOST_RISK = 3.0


@dataclass(frozen=True, kw_only=True)
class Position:
    """Risk and utility of a release, absent where nothing of them is known.

    ``risk`` is the greatest part of its limit that a blocking rule uses up: 1 is at the limit, and
    ``MOST_RISK`` stands for all that is greater. ``risk_is_least`` is true where the risk may be
    greater than shown: a rule whose number is withheld uses up at most all of its limit if it is
    met, and nobody knows how much if not.
    ``utility``, from 0 to 1, is the mean of the figures of the policy's rules on utility, of those
    that have one in every release that is compared.
    """

    risk: float | None
    risk_is_least: bool
    utility: float | None


def position(view: ReportView, counted: Sequence[int]) -> Position:
    """Return where a release stands, by the numbers of its shareable report.

    Parameters
    ----------
    view
        The report.
    counted
        The places of the rules that utility is the mean of, which all have a figure.
    """
    blocking = [rule.verdict for rule in view.rules if rule.verdict.severity == "blocking"]
    used = [used_up(rule.judged, rule.require) for rule in blocking if rule.judged is not None]
    known = [min(1.0, float(view.rules[place].verdict.value or 0)) for place in counted]
    risk = max(used, default=None)
    unseen = [rule.finding for rule in blocking if rule.judged is None]
    most = 0.0 if not unseen else 1.0 if set(unseen) == {Outcome.MET} else math.inf
    return Position(
        risk=risk,
        risk_is_least=most > (risk or 0.0),
        utility=math.fsum(known) / len(known) if known else None,
    )


def counted_places(views: Sequence[ReportView]) -> list[int]:
    """Return the places of rules on utility that have a figure in every release."""
    return [
        place
        for place in utility_places(views[0])
        if all(view.rules[place].verdict.value is not None for view in views)
    ]


def utility_places(view: ReportView) -> list[int]:
    """Return the places of rules on utility, with a figure from 0, useless, to 1 or more."""
    return [place for place, rule in enumerate(view.rules) if _is_useful(rule)]


def _is_useful(rule: RuleView) -> bool:
    spec = rule.card.figures.get(rule.verdict.measure)
    if not rule.card.is_utility or spec is None or spec.safe_side is not SafeSide.HIGH:
        return False
    return figure_range(spec)[0] == 0


def used_up(judged: float, require: Mapping[Operator, float]) -> float:
    """Return what part of its limits a number uses up, at most ``MOST_RISK``.

    That is judged / limit under an upper limit and limit / judged above a lower one. Where there is
    no such ratio, as with a limit of 0, it is 0 for a number that keeps the limit and ``MOST_RISK``
    for one that does not.

    Examples
    --------
    >>> used_up(0.03, {"max": 0.05}), used_up(0.04, {"above": 0.01}), used_up(-0.1, {"max": 0.05})
    (0.6, 0.25, 0.0)
    >>> used_up(0, {"equals": 0}), used_up(2, {"equals": 0}), used_up(0.0, {"above": 0.01})
    (0.0, 3.0, 3.0)
    """
    return max((_used(judged, name, limit) for name, limit in require.items()), default=MOST_RISK)


def _used(judged: float, name: Operator, limit: float) -> float:
    if name in UPPER and limit > 0:
        return min(MOST_RISK, max(0.0, judged) / limit)
    if name in LOWER and limit > 0:
        return min(MOST_RISK, limit / judged) if judged > 0 else MOST_RISK
    return 0.0 if KEPT[name](judged, limit) else MOST_RISK
