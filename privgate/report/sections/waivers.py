"""Findings that were let stand, by whom, and what was written down but did not count."""

from __future__ import annotations

from typing import TYPE_CHECKING

from privgate.report.blocks import Cell, Facts, Prose, Section, Table, table_head
from privgate.report.subject import badge

if TYPE_CHECKING:
    from privgate.policy.verdict import WaiversFacts
    from privgate.report.blocks import Block
    from privgate.report.subject import Subject
    from privgate.report.waiver_view import WaiverView


def waivers_section(subject: Subject) -> Section:
    """Return section 16: every waiver that was given, also those that did not count."""
    words, file = subject.words, subject.verdict.waivers_file
    blocks: list[Block] = []
    if subject.waivers:
        blocks += [Prose((words("waivers.note"),)), _table(subject)]
    else:
        blocks.append(Prose((words(f"waivers.{'none' if file is None else 'empty'}"),)))
    if file is not None:
        blocks.append(_facts(file, subject))
    title = words("waivers.title")
    return Section(number=16, anchor="waivers", title=title, blocks=tuple(blocks))


def _table(subject: Subject) -> Table:
    words = subject.words
    heads = table_head(*(words(f"waivers.{n}") for n in ("rule", "state", "finding", "text")))
    rows = tuple(_row(waiver, subject) for waiver in subject.waivers)
    return Table(caption=words("waivers.caption"), headings=heads, rows=rows)


def _row(waiver: WaiverView, subject: Subject) -> tuple[Cell, ...]:
    words = subject.words
    rule = next((rule for rule in subject.rules if rule.verdict.id == waiver.rule), None)
    found = Cell(words("columns.absent"))
    if rule is not None:
        found = Cell("", (rule.reason,), badge(rule.verdict.finding, words))
    return (
        Cell(waiver.rule, () if rule is None else (rule.title,), code=True),
        Cell(waiver.state, (waiver.why,)),
        found,
        Cell(waiver.reason, waiver.terms),
    )


def _facts(file: WaiversFacts, subject: Subject) -> Facts:
    words = subject.words
    facts = {"day": words.day(file.day), "digest": file.sha256}
    return Facts(tuple((words(f"waivers.{name}"), text) for name, text in facts.items()), code=True)
