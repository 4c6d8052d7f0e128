"""What was put before the gate: purpose, people in charge, data, columns, generator."""

from __future__ import annotations

from typing import TYPE_CHECKING

from privgate.evidence import FigureKind
from privgate.report.blocks import (
    Bullets,
    Cell,
    Facts,
    Prose,
    Section,
    Subheading,
    Table,
    plain_items,
    table_head,
)
from privgate.report.figure_words import most_share_words, small_share_words
from privgate.report.numbers import count_text, figure_text, limit_text
from privgate.report.redact import Audience
from privgate.report.sample_words import sample_words
from privgate.report.small_counts import is_small
from privgate.report.subject import json_words

if TYPE_CHECKING:
    from privgate.evidence import (
        ArrayFacts,
        ColumnFacts,
        PublishedFacts,
        TableFacts,
        TableName,
    )
    from privgate.report.blocks import Block
    from privgate.report.subject import Subject
    from privgate.report.wording import Wording

_TABLES: tuple[TableName, ...] = ("train", "holdout", "synthetic")
_PURPOSE = ("purpose", "recipients", "release_model", "safeguards", "legal_basis")
_ROLES = ("controller", "processor", "assessor", "dpo", "approver")
_SOURCE = ("source", "population", "sampling_fraction", "holdout_method")
_DECIDED_BY = "columns_decided_by"
_ELSEWHERE = (_DECIDED_BY, "classification", "residual_risk", "mitigations", "review_plan")


def purpose_section(subject: Subject) -> Section:
    """Return section 3: what the release is for, as stated."""
    words = subject.words
    facts = [(words(f"purpose.{name}"), subject.context(name)) for name in _PURPOSE]
    known = {*_PURPOSE, *_ROLES, *_SOURCE, *_ELSEWHERE}
    facts += [
        (name.replace("_", " "), subject.stated(value))
        for name, value in subject.evidence.release.context.items()
        if name not in known
    ]
    return Section(
        number=3,
        anchor="purpose",
        title=words("purpose.title"),
        lead=words("purpose.lead"),
        blocks=(Facts(tuple(facts)),),
    )


def roles_section(subject: Subject) -> Section:
    """Return section 4: who is in charge, as stated."""
    words = subject.words
    facts = tuple((words(f"roles.{name}"), subject.context(name)) for name in _ROLES)
    return Section(number=4, anchor="roles", title=words("roles.title"), blocks=(Facts(facts),))


def data_section(subject: Subject) -> Section:
    """Return section 5: the tables, what a row is, and decisions about the data."""
    words, release = subject.words, subject.evidence.release
    blocks: list[Block] = [_table_of_tables(subject)]
    if "holdout" not in release.tables:
        blocks.append(Prose((words("data.no_holdout"),), stress=True))
    sampled = sample_words(subject.evidence.run, release, words)
    if sampled:
        blocks.append(Prose((sampled,), stress=True))
    facts = [(words("data.unit"), release.unit)]
    facts += [(words(f"data.{name}"), subject.context(name)) for name in _SOURCE]
    overlap = release.holdout_overlap
    if overlap is not None:
        facts.append((words("data.overlap"), _overlap(subject)))
    if release.published is not None and not release.published:
        facts.append((words("data.published"), words("data.none_published")))
    matched = json_words(release.correspondence) or words("data.none")
    facts.append((words("data.correspondence"), matched))
    blocks.append(Facts(tuple(facts)))
    if release.published:
        blocks.append(_published(release.published, words))
    if release.notes:
        blocks += [Subheading(words("data.notes")), Bullets(plain_items(release.notes))]
    return Section(
        number=5,
        anchor="data",
        title=words("data.title"),
        lead=words("data.lead"),
        blocks=tuple(blocks),
    )


def columns_section(subject: Subject) -> Section:
    """Return section 6: each column's type, role, missing values and treatment; or the array."""
    words, array = subject.words, subject.evidence.release.array
    if array is not None:
        return _array_section(array, words)
    names = ("column", "type", "role", "levels", "missing", "treatment", "decided_by")
    heads = table_head(*(words(f"columns.{n}") for n in names), numeric=frozenset({3, 4}))
    columns = subject.evidence.release.columns
    rows = tuple(_column_row(column, subject) for column in columns)
    table = Table(caption=words("columns.caption"), headings=heads, rows=rows)
    guessed = any(column.guessed for column in columns)
    return Section(
        number=6,
        anchor="columns",
        title=words("columns.title"),
        lead=words("columns.lead_guessed" if guessed else "columns.lead"),
        blocks=(Prose((_column_counts(subject),), leads=True), table),
    )


def _array_section(array: ArrayFacts, words: Wording) -> Section:
    stored = "; ".join(
        words("array.stored_value", table=words(f"data.{name}"), type=array.stored[name])
        for name in _TABLES
        if name in array.stored
    )
    facts = (
        (words("array.dimensions"), count_text(array.dimensions, words.numbers)),
        (words("array.distance"), words(f"array.{array.distance}")),
        (words("array.treatment"), array.treatment),
        (words("array.stored"), stored),
    )
    return Section(
        number=6,
        anchor="columns",
        title=words("array.title"),
        lead=words("array.lead"),
        blocks=(Facts(facts),),
    )


