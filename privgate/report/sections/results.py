"""What was measured: adversaries, copies and nearness, and the figures of one measurement."""

from __future__ import annotations

from typing import TYPE_CHECKING

from privgate.evidence import Criterion, Family, FigureKind, FigurePart, Status
from privgate.report.blocks import (
    Bullets,
    Cell,
    Prose,
    Section,
    Subheading,
    Table,
    plain_items,
    table_head,
)
from privgate.report.figure_words import (
    interval_words,
    kind_of,
    records_words,
    title_of,
    value_words,
)
from privgate.report.numbers import figure_text
from privgate.report.sections.diagnostics import diagnostic_tables
from privgate.report.sections.pictures import (
    chart_block,
    figure_cells,
    part_bars,
    parts_by_weight,
)
from privgate.report.subject import criteria_words
from privgate.report.svg import PictureSize

if TYPE_CHECKING:
    from privgate.evidence import Card, Measurement, Part
    from privgate.report.blocks import Block
    from privgate.report.subject import Subject

_MOST_FIGURES = 4
_MOST_CHARTED = 24


def threats_section(subject: Subject) -> Section:
    """Return section 8: adversaries that were played, and those that were not."""
    words = subject.words
    names = ("check", "attacker", "knows", "wants")
    heads = table_head(*(words(f"threats.{name}") for name in names))
    cards = [card for card in subject.used_cards() if not card.is_utility]
    models = [(card, card.threat_model) for card in cards if card.threat_model is not None]
    measured = {m.metric for m in subject.evidence.measurements if m.status is Status.MEASURED}
    rows = tuple(
        (
            Cell(card.title, () if card.name in measured else (words("threats.not_run"),)),
            Cell(model.attacker),
            Cell(model.knows),
            Cell(model.wants),
        )
        for card, model in models
    )
    attacks = [c for c in cards if c.family is Family.ATTACK and c.name in measured]
    tried = {criterion for card in attacks for criterion in card.criteria}
    open_criteria = tuple(
        words("threats.no_measure", criterion=words(f"criterion.{c}"))
        for c in Criterion
        if c not in tried
    )
    return Section(
        number=8,
        anchor="threat-models",
        title=words("threats.title"),
        lead=words("threats.lead"),
        blocks=(
            Table(caption=words("threats.caption"), headings=heads, rows=rows),
            Subheading(words("threats.uncovered")),
            Bullets(plain_items((*open_criteria, *words.listed("threats.items")))),
        ),
    )


def nearness_section(subject: Subject) -> Section:
    """Return section 10: screens for copies and nearness, with the holdout beside."""
    words = subject.words
    blocks: list[Block] = []
    for number, measurement in of_family(subject, Family.SCREEN):
        blocks += measurement_blocks(number, measurement, subject)
    return Section(
        number=10,
        anchor="nearness",
        title=words("nearness.title"),
        lead=words("nearness.lead"),
        blocks=tuple(blocks) or (Prose((words("nearness.none"),), stress=True),),
    )


def utility_section(subject: Subject) -> tuple[Section, ...]:
    """Return section 22: what the data are good for; nothing where that was not measured."""
    words = subject.words
    blocks: list[Block] = []
    for number, measurement in of_family(subject, Family.UTILITY):
        blocks += measurement_blocks(number, measurement, subject)
    section = Section(
        number=22,
        anchor="utility",
        title=words("utility.title"),
        lead=words("utility.lead"),
        blocks=tuple(blocks),
    )
    return (section,) if blocks else ()


def of_family(subject: Subject, family: Family) -> list[tuple[int, Measurement]]:
    """Return the measurements of a family, each with its place among all of them."""
    found = enumerate(subject.evidence.measurements)
    return [(i, m) for i, m in found if subject.card(m).family is family]


def measurement_blocks(
    number: int, measurement: Measurement, subject: Subject, *, level: int = 3
) -> list[Block]:
    """Return all that is shown of one measurement, under a heading of the given level."""
    words, card = subject.words, subject.card(measurement)
    speaks = words("results.speaks", criteria=criteria_words(card.criteria, card, words))
    blocks: list[Block] = [
        Subheading(card.title, measurement.id, level),
        Prose((card.question, speaks), leads=True),
    ]
    if measurement.status is not Status.MEASURED:
        reason = words("results.failed", reason=measurement.reason or "")
        blocks.append(Prose((reason,), stress=True))
    if measurement.figures:
        blocks.append(_figure_table(measurement, subject))
    if measurement.risk is not None:
        risk = figure_text(measurement.risk, FigureKind.SCORE, words.numbers)
        blocks.append(Prose((words("results.risk", value=risk),)))
    blocks += _part_blocks(number, measurement, subject)
    blocks += _charts(number, measurement, subject)
    if measurement.notes:
        blocks.append(Bullets(plain_items(measurement.notes)))
    return [*blocks, *diagnostic_tables(measurement, subject)]


