"""Section 21: what changed since the last release, where there is one to compare with."""

from __future__ import annotations

from typing import TYPE_CHECKING

from privgate.policy.verdict import Outcome
from privgate.report.blocks import Cell, Facts, Prose, Section, Subheading, Table, table_head
from privgate.report.figure_words import interval_words, limit_words, value_words
from privgate.report.names import short_name
from privgate.report.numbers import figure_text, margin_text
from privgate.report.subject import badge, json_words

if TYPE_CHECKING:
    from collections.abc import Iterator

    from privgate.report.baseline import Baseline, RuleBefore
    from privgate.report.blocks import Block
    from privgate.report.rule_view import RuleView
    from privgate.report.subject import Subject
    from privgate.report.wording import Wording

_ASKED_OTHERWISE = frozenset({"metric", "params", "measure"})


def changes_section(subject: Subject) -> tuple[Section, ...]:
    """Return section 21, or nothing where no earlier check was given."""
    if subject.baseline is None:
        return ()
    words = subject.words
    return (
        Section(
            number=21,
            anchor="changes",
            title=words("changes.title"),
            lead=words("changes.lead"),
            blocks=tuple(_blocks(subject.baseline, subject)),
        ),
    )


def _blocks(before: Baseline, subject: Subject) -> Iterator[Block]:
    words = subject.words
    then = _outcome(before.outcome, before.waived, words)
    now = _outcome(subject.verdict.outcome, subject.verdict.waived, words)
    worse = before.outcome is Outcome.MET and subject.verdict.outcome is not Outcome.MET
    yield Prose((words("changes.outcome", then=then, now=now),), stress=worse)
    yield Facts(tuple(_facts(before, subject)))
    yield Subheading(words("changes.rules"))
    yield _rule_table(before, subject)
    yield Subheading(words("changes.policy"))
    yield from _policy(before, words)
    yield Prose((words("changes.limits"),))


def _outcome(outcome: Outcome, waived: tuple[str, ...], words: Wording) -> str:
    """Return an outcome, and the rules without which it would be another."""
    told = words(f"outcome.{outcome}")
    if not waived:
        return told
    return words("changes.with_waivers", outcome=told, rules=", ".join(waived))


def _facts(before: Baseline, subject: Subject) -> Iterator[tuple[str, str]]:
    words, evidence = subject.words, subject.evidence
    run = evidence.run
    yield words("changes.release"), short_name(before.release)
    yield words("changes.created"), words.date(before.created.date())
    yield words("changes.evidence"), before.evidence_sha256
    now = {name: table.content_sha256 for name, table in evidence.release.tables.items()}
    for name in sorted(before.tables.keys() | now.keys()):
        same = before.tables.get(name) == now.get(name)
        yield words(f"changes.{name}"), _same(same=same, words=words)
    same = before.declaration_sha256 == evidence.release.declaration_sha256
    yield words("changes.declaration"), _same(same=same, words=words)
    yield words("changes.seed"), _then_now(str(before.seed), str(run.seed), words)
    yield words("changes.tool"), _then_now(before.tool, run.tool, words)
    versions = {"Python": (before.python, run.python)} | {
        name: (before.packages.get(name, "–"), run.packages.get(name, "–"))
        for name in sorted(before.packages.keys() | run.packages.keys())
    }
    moved = [f"{name} {old} → {new}" for name, (old, new) in versions.items() if old != new]
    yield words("changes.packages"), ", ".join(moved) or words("changes.same")


def _same(*, same: bool, words: Wording) -> str:
    return words("changes.same" if same else "changes.different")


def _then_now(then: str, now: str, words: Wording) -> str:
    return words("changes.same") + f": {now}" if then == now else f"{then} → {now}"


