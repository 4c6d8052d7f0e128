"""The page for readers who read one page: plain language, no term of the trade."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil
from typing import TYPE_CHECKING

from privgate.evidence import Criterion
from privgate.policy.verdict import Outcome
from privgate.report.demand_view import view_demand
from privgate.report.names import short_name
from privgate.report.numbers import count_text
from privgate.report.reasons import missing_words
from privgate.report.size import shortened_text
from privgate.report.subject import badge
from privgate.report.waiver_view import first_expiry

if TYPE_CHECKING:
    from collections.abc import Iterable

    from privgate.report.blocks import Badge
    from privgate.report.rule_view import RuleView
    from privgate.report.subject import Subject
    from privgate.report.wording import Wording

_AT_MOST, _AT_BEST = 6, 12  # the page has room for six; what is not met may take more
_MOST_ANSWERS, _MOST_STEPS = 8, 12
_PAGE, _LETTERS = 50, 96  # lines of a printed page, letters of a line; rather too few of both


@dataclass(frozen=True)
class Answer:
    """An outcome, a sentence about it, and what else a reader must know."""

    badge: Badge
    text: str
    detail: str = ""


@dataclass(frozen=True)
class Finding:
    """One question and its answers."""

    question: str
    answers: tuple[Answer, ...]
    more: str = ""

    @property
    def is_met(self) -> bool:
        """Return whether every answer is that a rule is met."""
        return all(answer.badge.outcome == "met" for answer in self.answers)


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

    @property
    def fills_a_page(self) -> bool:
        """Return whether the summary may have a printed page to itself: it is sure to fit there."""
        told = [f"{answer.text} {answer.detail}" for f in self.findings for answer in f.answers]
        texts = (self.what, self.checked, *told, self.more, " ".join(self.missing))
        lines = sum(ceil(len(text) / _LETTERS) for text in (*texts, *self.next_steps, *self.silent))
        return lines + len(self.findings) <= _PAGE


def summarise(subject: Subject) -> Summary:
    """Return the summary: the gravest findings first, all that stops the release among them."""
    findings = _findings(subject)
    shown = max(_AT_MOST, sum(not finding.is_met for finding in findings[:_AT_BEST]))
    rest = len(findings) - shown
    words = subject.words
    return Summary(
        what=_what(subject),
        checked=_checked(subject),
        findings=findings[:shown],
        more=words("summary.and_more", count=count_text(rest, words.numbers)) if rest > 0 else "",
        missing=tuple(shortened_text(it) for it in missing_words(subject)),
        next_steps=_first_few(next_steps(subject), words),
        silent=words.listed("silent.items"),
    )


def _first_few(steps: tuple[str, ...], words: Wording) -> tuple[str, ...]:
    """Return the steps, or the first and last of them where they are too many to be followed."""
    left = len(steps) - _MOST_STEPS
    if left > 0:
        more = words("summary.more_steps", count=count_text(left, words.numbers))
        steps = (*steps[: _MOST_STEPS - 2], more, *steps[-2:])
    return tuple(shortened_text(step) for step in steps)


def next_steps(subject: Subject) -> tuple[str, ...]:
    """Return what those responsible should do now."""
    words = subject.words
    if subject.verdict.outcome == Outcome.MET:
        until = first_expiry(subject.verdict, words)
        mend = (words("next.waived", last=until),) if subject.verdict.waived else ()
        return (*mend, *words.listed("next.met"))
    violated = [rule for rule in subject.rules if rule.verdict.outcome is Outcome.VIOLATED]
    steps = [words(f"next.{name}") for name in _remedies(r for r in violated if r.stops)]
    steps += _settling(subject)
    unmet = (i for i in subject.verdict.requirements if not i.satisfied)
    reasons = " ".join(dict.fromkeys(view_demand(item, words).reason for item in unmet))
    steps += [words("next.requirement", reason=reasons)] if reasons else []
    stopping = {rule.verdict.id for rule in subject.rules if rule.stops}
    steps += [
        words("next.ignored", rule=waiver.rule, why=waiver.why)
        for waiver in subject.waivers
        if waiver.rule in stopping
    ]
    return (*dict.fromkeys(steps), words("next.again"), words("next.not_policy"))


def _gravity(rule: RuleView) -> tuple[bool, int]:
    order = (Outcome.VIOLATED, Outcome.NOT_ASSESSED, Outcome.WAIVED, Outcome.MET)
    return rule.verdict.severity != "blocking", order.index(rule.verdict.outcome)


def _what(subject: Subject) -> str:
    words, release = subject.words, subject.evidence.release
    holdout = words("summary.holdout_no")
    if "holdout" in release.tables:
        rows = count_text(release.tables["holdout"].rows, words.numbers)
        records = words("summary.holdout_records", count=rows)
        holdout = words("summary.holdout_yes", holdout=records)
    return words(
        "summary.what_text",
        release=short_name(release.name),
        synthetic=count_text(release.tables["synthetic"].rows, words.numbers),
        train=words(
            "summary.records", count=count_text(release.tables["train"].rows, words.numbers)
        ),
        unit=release.unit,
        holdout=holdout,
    )


def _checked(subject: Subject) -> str:
    blocking = sum(rule.verdict.severity == "blocking" for rule in subject.rules)
    return subject.words(
        "summary.checked_text",
        rules=count_text(len(subject.rules), subject.words.numbers),
        blocking=count_text(blocking, subject.words.numbers),
        policy=subject.verdict.policy.title,
    )


def _findings(subject: Subject) -> tuple[Finding, ...]:
    """Return the findings, the gravest first; rules that put the same question share one."""
    found: dict[str, list[RuleView]] = {}
    for rule in sorted(subject.rules, key=_gravity):
        found.setdefault(rule.card.question, []).append(rule)
    return tuple(_finding(question, rules, subject) for question, rules in found.items())


def _finding(question: str, rules: list[RuleView], subject: Subject) -> Finding:
    """Return the gravest answers to a question, and how many are left to section 2."""
    answers = tuple(dict.fromkeys(_answer(rule, subject) for rule in rules))
    left = len(answers) - _MOST_ANSWERS
    words = subject.words
    more = words("summary.and_more", count=count_text(left, words.numbers)) if left > 0 else ""
    return Finding(question, answers[:_MOST_ANSWERS], more)


def _answer(rule: RuleView, subject: Subject) -> Answer:
    words, verdict = subject.words, rule.verdict
    text, part, details = rule.finding, verdict.part, []
    if verdict.outcome is not Outcome.MET:
        details.append(rule.meaning)
        if part:
            details.append(words("summary.finding.decided_by", part=part))
    if verdict.waiver is not None:
        until = words.day(verdict.waiver.expires)
        details.append(words("summary.finding.waived", name=verdict.waiver.approved_by, last=until))
    if verdict.severity == "advisory":
        details.append(words("summary.advisory"))
    detail = shortened_text(" ".join(filter(None, details)))
    return Answer(badge(verdict.outcome, words), shortened_text(text), detail)


def _remedies(rules: Iterable[RuleView]) -> list[str]:
    """Return which remedies fit what was violated, those for copies first."""
    criteria = [rule.criteria for rule in rules if not rule.card.is_utility]
    names = [] if all(criteria) else ["screen"]
    return names + [str(c) for c in Criterion if any(c in found for found in criteria)]


def _settling(subject: Subject) -> list[str]:
    """Return how open rules may be settled: each by its number of records, the others together."""
    words = subject.words
    open_rules = [
        rule.verdict
        for rule in subject.rules
        if rule.stops and rule.verdict.outcome is Outcome.NOT_ASSESSED
    ]
    steps = [
        words("next.more_records", rule=it.id, count=count_text(it.needed_n, words.numbers))
        for it in open_rules
        if it.needed_n is not None
    ]
    unsettled = ", ".join(dict.fromkeys(it.id for it in open_rules if it.needed_n is None))
    return [*steps, words("next.inconclusive", rules=unsettled)] if unsettled else steps
