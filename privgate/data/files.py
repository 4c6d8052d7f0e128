"""Tables in files, read without interpreting a single cell."""

from __future__ import annotations

import gzip
import lzma
import zlib
from contextlib import contextmanager
from hashlib import sha256
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq

from privgate.data.csv_files import csv_columns
from privgate.data.explanations import nearby
from privgate.data.raw import RawTable, repeated_name
from privgate.errors import InputError, Problem

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from io import BufferedReader
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
    stored = _format(path)
    raw = _bytes(path)
    if not raw:
        raise refused(path, "the file is empty", "write a header and rows")
    if stored.startswith("csv"):
        columns, first_line, notes = csv_columns(_decompressed(path, raw, stored), path, source)
    else:
        first_line, notes = None, ()
        columns = _arrow_columns(path, raw, parquet_table if stored == "parquet" else feather_table)
    return RawTable(
        source=str(path),
        file=path.name,
        format=stored,
        sha256=sha256(raw).hexdigest(),
        columns=columns,
        rows=len(next(iter(columns.values()))),
        decimal=source.decimal,
        missing=source.missing_tokens,
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


def refused(path: Path, message: str, remedy: str | None = None) -> InputError:
    """Return an error about a file."""
    return InputError(Problem(message, file=str(path), remedy=remedy))


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


@contextmanager
def opened(path: Path) -> Iterator[BufferedReader]:
    """Open a file to read its bytes.

    Raises
    ------
    InputError
        If the file cannot be read.
    """
    try:
        with path.open("rb") as file:
            yield file
    except FileNotFoundError:
        raise refused(path, "there is no such file", nearby(path)) from None
    except IsADirectoryError:
        raise refused(path, "this is a folder", "name a file") from None
    except OSError as cause:
        if path.is_dir():  # Windows denies the permission to read a folder
            raise refused(path, "this is a folder", "name a file") from None
        raise refused(path, f"the file cannot be read ({cause.strerror})") from None


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


def parquet_table(raw: bytes) -> pa.Table:
    """Return the table that the bytes of a Parquet file are."""
    return pq.ParquetFile(pa.BufferReader(raw)).read(use_threads=False)


def feather_table(raw: bytes) -> pa.Table:
    """Return the table that the bytes of an Arrow file or stream are."""
    if raw.startswith(b"ARROW1"):
        return pa.ipc.open_file(pa.BufferReader(raw)).read_all()
    return pa.ipc.open_stream(pa.BufferReader(raw)).read_all()


def _arrow_columns(
    path: Path, raw: bytes, read: Callable[[bytes], pa.Table]
) -> dict[str, pa.ChunkedArray]:
    try:
        table = read(raw)
        table.validate(full=True)
    except (pa.ArrowException, OSError, UnicodeDecodeError):  # their text may show cells
        message = f"the file is not a readable {path.suffix.lower()} file"
        raise refused(path, message, "write it again") from None
    names = table.column_names
    repeated = repeated_name(names)
    if repeated:
        raise refused(path, repeated, "give each column its own name")
    if not names or table.num_rows == 0:
        what = "rows" if names else "columns"
        raise refused(path, f"the table has no {what}", "check how the file was written")
    return dict(zip(names, table.columns, strict=True))
