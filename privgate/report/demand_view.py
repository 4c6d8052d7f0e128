"""What the report says about one demand of the policy on the data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from privgate.evidence import FigureKind
from privgate.policy.sampled import WHOLE_RELEASE
from privgate.report.figure_words import demand_words, limit_words
from privgate.report.numbers import figure_text
from privgate.report.subject import json_words

if TYPE_CHECKING:
    from privgate.policy.verdict import CoverageVerdict, RequirementVerdict, Verdict
    from privgate.report.figure_words import Require
    from privgate.report.wording import Wording

_SHARES = frozenset({"max_holdout_overlap"})


@dataclass(frozen=True, kw_only=True)
class DemandView:
    """A demand, what was seen, and the sentence that says so; ``id`` is what a policy calls it."""

    id: str
    satisfied: bool
    name: str
    required: str
    seen: str
    reason: str


def view_demands(verdict: Verdict, words: Wording) -> tuple[DemandView, ...]:
    """Return what to say about every demand on the data and every criterion to be covered."""
    data = (view_demand(item, words) for item in verdict.requirements)
    covered = (
        _view_criterion(name, item, words)
        for name, item in verdict.coverage.items()
        if item.required
    )
    return (*data, *covered)


def _view_criterion(name: str, item: CoverageVerdict, words: Wording) -> DemandView:
    return DemandView(
        id=f"coverage.{name}",
        satisfied=item.satisfied,
        name=words("ci.coverage", criterion=words.choose("criterion", name)),
        required=words("verdict.yes"),
        seen=words("verdict.yes" if item.satisfied else "verdict.no"),
        reason=item.reason,
    )


def view_demand(item: RequirementVerdict, words: Wording) -> DemandView:
    """Return what to say about a demand; in the verdict's own sentence if it has no words here."""
    name = words.choose("demand_names", item.name)
    kind = FigureKind.SHARE if item.name in _SHARES else FigureKind.COUNT
    require = _require(item)
    required = _stated(item, json_words(item.required), words)
    if require:
        required = limit_words(require, kind, words)
    elif isinstance(item.required, bool):
        required = words("verdict.yes" if item.required else "verdict.no")
    seen = _seen(item, kind, words)
    reason = item.reason
    if name != item.name.replace("_", " "):
        demand = demand_words(require, kind, words) if require else words("demand.there")
        reason = words("reason.demand", name=name, seen=seen, demand=demand)
    if item.name == WHOLE_RELEASE:  # no policy has to ask for it
        reason = words("reason.whole_release")
    return DemandView(
        id=item.name,
        satisfied=item.satisfied,
        name=name,
        required=required,
        seen=seen,
        reason=reason,
    )


def _stated(item: RequirementVerdict, value: str, words: Wording) -> str:
    """Return a value that is no number: kinds of releases have words, others stay as stated."""
    return words.choose("release_kind", value) if item.name == "kind" else value


def _require(item: RequirementVerdict) -> Require:
    if isinstance(item.required, bool | str):
        return {}
    if item.name.startswith("min_"):
        return {"min": item.required}
    return {"max": item.required} if item.name.startswith("max_") else {}


def _seen(item: RequirementVerdict, kind: FigureKind, words: Wording) -> str:
    if item.seen is None:
        return words("verdict.unknown")
    if isinstance(item.seen, bool):
        return words("verdict.yes" if item.seen else "verdict.no")
    if isinstance(item.seen, str):
        return _stated(item, item.seen, words)
    limit = None if isinstance(item.required, bool | str) else item.required
    return figure_text(item.seen, kind, words.numbers, limit=limit)
