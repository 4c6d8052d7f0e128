"""What a report has to say in a data protection impact assessment, in the order of its template."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from privgate.report.blocks import Bullets, Cell, Facts, Prose, Subheading, Table, table_head

if TYPE_CHECKING:
    from privgate.report.blocks import Block, Section
    from privgate.report.rule_view import RuleView
    from privgate.report.view import ReportView
    from privgate.report.wording import Wording


@dataclass(frozen=True, kw_only=True)
class Chapter:
    """A chapter of the assessment: its title, what asks for it, and its text in plain blocks."""

    title: str
    basis: str
    blocks: tuple[Block, ...]


def dpia_title(view: ReportView) -> str:
    """Return the title of the section of an assessment."""
    return view.words("dpia.title", release=view.release)


def dpia_lead(view: ReportView) -> tuple[str, str]:
    """Return what the section is, and which report it rests on."""
    words = view.words
    source = words(
        "dpia.source",
        report=view.report_id,
        digest=view.digests["policy"],
        date=words.date(view.created),
        edition=view.edition,
    )
    return words("dpia.lead"), source


def dpia_chapters(view: ReportView) -> tuple[Chapter, ...]:
    """Return the chapters in the order of Article 35(7) GDPR, without pictures and rule cards."""
    words = view.words
    necessity = (Prose((words("dpia.necessity_text"),)),)
    return (
        _chapter("processing", _from(view, "purpose", "roles", "data", "generator"), words),
        _chapter("necessity", necessity, words),
        _chapter("risks", _risks(view), words),
        _chapter("measures", _from(view, "residual-risk", "waivers", "assumptions"), words),
        _chapter("signoff", _from(view, "sign-off"), words),
    )


def _chapter(name: str, blocks: tuple[Block, ...], words: Wording) -> Chapter:
    return Chapter(title=words(f"dpia.{name}"), basis=words(f"dpia.{name}_basis"), blocks=blocks)


def _risks(view: ReportView) -> tuple[Block, ...]:
    words, summary = view.words, view.summary
    return (
        Prose((words("dpia.risks_text"), summary.what, summary.checked)),
        Prose((f"{view.headline}. {view.gate}",), stress=True),
        Bullets(tuple((reason, "") for reason in view.reasons)),
        _findings(view),
        _rules(view),
        Subheading(words("summary.next")),
        Bullets(tuple((step, "") for step in summary.next_steps)),
        Subheading(words("summary.silent")),
        Bullets(tuple((text, "") for text in summary.silent)),
        *_from(view, "threat-models"),
    )


def _findings(view: ReportView) -> Table:
    words = view.words
    return Table(
        caption=words("summary.checked"),
        headings=table_head(words("dpia.question"), words("verdict.outcome"), words("dpia.answer")),
        rows=tuple(
            (Cell(finding.question), Cell(answer.badge.text), Cell(answer.text, (answer.detail,)))
            for finding in view.summary.findings
            for answer in finding.answers
        ),
        note=view.summary.more,
    )


def _rules(view: ReportView) -> Table:
    names = ("rule", "outcome", "measured", "judged", "limit", "source")
    return Table(
        caption=view.words("dpia.rules"),
        headings=table_head(*(view.words(f"verdict.{name}") for name in names)),
        rows=tuple(_rule_row(rule, view.words) for rule in view.rules),
    )


def _rule_row(rule: RuleView, words: Wording) -> tuple[Cell, ...]:
    outcome = words(f"outcome.{rule.verdict.outcome}")
    severity = words(f"severity.{rule.verdict.severity}")
    return (
        Cell(rule.verdict.id, (rule.title, severity)),
        Cell(outcome),
        Cell(rule.measured, (rule.interval,)),
        Cell(rule.judged),
        Cell(rule.limit),
        Cell(rule.source_kind, (rule.source_ref,)),
    )


def _from(view: ReportView, *anchors: str) -> tuple[Block, ...]:
    """Return the text of sections of the report, each under its title."""
    found: list[Block] = []
    for anchor in anchors:
        section = _section(view, anchor)
        found.append(Subheading(section.title))
        found += [Prose((section.lead,))] if section.lead else []
        found += [_flat(block) for block in section.blocks]
    return tuple(found)


def _joined(block: Bullets) -> Bullets:
    """Return a list whose items have one text each: here no second line sets the rest apart."""
    items = tuple(
        (f"{text}{'' if text.endswith(('.', '!', '?', ':')) or not more else '.'}", more)
        for text, more in block.items
    )
    return Bullets(items, numbered=block.numbered)


def _section(view: ReportView, anchor: str) -> Section:
    return next(section for section in view.whole if section.anchor == anchor)


def _flat(block: Block) -> Block:
    """Return a heading one level below that of its section; other blocks as they are."""
    if isinstance(block, Subheading):
        return Subheading(block.text, block.detail, block.level + 1)
    if isinstance(block, Facts):
        return Facts(block.items)
    if isinstance(block, Bullets):
        return _joined(block)
    return block
