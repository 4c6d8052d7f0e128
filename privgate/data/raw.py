"""A table as it was stored: columns of cells that nobody has interpreted yet."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from privgate.errors import Problem

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import pyarrow as pa

MISSING_TOKENS = frozenset(
    {"", "NA", "N/A", "NaN", "nan", "NULL", "null", "None", "NaT", "<NA>"},
)
"""Text cells that mean a missing value, in every file format, unless a table lists its own."""


@dataclass(frozen=True, kw_only=True)
class Stored:
    """Rows as they were stored, with what is needed to say where one of them stands.

    ``source`` is how messages name the table, ``file`` its name without folders. ``first_line`` is
    the line of the first row, known when every row is one line of a text file. ``sha256`` digests
    the stored bytes; a table that came from memory has none.
    """

    source: str
    file: str
    format: str
    sha256: str | None
    rows: int
    first_line: int | None = None

    def problem(
        self,
        message: str,
        *,
        row: int | None = None,
        column: str | None = None,
        remedy: str | None = None,
    ) -> Problem:
        """Return a problem with this table; ``row`` counts data rows from 1."""
        line = None if row is None or self.first_line is None else self.first_line + row - 1
        return Problem(
            message,
            file=self.source,
            line=line,
            path=None if column is None else f"column {column!r}",
            remedy=remedy,
        )


@dataclass(frozen=True, kw_only=True)
class RawTable(Stored):
    """Columns of cells, with what is needed to read them."""

    columns: Mapping[str, pa.ChunkedArray]
    decimal: str = "."
    missing: frozenset[str] = MISSING_TOKENS
    notes: tuple[str, ...] = ()


def repeated_name(names: Sequence[str]) -> str | None:
    """Return which columns share a name, by position: a file without header shows records there.

    Examples
    --------
    >>> repeated_name(["a", "b", "a"])
    'columns 1 and 3 have the same name'
    """
    first: dict[str, int] = {}
    for place, name in enumerate(names, start=1):
        if first.setdefault(name, place) != place:
            return f"columns {first[name]} and {place} have the same name"
    return None
