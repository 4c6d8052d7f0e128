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

_AT_MOST, _AT_BEST = 6, 12  # the page has room for six; what is not met may take more


@dataclass(frozen=True)
class Finding:
    """One question, its answers, a sentence each, and what else a reader must know about them."""

    badge: Badge
    question: str
    answers: tuple[str, ...]
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
    findings = _findings(subject)
    shown = max(_AT_MOST, sum(finding.badge.outcome != "met" for finding in findings[:_AT_BEST]))
    rest = len(findings) - shown
    words = subject.words
    return Summary(
        what=_what(subject),
        checked=_checked(subject),
        findings=findings[:shown],
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


def _findings(subject: Subject) -> tuple[Finding, ...]:
    """Return the findings, the gravest first; rules that answer one question alike make one."""
    found: dict[tuple[str, Outcome, str], list[RuleView]] = {}
    for rule in sorted(subject.rules, key=_gravity):
        key = (rule.card.question, rule.verdict.outcome, rule.verdict.severity)
        found.setdefault(key, []).append(rule)
    return tuple(_finding(rules, subject) for rules in found.values())


def _finding(rules: list[RuleView], subject: Subject) -> Finding:
    words, verdict = subject.words, rules[0].verdict
    details = [text for rule in rules for text in _details(rule, subject)]
    if verdict.severity == "advisory":
        details.append(words("summary.advisory"))
    return Finding(
        badge=badge(verdict.outcome, words),
        question=rules[0].card.question,
        answers=tuple(dict.fromkeys(rule.finding for rule in rules)),
        details=tuple(dict.fromkeys(text for text in details if text)),
    )


def _details(rule: RuleView, subject: Subject) -> list[str]:
    if rule.verdict.outcome is Outcome.MET:
        return []
    part = rule.verdict.part
    decided = [subject.words("summary.finding.decided_by", part=part)] if part else []
    return [rule.meaning, *decided]


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
