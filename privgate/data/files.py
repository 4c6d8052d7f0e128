"""Tables in files, read without interpreting a single cell."""

from __future__ import annotations

import gzip
import lzma
import zlib
from dataclasses import replace
from functools import partial
from hashlib import sha256
from typing import TYPE_CHECKING

import pyarrow as pa

from privgate.data.arrow_files import ParquetColumns, feather_columns
from privgate.data.csv_files import csv_columns
from privgate.data.opening import opened, refused
from privgate.data.raw import RawTable

if TYPE_CHECKING:
    from pathlib import Path

    from privgate.data.schema import TableSource

_MAGIC = {b"\x1f\x8b": ".gz", b"\xfd7zXZ\x00": ".xz", b"\x28\xb5\x2f\xfd": ".zst"}
_PARQUET = {".parquet", ".pq"}
_ARROW = {".arrow", ".feather", ".ipc"}
KNOWN = ".csv, .csv.gz, .csv.xz, .csv.zst, .parquet, .feather or .arrow"


def read_table(path: Path, source: TableSource) -> RawTable:
    """Return the table in a file, with the digest of the file's bytes.

    Raises
    ------
    InputError
        If the file cannot be read or is not the table that its name promises.
    """
    table = open_table(path, source)
    lazy = table.columns
    return replace(table, sha256=lazy.sha256()) if isinstance(lazy, ParquetColumns) else table


def open_table(path: Path, source: TableSource) -> RawTable:
    """Return the table in a file; of a Parquet file only the footer is read, nothing digested.

    Raises
    ------
    InputError
        If the file cannot be read or is not the table that its name promises.
    """
    stored = _format(path)
    table = partial(
        RawTable,
        source=str(path),
        file=path.name,
        format=stored,
        decimal=source.decimal,
        missing=source.missing_tokens,
    )
    if stored == "parquet":
        in_file = ParquetColumns.of(path)
        return table(sha256=None, columns=in_file, rows=in_file.rows)
    raw = _bytes(path)
    if not raw:
        raise refused(path, "the file is empty", "write a header and rows")
    first_line: int | None = None
    notes: tuple[str, ...] = ()
    if stored == "arrow":
        columns = feather_columns(path, raw)
    else:
        columns, first_line, notes = csv_columns(_decompressed(path, raw, stored), path, source)
    return table(
        sha256=sha256(raw).hexdigest(),
        columns=columns,
        rows=len(next(iter(columns.values()))),
        first_line=first_line,
        notes=notes,
    )


def stored_content(path: Path) -> tuple[str, bytes]:
    """Return how the table in a file is stored, and its bytes, those of CSV text decompressed.

    Raises
    ------
    InputError
        If the file cannot be read or is not what its name promises.
    """
    stored, raw = _format(path), _bytes(path)
    return stored, _decompressed(path, raw, stored) if stored.startswith("csv") else raw


def holds_data(path: Path) -> bool:
    """Return whether a file is a table or an array by its name."""
    name = path.name.lower()
    return ".csv" in name or path.suffix.lower() in _PARQUET | _ARROW | {".npy", ".npz"}


def _format(path: Path) -> str:
    suffixes = [suffix.lower() for suffix in path.suffixes]
    last = suffixes[-1] if suffixes else ""
    if last == ".csv":
        return "csv"
    if last in {".gz", ".xz", ".zst"} and suffixes[-2:-1] == [".csv"]:
        return f"csv{last}"
    if last in _PARQUET:
        return "parquet"
    if last in _ARROW:
        return "arrow"
    if last in {".npy", ".npz"}:
        remedy = "declare 'kind: array' and a distance under 'data', for all three"
        raise refused(path, "this is an array and not a table", remedy)
    if path.is_dir():
        raise refused(path, "this is a folder", "name a file")
    raise refused(path, f"the file name does not end in {KNOWN}", "rename or convert the file")


def _bytes(path: Path) -> bytes:
    with opened(path) as file:
        return file.read()


def _decompressed(path: Path, raw: bytes, stored: str) -> bytes:
    if raw.startswith((b"PAR1", b"ARROW1")):
        actual = ".parquet" if raw.startswith(b"PAR1") else ".feather"
        raise refused(
            path, f"the file's content is {actual}", f"rename the file to end in {actual}"
        )
    named = stored.removeprefix("csv")
    found = next((suffix for magic, suffix in _MAGIC.items() if raw.startswith(magic)), "")
    if found != named:
        was = f"compressed as {found}" if found else "not compressed that way"
        wanted = f"rename the file to end in .csv{found}"
        raise refused(path, f"the file's content is {was}", wanted)
    try:
        match named:
            case ".gz":
                return gzip.decompress(raw)
            case ".xz":
                return lzma.decompress(raw)
            case ".zst":
                return bytes(pa.CompressedInputStream(pa.BufferReader(raw), "zstd").read())
            case _:
                return raw
    except (OSError, EOFError, zlib.error, lzma.LZMAError):
        message = "the compressed file is damaged or cut short"
        raise refused(path, message, "copy or write it again") from None
