"""What else a measurement tells those who may see it: single values, and tables of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from privgate.evidence import FigureKind
from privgate.report.blocks import Cell, Table, table_head
from privgate.report.numbers import figure_text
from privgate.report.subject import json_words

if TYPE_CHECKING:
    from privgate.evidence import JsonValue, Measurement
    from privgate.report.subject import Subject

_MOST_ROWS = 60


def diagnostic_tables(measurement: Measurement, subject: Subject) -> list[Table]:
    """Return one table of single values, and one for each diagnostic that is a table itself."""
    words = subject.words
    named = dict(measurement.diagnostics)
    for part in measurement.parts:
        named |= {f"{part.of}: {name}": value for name, value in part.diagnostics.items()}
    tables = {name: rows for name, value in named.items() if (rows := _rows(value))}
    single = {name: _text(value, subject) for name, value in named.items() if name not in tables}
    heads = table_head(words("results.diagnostic"), words("results.value"))
    cells = tuple((Cell(name), Cell(text)) for name, text in single.items())
    title = words("results.diagnostics")
    found = [Table(caption=title, headings=heads, rows=cells, most=_MOST_ROWS)] if single else []
    return found + [_table(f"{title}: {name}", rows, subject) for name, rows in tables.items()]


def _table(caption: str, rows: list[dict[str, JsonValue]], subject: Subject) -> Table:
    # Stored evidence has its names in alphabetical order; ranks and numbers head the rows.
    names = sorted(rows[0], key=lambda name: _place([row[name] for row in rows]))
    heads = table_head(*names, numeric=frozenset(range(1, len(names))))
    cells = tuple(tuple(Cell(_text(row[name], subject)) for name in names) for row in rows)
    return Table(caption=caption, headings=heads, rows=cells, most=_MOST_ROWS)


def _place(column: list[JsonValue]) -> int:
    """Return where a column stands: ranks first, then whole numbers, then all others."""
    if column == list(range(1, len(column) + 1)):
        return 0
    return 1 if all(isinstance(value, int) for value in column) else 2


def _rows(value: JsonValue) -> list[dict[str, JsonValue]]:
    """Return the rows of a diagnostic that is a table: rows with the same names; else none."""
    rows = [row for row in value if isinstance(row, dict)] if isinstance(value, list) else []
    same = isinstance(value, list) and len(rows) == len(value)
    return rows if same and all(row.keys() == rows[0].keys() for row in rows) else []


def _text(value: JsonValue, subject: Subject) -> str:
    if isinstance(value, float):
        return figure_text(value, FigureKind.SCORE, subject.words.numbers)
    return json_words(value) or subject.words("columns.absent")
