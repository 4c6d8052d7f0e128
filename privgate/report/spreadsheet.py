"""A table of the report as CSV, safe to be opened in a spreadsheet."""

from __future__ import annotations

import csv
import io
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from privgate.report.blocks import Cell, Table

_COMMAND = re.compile("[=+\\-@|%\uff1d\uff0b\uff0d\uff20]")
_NUMBER = re.compile(r"[+-]?[\d.,]+( ?(%|pp))?")


def csv_bytes(table: Table) -> bytes:
    """Return all rows of a table as UTF-8 text with a byte order mark, which spreadsheets need."""
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([inert(heading.text) for heading in table.headings])
    writer.writerows([inert(_whole(cell)) for cell in row] for row in table.rows)
    return text.getvalue().encode("utf-8-sig")


def inert(text: str) -> str:
    """Return a text in one line that no spreadsheet takes for a formula.

    What would be one begins with an apostrophe.

    Examples
    --------
    >>> inert("=1+1"), inert("-0.5%"), inert("age")
    ("'=1+1", '-0.5%', 'age')
    """
    # Some programs look past blanks and control characters for the sign of a formula.
    line = " ".join("".join(it if it.isprintable() else " " for it in text).split())
    return f"'{line}" if _COMMAND.match(line) and not _NUMBER.fullmatch(line) else line


def _whole(cell: Cell) -> str:
    badge = () if cell.badge is None else (cell.badge.text,)
    return "; ".join(text for text in (*badge, cell.text, *cell.details) if text)
