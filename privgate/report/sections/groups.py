"""Section 11: outliers and small groups."""

from __future__ import annotations

from typing import TYPE_CHECKING

from privgate.evidence import FigureKind
from privgate.report.blocks import Cell, Prose, Section, Table, table_head
from privgate.report.figure_words import kind_of, title_of, value_words
from privgate.report.sections.pictures import bar, bars_picture, figure_cells
from privgate.report.subject import json_words
from privgate.report.svg import shortened

if TYPE_CHECKING:
    from collections.abc import Iterator

    from privgate.evidence import Estimate, Measurement
    from privgate.report.blocks import Block, Picture
    from privgate.report.subject import Subject

_WORST = "worst_group"
_MOST_BARS = 12
_SHARES = {FigureKind.SHARE, FigureKind.DIFFERENCE}


def groups_section(subject: Subject) -> Section:
    """Return section 11: the worst group of each attack that was reported by group."""
    words = subject.words
    rows = tuple(row for m in subject.evidence.measurements for row in _rows(m, subject))
    blocks: tuple[Block, ...] = (Prose((words("groups.none"),)),)
    if rows:
        heads = table_head(*(words(f"groups.{n}") for n in ("check", "by", "value", "interval")))
        table = Table(caption=words("groups.caption"), headings=heads, rows=rows)
        pictures = [
            picture
            for number, measurement in enumerate(subject.evidence.measurements)
            if (picture := _picture(number, measurement, subject)) is not None
        ]
        lead = (words("groups.lead"), words("groups.picture_note") if pictures else "")
        blocks = (Prose(lead), *pictures, table)
    return Section(number=11, anchor="groups", title=words("groups.title"), blocks=blocks)


def _rows(measurement: Measurement, subject: Subject) -> Iterator[tuple[Cell, ...]]:
    card, words = subject.card(measurement), subject.words
    groups = json_words(measurement.params.get("groups"))
    for part, name, figure in _worst(measurement) if groups else ():
        title = title_of(card, name)
        about = (title, words("groups.of", part=part)) if part else (title,)
        value, interval = figure_cells(figure, kind_of(card, name), words)
        yield Cell(card.title, about), Cell(groups), value, interval


def _picture(number: int, measurement: Measurement, subject: Subject) -> Picture | None:
    """Return the worst group's figures beside those of everybody, where both are shares."""
    words, card, rows = subject.words, subject.card(measurement), []
    figures = {part.of: part.figures for part in measurement.parts} or {"": measurement.figures}
    for part, name, worst in _worst(measurement) if measurement.params.get("groups") else ():
        everyone = figures[part].get(name.removeprefix(f"{_WORST}_")) or figures[part].get(
            card.headline
        )
        for key, figure in (("everyone", everyone), ("worst", worst)):
            if figure is not None and figure.value is not None and kind_of(card, name) in _SHARES:
                told = words(f"groups.{key}", value=value_words(figure, kind_of(card, name), words))
                label = words("chart.of_part", part=shortened(part), title=told) if part else told
                rows.append(bar(label, figure.value, figure))
    title = words("groups.picture", title=card.title)
    if len(rows) < 2:
        return None
    return bars_picture(rows[:_MOST_BARS], words, identity=f"groups-{number}", title=title)


def _worst(measurement: Measurement) -> Iterator[tuple[str, str, Estimate]]:
    """Yield part, name and estimate of every figure of a worst group."""
    found = [("", measurement.figures), *((part.of, part.figures) for part in measurement.parts)]
    if measurement.parts:  # the measurement's own figures repeat the worst part's
        found = found[1:]
    for part, figures in found:
        for name, figure in figures.items():
            if _WORST in name:
                yield part, name, figure