def _figure_table(measurement: Measurement, subject: Subject) -> Table:
    words, card = subject.words, subject.card(measurement)
    names = ("figure", "value", "interval", "n")
    heads = table_head(*(words(f"results.{n}") for n in names), numeric=frozenset({1, 2, 3}))
    rows = []
    for name in sorted(measurement.figures, key=lambda name: _place(name, card)):
        figure, spec = measurement.figures[name], card.figures.get(name)
        meaning = (spec.meaning,) if spec is not None else ()
        kind = kind_of(card, name)
        cells = figure_cells(figure, kind, words)
        records = Cell(records_words(figure.n, kind, words))
        rows.append((Cell(title_of(card, name), meaning), *cells, records))
    key = "results.figures_worst" if measurement.parts else "results.figures"
    return Table(caption=words(key, title=card.title), headings=heads, rows=tuple(rows))


def _place(name: str, card: Card) -> int:
    """Return where a figure stands: those that are compared first, in the order of their parts."""
    spec = card.figures.get(name)
    part = None if spec is None else spec.part
    return len(FigurePart) if part is None else list(FigurePart).index(part)


def _part_blocks(number: int, measurement: Measurement, subject: Subject) -> list[Block]:
    if not measurement.parts:
        return []
    blocks: list[Block] = [_part_table(measurement, subject)]
    bars = (part_bars(rule, measurement, subject) for rule in subject.rules_on(measurement))
    blocks += [picture for picture in bars if picture is not None]
    for place, part in enumerate(parts_by_weight(measurement, subject)[:_MOST_CHARTED]):
        blocks += [
            chart_block(chart, subject.words, identity=f"c{number}-{place}-{i}", part=part.of)
            for i, chart in enumerate(part.charts)
        ]
    return blocks


def _part_table(measurement: Measurement, subject: Subject) -> Table:
    words, card = subject.words, subject.card(measurement)
    shown = _shown_figures(measurement, subject)
    titles = (title_of(card, name) for name in shown)
    numeric = frozenset(range(1, len(shown) + 1))
    heads = table_head(words("results.part"), *titles, numeric=numeric)
    rows = tuple(
        _part_cells(part, shown, measurement, subject)
        for part in parts_by_weight(measurement, subject)
    )
    return Table(
        caption=words("results.parts", title=card.title), headings=heads, rows=rows, most=60
    )


def _shown_figures(measurement: Measurement, subject: Subject) -> tuple[str, ...]:
    """Return the figures worth a column: judged ones, the headline, then as the card has them."""
    card = subject.card(measurement)
    judged = [rule.verdict.measure for rule in subject.rules_on(measurement)]
    there = {name for part in measurement.parts for name in part.figures}
    ordered = dict.fromkeys((*judged, card.headline, *card.figures))
    return tuple(name for name in ordered if name in there)[:_MOST_FIGURES]


def _part_cells(
    part: Part, shown: tuple[str, ...], measurement: Measurement, subject: Subject
) -> tuple[Cell, ...]:
    words, card = subject.words, subject.card(measurement)
    details: tuple[str, ...] = ()
    if part.status is not Status.MEASURED:
        details = (words("results.part_failed", reason=part.reason or ""),)
    cells = [Cell(part.of, details, code=True)]
    for name in shown:
        figure, kind = part.figures.get(name), kind_of(card, name)
        if figure is None:
            cells.append(Cell(words("columns.absent")))
            continue
        has_interval = figure.low is not None
        interval = (interval_words(figure, kind, words),) if has_interval else ()
        cells.append(Cell(value_words(figure, kind, words), interval))
    return tuple(cells)


def _charts(number: int, measurement: Measurement, subject: Subject) -> list[Block]:
    return [
        chart_block(chart, subject.words, identity=f"c{number}-{place}", size=PictureSize.WIDE)
        for place, chart in enumerate(measurement.charts)
    ]
