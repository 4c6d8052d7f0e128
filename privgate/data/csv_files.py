"""CSV text, split into cells strictly."""

from __future__ import annotations

import codecs
import csv
import io
import re
from collections import deque
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.csv as arrow_csv

from privgate.data.raw import repeated_name
from privgate.errors import InputError, Problem

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from privgate.data.schema import TableSource

BLOCK = 1 << 25  # bytes read at once; no single row may be longer


def csv_columns(
    raw: bytes, path: Path, source: TableSource
) -> tuple[dict[str, pa.ChunkedArray], int | None, tuple[str, ...]]:
    """Return the columns of a CSV text as text, the line of the first row, and notes.

    The line is ``None`` when some row stretches over several lines. As data frame libraries do, a
    column without a name gets the name ``Unnamed: `` and its position from 0.

    Raises
    ------
    InputError
        If the text cannot be decoded, has no rows, names a column twice, leaves a quotation open,
        or has rows of another length than its header.
    """
    reader = _CsvReader(path, source)
    text = reader.decode(raw)
    reader.check_quotation(text)
    names, notes = reader.header(text)
    table = reader.split(text, names)
    breaks = text.count(b"\n") or text.count(b"\r")
    lines = breaks + (not text.endswith((b"\n", b"\r")))
    plain = lines == table.num_rows + 1
    columns = dict(zip(names, table.columns, strict=True))
    return columns, 2 if plain else None, notes


class _CsvReader:
    def __init__(self, path: Path, source: TableSource) -> None:
        self.path = path
        self.source = source

    def refused(self, message: str, remedy: str, *, line: int | None = None) -> InputError:
        return InputError(Problem(message, file=str(self.path), line=line, remedy=remedy))

    def decode(self, raw: bytes) -> bytes:
        """Return the text as UTF-8 without byte order mark."""
        encoding = codecs.lookup(self.source.encoding).name
        try:
            text = raw.decode(encoding)
        except UnicodeDecodeError as cause:
            line = raw.count(b"\n", 0, cause.start) + 1
            message = f"the text is not {encoding}"
            remedy = "name the 'encoding' of this table in the release file, such as latin-1"
            raise self.refused(message, remedy, line=line) from None
        if "\0" in text:
            message, remedy = "the file holds null bytes, so it is not text", "name its 'encoding'"
            raise self.refused(message, remedy, line=text.count("\n", 0, text.index("\0")) + 1)
        found = raw if encoding == "utf-8" else text.encode()
        return found.removeprefix(codecs.BOM_UTF8)

    def check_quotation(self, text: bytes) -> None:
        """Refuse quotation marks that do not match: a lenient reader would swallow rows."""
        if b'"' not in text:
            return
        rows = self._rows(text)
        try:
            deque(rows, maxlen=0)
        except csv.Error:
            message = "a quotation is left open or goes on after its end"
            remedy = "double quotation marks inside quoted cells and close every quotation"
            raise self.refused(message, remedy, line=self._line) from None

    def _rows(self, text: bytes) -> Iterator[list[str]]:
        stream = io.TextIOWrapper(io.BytesIO(text), encoding="utf-8", newline="")
        reader = csv.reader(stream, delimiter=self.source.separator, strict=True)
        self._reader = reader
        return reader

    @property
    def _line(self) -> int:
        return self._reader.line_num

    def header(self, text: bytes) -> tuple[list[str], tuple[str, ...]]:
        """Return the column names and what is to be noted about them."""
        try:
            names = next((row for row in self._rows(text) if row), [])
        except csv.Error:
            names = []
        if not names:
            raise self.refused("the file has no header", "write the column names in the first line")
        unnamed = [place for place, name in enumerate(names) if not name.strip()]
        for place in unnamed:
            names[place] = f"Unnamed: {place}"
        repeated = repeated_name(names)
        if repeated:
            remedy = "write a header, and give each column its own name"
            raise self.refused(repeated, remedy, line=1)
        return names, tuple(f"a column without a name is called {names[i]!r}" for i in unnamed)

    def split(self, text: bytes, names: list[str]) -> pa.Table:
        """Return the cells as text, refusing rows of another length than the header."""
        bad: list[tuple[int, int]] = []

        def keep(row: arrow_csv.InvalidRow) -> str:
            bad.append((row.number - 1, row.actual_columns))
            return "skip"

        rows = re.sub(rb"\A[\r\n]+", b"", text)
        if not rows.endswith((b"\n", b"\r")):
            rows += b"\n"  # a header without an end of line is none to the reader
        try:
            table = arrow_csv.read_csv(
                pa.BufferReader(rows),
                read_options=arrow_csv.ReadOptions(
                    column_names=names,
                    skip_rows_after_names=1,
                    use_threads=False,
                    block_size=BLOCK,
                ),
                parse_options=arrow_csv.ParseOptions(
                    delimiter=self.source.separator,
                    newlines_in_values=True,
                    invalid_row_handler=keep,
                ),
                convert_options=arrow_csv.ConvertOptions(
                    column_types={name: pa.string() for name in names},
                    null_values=[],
                    strings_can_be_null=False,
                ),
            )
        except pa.ArrowException:  # its text shows cells
            message = "the file cannot be split into rows and cells"
            raise self.refused(message, "check the 'separator' and the quotation marks") from None
        if bad:
            raise self._uneven(bad, len(names))
        if table.num_rows == 0:
            raise self.refused("the table has a header but no rows", "check how it was written")
        return table

    def _uneven(self, bad: list[tuple[int, int]], expected: int) -> InputError:
        row, cells = bad[0]
        message = (
            f"{len(bad)} rows do not have the {expected} cells of the header, "
            f"the first is row {row} with {cells}"
        )
        remedy = "check the 'separator', and quote cells that contain it"
        if expected == 1:
            remedy = "name the 'separator' of this table in the release file"
        return self.refused(message, remedy)