def _rule_table(before: Baseline, subject: Subject) -> Table:
    """Return every rule then and now; those that only one of the checks has come last."""
    words = subject.words
    earlier = {rule.id: rule for rule in before.rules}
    later = {rule.verdict.id: rule for rule in subject.rules}
    names = [*later, *(name for name in earlier if name not in later)]
    return Table(
        caption=words("changes.rules_caption"),
        headings=table_head(*(words(f"changes.{it}") for it in ("rule", "now", "then", "change"))),
        rows=tuple(
            (
                Cell(_title(earlier.get(name), later.get(name), words), (name,)),
                _now(later.get(name), words),
                _then(earlier.get(name), words),
                Cell(_change(earlier.get(name), later.get(name), before, words)),
            )
            for name in names
        ),
    )


def _title(then: RuleBefore | None, now: RuleView | None, words: Wording) -> str:
    if now is not None:
        return now.title
    return words.said(then.title) if then is not None else ""


def _now(rule: RuleView | None, words: Wording) -> Cell:
    if rule is None:
        return Cell(words("changes.no_rule"))
    details = (f"{rule.measured} ({rule.interval})", rule.limit)
    return Cell("", details, badge=badge(rule.verdict.outcome, words))


def _then(rule: RuleBefore | None, words: Wording) -> Cell:
    if rule is None:
        return Cell(words("changes.no_rule"))
    measured = value_words(rule.figure, rule.kind, words)
    interval = interval_words(rule.figure, rule.kind, words)
    details = (f"{measured} ({interval})", limit_words(rule.require, rule.kind, words))
    return Cell("", details, badge=badge(rule.outcome, words))


def _change(then: RuleBefore | None, now: RuleView | None, before: Baseline, words: Wording) -> str:
    """Return what became of a rule; numbers are set against each other only if they can be."""
    if then is None:
        return words("changes.added")
    if now is None:
        return words("changes.removed")
    outcome = words("changes.outcome_same")
    if then.outcome != now.verdict.outcome:
        outcome = words(
            "changes.outcome_other",
            then=words(f"outcome.{then.outcome}"),
            now=words(f"outcome.{now.verdict.outcome}"),
        )
    if not _asks_the_same(then, now, before):
        return f"{outcome} {words('changes.other_question')}"
    if then.judged is None or now.verdict.judged is None:
        return f"{outcome} {words('changes.unknown')}"
    told = {
        "then": figure_text(then.judged, then.kind, words.numbers),
        "now": figure_text(now.verdict.judged, now.kind, words.numbers),
        "by": margin_text(now.verdict.judged - then.judged, now.kind, words.numbers),
    }
    return f"{outcome} {words('changes.judged', **told)}"


def _asks_the_same(then: RuleBefore, now: RuleView, before: Baseline) -> bool:
    """Return whether a rule measures now what it measured then, in the same way."""
    changed = {change.entry for change in before.policy.changes if change.rule == then.id}
    same_code = then.metric_version == now.card.version
    return same_code and not changed & _ASKED_OTHERWISE


def _policy(before: Baseline, words: Wording) -> Iterator[Block]:
    old, new = before.policy.old, before.policy.new
    if old.sha256 == new.sha256:
        yield Prose((words("changes.policy_same", id=new.id, version=new.version),))
        return
    key = "loosened" if before.policy.loosened else "not_loosened"
    told = words(
        f"changes.policy_{key}",
        old=f"{old.id} {old.version}",
        new=f"{new.id} {new.version}",
    )
    yield Prose((told,), stress=before.policy.loosened)
    names = ("where", "effect", "then", "now")
    rows = tuple(
        (
            Cell(f"{change.rule}: {change.entry}" if change.rule else change.entry),
            Cell(words(f"changes.effect_{change.effect}")),
            Cell(json_words(change.before) or words("columns.absent")),
            Cell(json_words(change.after) or words("columns.absent")),
        )
        for change in before.policy.changes
    )
    yield Table(
        caption=words("changes.policy_caption"),
        headings=table_head(*(words(f"changes.{name}") for name in names)),
        rows=rows,
    )
