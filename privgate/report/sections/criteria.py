"""Section 9: what the rules and attacks say about each criterion."""

from __future__ import annotations

from typing import TYPE_CHECKING

from privgate.evidence import Criterion, Family
from privgate.report.blocks import Cell, Picture, Prose, Section, Subheading, Table, table_head
from privgate.report.sections.pictures import comparison_bars
from privgate.report.sections.power import caught_words
from privgate.report.sections.results import measurement_blocks, of_family
from privgate.report.subject import badge

if TYPE_CHECKING:
    from collections.abc import Iterator

    from privgate.evidence import Measurement
    from privgate.report.blocks import Block
    from privgate.report.rule_view import RuleView
    from privgate.report.subject import Subject


def criteria_section(subject: Subject) -> Section:
    """Return section 9: coverage, which rule speaks to what, and the attacks by criterion."""
    words = subject.words
    blocks: list[Block] = [_coverage(subject)]
    if not subject.verdict.coverage:
        blocks = [Prose((words("results.no_coverage"),))]
    blocks += [Subheading(words("results.matrix")), _matrix(subject)]
    if of_family(subject, Family.ATTACK):
        blocks += _attacks(subject)
    else:
        blocks.append(Prose((words("results.none"),), stress=True))
    return Section(
        number=9,
        anchor="results",
        title=words("results.title"),
        lead=words("results.lead"),
        blocks=tuple(blocks),
    )


def _attacks(subject: Subject) -> list[Block]:
    """Return the attacks by criterion, after how to read their pictures where there are any."""
    found: list[Block] = []
    for criterion in Criterion:
        found += _criterion_blocks(criterion, subject)
    found += _speaking_to_none(subject)
    is_drawn = any(isinstance(block, Picture) and not block.caption for block in found)
    note = (Prose((subject.words("results.compared_note"),)),) if is_drawn else ()
    return [*note, *found]


def _criterion_blocks(criterion: Criterion, subject: Subject) -> Iterator[Block]:
    """Yield the attacks that speak to a criterion; in full where it is the first they speak to."""
    words = subject.words
    yield Subheading(words(f"criterion.{criterion}"))
    attacks = [
        (number, measurement)
        for number, measurement in of_family(subject, Family.ATTACK)
        if criterion in subject.card(measurement).criteria
    ]
    if not attacks:
        yield Prose((words("results.no_attack"),))
    elsewhere: dict[Block, None] = {}  # once for each check, however often it was measured
    for number, measurement in attacks:
        card = subject.card(measurement)
        first = next(c for c in Criterion if c in card.criteria)
        if first is criterion:
            yield from _attack_blocks(number, measurement, subject)
        else:
            place = words(f"criterion.{first}")
            elsewhere[Prose((words("results.elsewhere", title=card.title, criterion=place),))] = (
                None
            )
    yield from elsewhere


def _speaking_to_none(subject: Subject) -> Iterator[Block]:
    for number, measurement in of_family(subject, Family.ATTACK):
        if not subject.card(measurement).criteria:
            yield from _attack_blocks(number, measurement, subject)


def _attack_blocks(number: int, measurement: Measurement, subject: Subject) -> list[Block]:
    heading, *others = measurement_blocks(number, measurement, subject, level=4)
    picture = comparison_bars(measurement, subject, identity=f"compared-{number}")
    # The picture stands after the question, before the figures it is drawn from.
    return [heading, *others[:1], *([picture] if picture else []), *others[1:]]


def _coverage(subject: Subject) -> Table:
    words, verdict = subject.words, subject.verdict
    names = ("criterion", "required", "satisfied", "rules", "caught", "reason")
    heads = table_head(*(words(f"results.{name}") for name in names))
    rows = []
    for name, item in verdict.coverage.items():
        satisfied = "satisfied_yes" if item.satisfied else "satisfied_no"
        if not item.required and not item.satisfied:
            satisfied = "satisfied_open"
        rows.append(
            (
                Cell(words.choose("criterion", name)),
                Cell(words(f"results.required_{'yes' if item.required else 'no'}")),
                Cell(words(f"results.{satisfied}")),
                Cell(", ".join(item.rules) or words("columns.absent")),
                Cell(caught_words(subject.power, item.rules, words)),
                Cell(item.reason),
            )
        )
    note = words("results.caught_note")
    return Table(caption=words("results.caption"), headings=heads, rows=tuple(rows), note=note)


def _matrix(subject: Subject) -> Table:
    """Return the rules with their outcome below each criterion they speak to."""
    words = subject.words
    criteria = tuple(words(f"criterion.{criterion}") for criterion in Criterion)
    heads = table_head(words("verdict.rule"), *criteria, words("nearness.title"))
    rows = tuple(_matrix_row(rule, subject) for rule in subject.rules if not rule.card.is_utility)
    return Table(
        caption=words("results.matrix_caption"),
        headings=heads,
        rows=rows,
        note=words("results.matrix_note"),
    )


def _matrix_row(rule: RuleView, subject: Subject) -> tuple[Cell, ...]:
    words = subject.words
    outcome = Cell("", badge=badge(rule.verdict.outcome, words))
    absent = Cell(words("columns.absent"))
    spoken = [criterion in rule.criteria for criterion in Criterion]
    return (
        Cell(rule.verdict.id, (words(f"severity.{rule.verdict.severity}"),)),
        *(outcome if speaks else absent for speaks in (*spoken, not any(spoken))),
    )
