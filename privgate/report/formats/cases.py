"""What a report means to a pipeline: one case per rule, one per demand, and one for the verdict.

Whatever format a pipeline reads, a release that is not met has a case that stops it: the verdict is
a case of its own, so that this holds whichever rules and demands there are.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from privgate.policy.verdict import Outcome
from privgate.report.names import legible_line
from privgate.report.reasons import rule_line

if TYPE_CHECKING:
    from privgate.report.demand_view import DemandView
    from privgate.report.rule_view import RuleView
    from privgate.report.view import ReportView
    from privgate.report.wording import Wording

VERDICT = "privgate.verdict"  # rules are named by slugs, so no rule has this name


class Standing(StrEnum):
    """What a case does to a pipeline; the first two stop it."""

    VIOLATED = "violated"
    NOT_ASSESSED = "not_assessed"
    ADVISORY = "advisory"
    WAIVED = "waived"
    MET = "met"

    @property
    def stops(self) -> bool:
        """Return whether a pipeline must fail."""
        return self in {Standing.VIOLATED, Standing.NOT_ASSESSED}

    @property
    def rank(self) -> int:
        """Return the place in an order that begins with the gravest."""
        return list(Standing).index(self)


@dataclass(frozen=True, kw_only=True)
class Case:
    """One thing that a pipeline shows; every text is legible, ``lines`` are the long description.

    ``about`` is what was asked, whatever came out. ``figures`` are named in English as in the CSV.
    """

    id: str
    title: str
    about: str
    standing: Standing
    message: str
    lines: tuple[str, ...]
    figures: tuple[tuple[str, str], ...] = ()

    @property
    def text(self) -> str:
        """Return the long description."""
        return "\n".join(self.lines)


def cases(view: ReportView) -> tuple[Case, ...]:
    """Return the verdict, then the rules, then the demands of the policy."""
    rules = (rule_case(rule, view.words) for rule in view.rules)
    demands = (_demand_case(demand, view.words) for demand in view.demands)
    return (verdict_case(view), *rules, *demands)


def gravest_first(found: tuple[Case, ...]) -> tuple[Case, ...]:
    """Return the cases with those that stop a pipeline first, else in their order."""
    return tuple(sorted(found, key=lambda case: case.standing.rank))


def verdict_case(view: ReportView) -> Case:
    """Return the case of the release as a whole."""
    standing = Standing(Outcome.WAIVED if view.badge.outcome == "waived" else view.outcome)
    report = view.words("ci.report", report=view.report_id, edition=view.edition)
    lines = (view.headline, view.release, view.policy, *view.reasons, view.gate, report)
    return Case(
        id=VERDICT,
        title=legible_line(view.headline),
        about=legible_line(view.policy),
        standing=standing,
        message=legible_line(f"{view.headline}. {view.gate}"),
        lines=tuple(map(legible_line, lines)),
    )


def rule_case(rule: RuleView, words: Wording) -> Case:
    """Return the case of a rule."""
    outcome, standing = words(f"outcome.{rule.verdict.outcome}"), standing_of(rule)
    line = words("ci.outcome_of", outcome=outcome, text=rule_line(rule, words))
    advice = f" {words('summary.advisory')}" if standing is Standing.ADVISORY else ""
    figures = _figures(rule)
    return Case(
        id=legible_line(rule.verdict.id),
        title=legible_line(rule.title),
        about=legible_line(rule.card.question),
        standing=standing,
        message=legible_line(f"{line}{advice}"),
        lines=tuple(legible_line(it) for it in (line, *_description(rule, words)) if it),
        figures=tuple((name, legible_line(text)) for name, text in figures.items() if text),
    )


def standing_of(rule: RuleView) -> Standing:
    """Return what a rule does to a pipeline."""
    outcome = rule.verdict.outcome
    if outcome in {Outcome.MET, Outcome.WAIVED}:
        return Standing(outcome.value)
    return Standing(outcome.value) if rule.stops else Standing.ADVISORY


def _figures(rule: RuleView) -> dict[str, str]:
    verdict = rule.verdict
    return {
        "metric": verdict.metric,
        "measure": verdict.measure,
        "part": verdict.part or "",
        "severity": verdict.severity,
        "outcome": verdict.outcome.value,
        "finding": verdict.finding.value,
        "measured": rule.measured,
        "interval": rule.interval,
        "judged": rule.judged,
        "limit": rule.limit,
        "margin": rule.margin,
    }


def _description(rule: RuleView, words: Wording) -> tuple[str, ...]:
    """Return the question, the figure with all that was held against it, and why it is asked."""
    verdict = rule.verdict
    texts = {
        "measured": rule.measured,
        "interval": f"{rule.interval} ({rule.method})" if rule.method else rule.interval,
        "judged": rule.judged,
        "limit": rule.limit,
        "margin": rule.margin,
        "part": verdict.part or "",
        "source": f"{rule.source_kind}: {rule.source_ref}",
        "rationale": verdict.rationale or "",
    }
    facts = (
        words("ci.labelled", name=words(f"verdict.{name}"), text=text)
        for name, text in texts.items()
        if text
    )
    advice = words("summary.advisory") if verdict.severity == "advisory" else ""
    return (rule.card.question, rule.meaning, *facts, advice, approval(rule, words))


def approval(rule: RuleView, words: Wording) -> str:
    """Return who lets a rule's finding stand, until when and why; empty where nobody does."""
    waiver = rule.verdict.waiver
    if waiver is None:
        return ""
    last = words.day(waiver.expires)
    return words("ci.approved", name=waiver.approved_by, last=last, reason=waiver.reason)


def _demand_case(demand: DemandView, words: Wording) -> Case:
    """Return the case of a demand; one that is not kept could not be shown, which stops."""
    standing = Standing.MET if demand.satisfied else Standing.NOT_ASSESSED
    outcome = words(f"outcome.{standing}")
    line = words("ci.outcome_of", outcome=outcome, text=demand.reason)
    return Case(
        id=legible_line(f"requires.{demand.id}"),
        title=legible_line(demand.name),
        about=legible_line(demand.name),
        standing=standing,
        message=legible_line(line),
        lines=(legible_line(line),),
        figures=(("required", legible_line(demand.required)), ("seen", legible_line(demand.seen))),
    )
