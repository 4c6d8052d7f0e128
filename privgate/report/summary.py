"""The page for readers who read one page: plain language, no term of the trade."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from privgate.evidence import Criterion
from privgate.policy.verdict import Outcome
from privgate.report.numbers import count_text
from privgate.report.subject import badge

if TYPE_CHECKING:
    from collections.abc import Iterable

    from privgate.report.blocks import Badge
    from privgate.report.rule_view import RuleView
    from privgate.report.subject import Subject

_AT_MOST = 6


@dataclass(frozen=True)
class Finding:
    """One question, its answer in a sentence, and what else a reader must know about it."""

    badge: Badge
    question: str
    answer: str
    details: tuple[str, ...]


@dataclass(frozen=True)
class Summary:
    """The summary page."""

    what: str
    checked: str
    findings: tuple[Finding, ...]
    more: str
    missing: tuple[str, ...]
    next_steps: tuple[str, ...]
    silent: tuple[str, ...]


def summarise(subject: Subject) -> Summary:
    """Return the summary: the gravest findings first, all that stops the release among them."""
    ordered = sorted(subject.rules, key=_gravity)
    shown = max(_AT_MOST, sum(rule.stops for rule in ordered[: 2 * _AT_MOST]))
    rest = len(ordered) - shown
    words = subject.words
    return Summary(
        what=_what(subject),
        checked=_checked(subject),
        findings=tuple(_finding(rule, subject) for rule in ordered[:shown]),
        more=words("summary.and_more", count=count_text(rest)) if rest > 0 else "",
        missing=missing_words(subject),
        next_steps=next_steps(subject),
        silent=words.listed("silent.items"),
    )


def missing_words(subject: Subject) -> tuple[str, ...]:
    """Return which demands of the policy on data and coverage are not kept, and why."""
    verdict = subject.verdict
    unmet = [item.reason for item in verdict.requirements if not item.satisfied]
    unmet += [c.reason for c in verdict.coverage.values() if c.required and not c.satisfied]
    return tuple(dict.fromkeys(unmet))


def next_steps(subject: Subject) -> tuple[str, ...]:
    """Return what those responsible should do now."""
    words = subject.words
    if subject.verdict.outcome == Outcome.MET:
        return words.listed("next.met")
    violated = [rule for rule in subject.rules if rule.verdict.outcome is Outcome.VIOLATED]
    steps = [words(f"next.{name}") for name in _remedies(r for r in violated if r.stops)]
    steps += [_settle(rule, subject) for rule in subject.rules if _is_open(rule)]
    steps += [
        words("next.requirement", reason=item.reason)
        for item in subject.verdict.requirements
        if not item.satisfied
    ]
    return (*dict.fromkeys(steps), words("next.again"), words("next.not_policy"))


def _gravity(rule: RuleView) -> tuple[bool, int]:
    order = (Outcome.VIOLATED, Outcome.NOT_ASSESSED, Outcome.WAIVED, Outcome.MET)
    return rule.verdict.severity != "blocking", order.index(rule.verdict.outcome)


def _what(subject: Subject) -> str:
    words, release = subject.words, subject.evidence.release
    counted = {
        name: words("summary.records", count=count_text(table.rows))
        for name, table in release.tables.items()
    }
    has_holdout = "holdout" in counted
    holdout = words("summary.holdout_yes", holdout=counted["holdout"]) if has_holdout else ""
    return words(
        "summary.what_text",
        release=release.name,
        synthetic=count_text(release.tables["synthetic"].rows),
        train=counted["train"],
        unit=release.unit,
        holdout=holdout or words("summary.holdout_no"),
    )


def _checked(subject: Subject) -> str:
    blocking = sum(rule.verdict.severity == "blocking" for rule in subject.rules)
    return subject.words(
        "summary.checked_text",
        rules=count_text(len(subject.rules)),
        blocking=count_text(blocking),
        policy=subject.verdict.policy.title,
    )


def _finding(rule: RuleView, subject: Subject) -> Finding:
    words, verdict = subject.words, rule.verdict
    details = []
    if verdict.outcome is not Outcome.MET:
        details.append(rule.meaning)
        if verdict.part:
            details.append(words("summary.finding.decided_by", part=verdict.part))
    if verdict.severity == "advisory":
        details.append(words("severity.advisory"))
    texts = tuple(detail for detail in details if detail)
    return Finding(badge(verdict.outcome, words), rule.card.question, rule.finding, texts)


def _remedies(rules: Iterable[RuleView]) -> list[str]:
    """Return which remedies fit what was violated, those for copies first."""
    criteria = [rule.criteria for rule in rules]
    names = [] if all(criteria) else ["screen"]
    return names + [str(c) for c in Criterion if any(c in found for found in criteria)]


def _is_open(rule: RuleView) -> bool:
    return rule.stops and rule.verdict.outcome is Outcome.NOT_ASSESSED


def _settle(rule: RuleView, subject: Subject) -> str:
    if rule.verdict.needed_n is None:
        return subject.words("next.inconclusive", rule=rule.verdict.id)
    needed = count_text(rule.verdict.needed_n)
    return subject.words("next.more_records", rule=rule.verdict.id, count=needed)