def generator_section(subject: Subject) -> Section:
    """Return section 7: the generator, as declared."""
    words, generator = subject.words, subject.evidence.release.generator
    known = ("name", "version", "dp")
    facts = [(words(f"generator.{name}"), subject.stated(generator.get(name))) for name in known]
    facts += [
        (name.replace("_", " "), subject.stated(value))
        for name, value in generator.items()
        if name not in known
    ]
    return Section(
        number=7,
        anchor="generator",
        title=words("generator.title"),
        lead=words("generator.lead"),
        blocks=(Facts(tuple(facts)), Prose((words("generator.dp_note"),))),
    )


def _table_of_tables(subject: Subject) -> Table:
    words = subject.words
    names = ("table", "role", "rows", "columns", "repeated", "format")
    release = subject.evidence.release
    width = words("data.columns") if release.array is None else words("array.title")
    texts = (width if name == "columns" else words(f"data.{name}") for name in names)
    heads = table_head(*texts, numeric=frozenset({2, 3, 4}))
    tables = release.tables
    rows = tuple(_table_row(name, tables[name], subject) for name in _TABLES if name in tables)
    return Table(caption=words("data.caption"), headings=heads, rows=rows)


def _published(tables: tuple[PublishedFacts, ...], words: Wording) -> Table:
    names = ("file", "rows", "counts", "totals")
    heads = table_head(*(words(f"published.{name}") for name in names), numeric=frozenset({1}))
    rows = tuple(
        (
            Cell(table.file, code=True),
            Cell(count_text(table.rows, words.numbers)),
            Cell(", ".join(table.counts)),
            Cell(words(f"published.totals_{table.totals.replace(' ', '_')}")),
        )
        for table in tables
    )
    return Table(caption=words("published.caption"), headings=heads, rows=rows)


def _table_row(name: str, table: TableFacts, subject: Subject) -> tuple[Cell, ...]:
    words = subject.words
    repeated = table.rows - table.distinct_rows
    hidden = _withholds(subject, repeated)
    return (
        Cell(words(f"data.{name}")),
        Cell(words(f"data.{name}_role")),
        Cell(count_text(table.rows, words.numbers)),
        Cell(count_text(table.columns, words.numbers)),
        Cell(words("withheld.few_count") if hidden else count_text(repeated, words.numbers)),
        Cell(table.format),
    )


def _withholds(subject: Subject, count: float) -> bool:
    return subject.audience is Audience.SHAREABLE and is_small(count)


def _overlap(subject: Subject) -> str:
    words, release = subject.words, subject.evidence.release
    overlap = release.holdout_overlap
    if overlap is None:
        return words("data.none")
    if _withholds(subject, overlap.rows):
        return words("withheld.few_count")
    share = figure_text(overlap.share, FigureKind.SHARE, words.numbers)
    return words("data.overlap_value", rows=count_text(overlap.rows, words.numbers), share=share)


def _column_row(column: ColumnFacts, subject: Subject) -> tuple[Cell, ...]:
    words = subject.words
    levels = (
        words("columns.absent")
        if column.levels is None
        else count_text(column.levels, words.numbers)
    )
    missing = " / ".join(_missing(column, name, subject) for name in _TABLES)
    return (
        Cell(column.name, code=True),
        Cell(words(f"column_type.{column.type}")),
        Cell(words(f"column_role.{column.role}")),
        Cell(levels),
        Cell(missing),
        Cell(column.treatment),
        Cell(_decided_by(column, subject)),
    )


def _decided_by(column: ColumnFacts, subject: Subject) -> str:
    """Return who decided on type and role, for this column or for all that name nobody."""
    words = subject.words
    if column.guessed:
        return words("columns.guessed")
    for_all = subject.evidence.release.context.get(_DECIDED_BY)
    return column.decided_by or json_words(for_all) or words("columns.nobody")


def _missing(column: ColumnFacts, name: TableName, subject: Subject) -> str:
    words, tables = subject.words, subject.evidence.release.tables
    share = column.missing.get(name)
    if share is None or name not in tables:
        return words("columns.absent")
    rows = tables[name].rows
    if _withholds(subject, share * rows):
        return small_share_words(rows, words)
    if _withholds(subject, rows - share * rows):
        return most_share_words(rows, words)
    return (
        figure_text(share, FigureKind.SHARE, words.numbers)
        if share
        else limit_text(0.0, FigureKind.SHARE, words.numbers)
    )


def _column_counts(subject: Subject) -> str:
    roles = [column.role for column in subject.evidence.release.columns]
    return subject.words(
        "columns.counts",
        quasi=count_text(roles.count("quasi_identifier"), subject.words.numbers),
        sensitive=count_text(roles.count("sensitive"), subject.words.numbers),
        other=count_text(roles.count("other"), subject.words.numbers),
        out=count_text(roles.count("identifier") + roles.count("ignore"), subject.words.numbers),
    )
