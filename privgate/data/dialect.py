"""A guess of how the text of a CSV file is written, for a person to review."""

from __future__ import annotations

import codecs
import csv
import io
import re
from typing import TYPE_CHECKING, Literal

from privgate.data.files import stored_content
from privgate.data.schema import CSV_ONLY, TableSource

if TYPE_CHECKING:
    from pathlib import Path

_SEPARATORS = (",", ";", "\t", "|")
_SAMPLE = 1 << 18  # bytes that are looked at for separator and decimal mark
_ALIKE = 0.9  # share of the rows that must have as many cells as the header
_COMMA = re.compile(r"[+-]?\d*,\d+")
_POINT = re.compile(r"[+-]?\d*\.\d+")


def guess_source(path: Path) -> TableSource:
    """Return where a table is, and for CSV a guess of separator, decimal mark and encoding.

    The separator is the sign that gives most cells to the header and as many to nearly all rows
    that were looked at. Nothing but the review of a person makes the guess right.

    Raises
    ------
    InputError
        If the file cannot be read or is not what its name promises.
    """
    if ".csv" not in path.name.lower():
        return TableSource(path=str(path))
    _, raw = stored_content(path)
    encoding = _encoding(raw)
    text = raw[:_SAMPLE].decode(encoding, errors="ignore").removeprefix("\ufeff")
    if len(raw) > _SAMPLE:
        text = text.rpartition("\n")[0]
    separator = max(_SEPARATORS, key=lambda sign: _width(text, sign))
    decimal = _decimal(text, separator)
    return TableSource(path=str(path), separator=separator, decimal=decimal, encoding=encoding)


def stated_marks(source: TableSource) -> dict[str, str]:
    """Return what a release file has to say of how a table is written: what is not usual.

    Examples
    --------
    >>> stated_marks(TableSource(path="t.csv", separator=";"))
    {'separator': ';'}
    """
    return {name: it for name, usual in CSV_ONLY.items() if (it := getattr(source, name)) != usual}


def _encoding(raw: bytes) -> str:
    """Return the first encoding that the bytes can have; any bytes can be the last one."""
    if raw.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16"
    for encoding in ("utf-8", "cp1252"):
        try:
            raw.decode(encoding)
        except UnicodeDecodeError:
            continue
        return encoding
    return "latin-1"


def _rows(text: str, separator: str) -> list[list[str]]:
    try:
        return [row for row in csv.reader(io.StringIO(text), delimiter=separator) if row]
    except csv.Error:
        return []


def _width(text: str, separator: str) -> int:
    """Return how many columns a separator gives, or 0 if the rows are not alike under it."""
    rows = _rows(text, separator)
    width = len(rows[0]) if rows else 0
    alike = sum(len(row) == width for row in rows)
    return width if width > 1 and alike >= _ALIKE * len(rows) else 0


def _decimal(text: str, separator: str) -> Literal[".", ","]:
    if separator == ",":
        return "."
    cells = {cell.strip() for row in _rows(text, separator) for cell in row}
    commas = any(_COMMA.fullmatch(cell) for cell in cells)
    return "," if commas and not any(_POINT.fullmatch(cell) for cell in cells) else "."
