"""What the report says about one rule."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from privgate.evidence import Criterion, Estimate, Family, FigureKind
from privgate.policy.verdict import Outcome
from privgate.report.figure_words import (
    demand_words,
    interval_words,
    kind_of,
    limit_words,
    method_words,
    title_of,
    value_words,
)
from privgate.report.numbers import figure_text, margin_text
from privgate.report.redact import judged_figure
from privgate.report.small_counts import why_withheld

if TYPE_CHECKING:
    from collections.abc import Mapping

    from privgate.evidence import Card, RunEvidence
    from privgate.policy.verdict import RuleVerdict
    from privgate.report.figure_words import Require
    from privgate.report.wording import Wording


@dataclass(frozen=True, kw_only=True)
class RuleView:
    """One rule with its figure in words; nothing here is rounded or worded any further."""

    verdict: RuleVerdict
    card: Card
    kind: FigureKind
    title: str
    meaning: str
    measured: str
    interval: str
    method: str
    judged: str
    limit: str
    margin: str
    source_kind: str
    source_ref: str
    finding: str
    reason: str
    criteria: tuple[Criterion, ...]

    @property
    def stops(self) -> bool:
        """Return whether this rule keeps the gate shut."""
        return self.verdict.severity == "blocking" and self.verdict.outcome in {
            Outcome.VIOLATED,
            Outcome.NOT_ASSESSED,
        }

    @property
    def is_let_stand(self) -> bool:
        """Return whether only a waiver keeps this rule from stopping the release."""
        return self.verdict.severity == "blocking" and self.verdict.outcome is Outcome.WAIVED


def view_rule(rule: RuleVerdict, evidence: RunEvidence, words: Wording) -> RuleView:
    """Return what to say about a rule."""
    card = evidence.cards[rule.metric]
    kind = kind_of(card, rule.measure)
    figure = shown_figure(rule, evidence, words)
    limit = _nearest_limit(rule)
    spec = card.figures.get(rule.measure)
    texts = {
        "measured": value_words(figure, kind, words, limit=limit),
        "judged": words("columns.absent"),
        "limit": limit_words(rule.require, kind, words),
    }
    if rule.judged is not None:
        texts["judged"] = figure_text(rule.judged, kind, words.numbers, limit=limit)
    of_sample = evidence.run.sample is not None and rule.finding is Outcome.NOT_ASSESSED
    reason = _reason(rule, texts, words, kind=kind, of_sample=of_sample)
    return RuleView(
        verdict=rule,
        card=card,
        kind=kind,
        title=title_of(card, rule.measure),
        meaning=spec.meaning if spec is not None else "",
        interval=interval_words(figure, kind, words, limit=limit),
        method=method_words(figure, words),
        margin=_margin_words(rule, kind, words),
        source_kind=words.choose("source_kind", rule.source.get("kind", "unknown")),
        source_ref=rule.source.get("ref", ""),
        reason=reason,
        finding=_finding(rule, reason, words, card=card),
        criteria=rule_criteria(card, rule.measure),
        **texts,
    )


def risk_words(card: Card, measure: str, words: Wording) -> str:
    """Return what a check looks for, without a term of the trade."""
    if card.is_utility:
        return words("risk_words.utility")
    names = [words(f"risk_words.{c}") for c in rule_criteria(card, measure)]
    return " / ".join(names) or words("risk_words.screen")


def rule_criteria(card: Card, measure: str) -> tuple[Criterion, ...]:
    """Return the criteria a figure speaks to; none where it counts copies or nearness."""
    spec = card.figures.get(measure)
    if card.family is Family.SCREEN:
        return ()
    if spec is not None and spec.satisfies:
        return tuple(c for c in Criterion if c in spec.satisfies)
    return card.criteria if len(card.criteria) == 1 else ()


def margin(judged: float, require: Require) -> float:
    """Return how far a number keeps from its limits; negative beyond them.

    Examples
    --------
    >>> margin(3, {"max": 5}), margin(3, {"equals": 0}), margin(1, {"above": 2})
    (2, -3, -1)
    """
    room = {"max": 1, "below": 1, "min": -1, "above": -1}
    return min(
        -abs(judged - number) if name == "equals" else room[name] * (number - judged)
        for name, number in require.items()
    )


def shown_figure(rule: RuleVerdict, evidence: RunEvidence, words: Wording) -> Estimate:
    """Return the figure as the verdict saw it, with the method that the evidence knows."""
    figure = judged_figure(rule, evidence)
    if figure is not None and (why_withheld(figure) is not None or figure.value == rule.value):
        return figure
    if rule.value is None:
        return Estimate(value=None, reason=rule.reason, n=rule.n)
    ends: dict[str, object] = {}
    if rule.low is not None and rule.high is not None and rule.level is not None:
        ends = {
            "low": rule.low,
            "high": rule.high,
            "level": rule.level,
            "method": words("verdict.as_judged"),
        }
    return Estimate.model_validate({"value": rule.value, "n": rule.n, **ends})


def _nearest_limit(rule: RuleVerdict) -> float | None:
    anchor = rule.judged if rule.judged is not None else rule.value
    limits = sorted(rule.require.values())
    if not limits:
        return None
    return limits[0] if anchor is None else min(limits, key=lambda limit: abs(limit - anchor))


def _margin_words(rule: RuleVerdict, kind: FigureKind, words: Wording) -> str:
    if rule.judged is None or not rule.require:
        return words("columns.absent")
    return margin_text(margin(rule.judged, rule.require), kind, words.numbers)


def _reason(
    rule: RuleVerdict,
    texts: Mapping[str, str],
    words: Wording,
    *,
    kind: FigureKind,
    of_sample: bool,
) -> str:
    """Return why a rule has its outcome, in the units of the tables."""
    if rule.value is None or rule.judged is None:
        return _covered(_sentence(rule.reason), rule, words)
    worst = rule.judged != rule.value and texts["judged"] != texts["measured"]
    measured = words(f"reason.measured{'_worst' if worst else ''}", **_named(texts))
    demand = demand_words(rule.require, kind, words)
    name = "of_sample" if of_sample else str(rule.finding)
    return _covered(words(f"reason.{name}", measured=measured, demand=demand), rule, words)


def _covered(reason: str, rule: RuleVerdict, words: Wording) -> str:
    return reason if rule.waiver is None else words("reason.waived", reason=reason)


def _named(texts: Mapping[str, str]) -> dict[str, str]:
    return {"value": texts["measured"], "judged": texts["judged"]}


def _finding(rule: RuleVerdict, reason: str, words: Wording, *, card: Card) -> str:
    """Return the answer for readers of the summary, without units that need a glossary."""
    if rule.outcome is Outcome.MET:
        return words("summary.finding.met", risk=risk_words(card, rule.measure, words))
    if rule.finding is Outcome.NOT_ASSESSED and rule.judged is None:
        return words("summary.finding.not_assessed", reason=reason)
    return reason.replace(words.numbers.points, f" {words('summary.points')}")


def _sentence(text: str) -> str:
    return text if text.endswith((".", "!", "?")) else f"{text}."
