"""What decided, told in the units of the tables: the verdict's own sentences have none."""

from __future__ import annotations

from typing import TYPE_CHECKING

from privgate.policy.verdict import Outcome
from privgate.report.demand_view import view_demand
from privgate.report.numbers import count_text

if TYPE_CHECKING:
    from privgate.report.rule_view import RuleView
    from privgate.report.subject import Subject
    from privgate.report.wording import Wording


def deciding_reasons(subject: Subject) -> tuple[str, ...]:
    """Return what decided, the gravest first, and what advisory rules have to say last."""
    found = [
        rule_line(rule, subject.words)
        for outcome in (Outcome.VIOLATED, Outcome.NOT_ASSESSED)
        for rule in subject.rules
        if rule.stops and rule.verdict.outcome is outcome
    ]
    found += missing_words(subject)
    found += [rule_line(rule, subject.words) for rule in subject.rules if rule.is_let_stand]
    if subject.verdict.outcome == Outcome.MET:
        found.append(_all_met(subject))
    if not found:
        return subject.verdict.reasons
    return (*dict.fromkeys(found), *_advice(subject))


def missing_words(subject: Subject) -> tuple[str, ...]:
    """Return which demands of the policy on data and coverage are not kept."""
    words, verdict = subject.words, subject.verdict
    unmet = [view_demand(i, words).reason for i in verdict.requirements if not i.satisfied]
    open_criteria = [
        words.choose("criterion", name)
        for name, item in verdict.coverage.items()
        if item.required and not item.satisfied
    ]
    if open_criteria:
        unmet.append(words("reason.coverage", criteria=words("chart.and").join(open_criteria)))
    return tuple(dict.fromkeys(unmet))


def rule_line(rule: RuleView, words: Wording) -> str:
    """Return one line about a rule: the figure, the rule, the part that decided, and why.

    It stands on the first page, so units are written out.
    """
    part = rule.verdict.part
    of = f"{rule.verdict.id}, {part}" if part else rule.verdict.id
    reason = rule.reason.replace(words.numbers.points, f" {words('summary.points')}")
    return words("reason.line", title=rule.title, rule=of, reason=reason)


def _all_met(subject: Subject) -> str:
    blocking = sum(rule.verdict.severity == "blocking" for rule in subject.rules)
    counts = {"met": blocking - len(subject.verdict.waived), "count": blocking}
    name = "all_met_or_waived" if subject.verdict.waived else "all_met"
    return subject.words(
        f"reason.{name}", **{n: count_text(c, subject.words.numbers) for n, c in counts.items()}
    )


def _advice(subject: Subject) -> list[str]:
    return [
        f"{rule_line(rule, subject.words)} {subject.words('summary.advisory')}"
        for rule in subject.rules
        if rule.verdict.severity == "advisory" and rule.verdict.outcome is not Outcome.MET
    ]
