"""The file of a table without some of its rows, everything else as it was stored."""

from __future__ import annotations

import codecs
import csv
import gzip
import io
import lzma
from itertools import compress
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from privgate.data.array_files import stored_array
from privgate.data.arrow_files import feather_table, parquet_table
from privgate.data.csv_files import csv_columns
from privgate.data.files import stored_content
from privgate.errors import InputError, Problem

if TYPE_CHECKING:
    from pathlib import Path
    from typing import Any

    from numpy.typing import NDArray

    from privgate.data.schema import TableSource

BOM = "\ufeff"


def without_rows(path: Path, source: TableSource, positions: NDArray[np.int64]) -> bytes:
    """Return the bytes of a table's file without the data rows at ``positions``, counted from 1.

    Of CSV text every other line keeps its bytes, compressed as before; Parquet and Arrow tables
    keep their schema and metadata. A level that only rows taken out had leaves its dictionary.

    Raises
    ------
    InputError
        If the file cannot be read, no row would be left, or its text cannot be taken apart and put
        together again without a change.
    """
    stored, raw = stored_content(path)
    if not stored.startswith("csv"):
        is_parquet = stored == "parquet"
        table = (parquet_table if is_parquet else feather_table)(path, raw)
        kept = _rows_of_arrow(table, _kept(table.num_rows, positions, path))
        return _parquet_bytes(kept, raw) if is_parquet else _arrow_bytes(kept, raw)
    text = _csv_without(raw, path, source, positions)
    match stored.removeprefix("csv"):
        case ".gz":
            return gzip.compress(text, mtime=0)
        case ".xz":
            return lzma.compress(text)
        case ".zst":
            return bytes(pa.Codec("zstd").compress(text, asbytes=True))
        case _:
            return text


def array_without_rows(path: Path, name: str | None, positions: NDArray[np.int64]) -> bytes:
    """Return the bytes of an array's file without the rows at ``positions``, counted from 1.

    Of an .npz file only the named array is left: others in it may tell of the rows taken out.

    Raises
    ------
    InputError
        If the file cannot be read, or no row would be left.
    """
    array, _ = stored_array(path, name)
    left = array[_kept(len(array), positions, path)]
    written = io.BytesIO()
    if path.suffix.lower() == ".npy":
        np.save(written, left, allow_pickle=False)
    else:
        # Numbers only, so nothing is pickled; older numpy would store the argument that forbids it.
        named: dict[str, Any] = {name or "array": left}
        np.savez_compressed(written, **named)
    return written.getvalue()


def _kept(rows: int, positions: NDArray[np.int64], path: Path) -> NDArray[np.bool_]:
    kept = np.ones(rows, bool)
    if len(positions) and not 1 <= positions.min() <= positions.max() <= rows:
        raise _refused(path, f"a row to be taken out is not among the {rows} rows of the table")
    kept[positions - 1] = False
    if not kept.any():
        raise _refused(path, "every row would be taken out, so no table is left")
    return kept


def _refused(path: Path, message: str, remedy: str | None = None) -> InputError:
    return InputError(Problem(message, file=str(path), remedy=remedy))


def _csv_without(
    raw: bytes, path: Path, source: TableSource, positions: NDArray[np.int64]
) -> bytes:
    codec = _codec(raw, source.encoding)
    columns, _, _ = csv_columns(raw, path, source)
    kept = _kept(len(next(iter(columns.values()))), positions, path)
    remedy = "write the table as plain CSV in UTF-8, or as Parquet"
    damaged = _refused(path, "rows cannot be taken out of this text without a change", remedy)
    if codec is None:
        raise damaged
    text = raw.decode(codec)
    start = BOM if text.startswith(BOM) else ""
    lines = list(io.StringIO(text.removeprefix(BOM), newline=""))
    try:
        rows = _row_of_line(lines, source.separator)
    except csv.Error:
        raise damaged from None
    if rows.max() != len(kept):
        raise damaged
    left = np.concatenate([[True], kept])[rows]
    shorter = (start + "".join(compress(lines, left))).encode(codec)
    # What is left must read as it did: a line cut wrongly would publish another table.
    again, _, _ = csv_columns(shorter, path, source)
    if not all(again[name].equals(cells.filter(pa.array(kept))) for name, cells in columns.items()):
        raise damaged
    return shorter


def _codec(raw: bytes, encoding: str) -> str | None:
    """Return the codec that turns the bytes into text and back into the same bytes, if any does."""
    name = codecs.lookup(encoding).name
    text = raw.decode(name)
    for codec in (name, f"{name}-le", f"{name}-be", "utf-8"):
        try:
            found = raw.decode(codec)
            if found.removeprefix(BOM) == text.removeprefix(BOM) and found.encode(codec) == raw:
                return codec
        except (LookupError, UnicodeError):
            continue
    return None


def _row_of_line(lines: list[str], separator: str) -> NDArray[np.int64]:
    """Return which data row each line belongs to, from 1; 0 for the header and for empty lines."""
    reader = csv.reader(lines, delimiter=separator, strict=True)
    read = np.array([(reader.line_num, bool(cells)) for cells in reader])
    ends, filled = read[:, 0], read[:, 1] > 0
    rows = np.where(filled, np.cumsum(filled) - 1, 0)
    return np.repeat(rows, np.diff(ends, prepend=0))


def _rows_of_arrow(table: pa.Table, kept: NDArray[np.bool_]) -> pa.Table:
    whole = table.unify_dictionaries()
    left = whole.filter(pa.array(kept))
    for place, field in enumerate(table.schema):
        if pa.types.is_dictionary(field.type):
            column = _without_lost_levels(whole.column(place), left.column(place))
            left = left.set_column(place, field, column)
    return left.replace_schema_metadata(table.schema.metadata)


def _without_lost_levels(before: pa.ChunkedArray, after: pa.ChunkedArray) -> pa.Array:
    """Return a column whose dictionary has forgotten what only the rows taken out had."""
    whole, left = before.combine_chunks(), after.combine_chunks()
    known = np.arange(len(left.dictionary))
    used = np.isin(known, whole.indices.drop_null().to_numpy(zero_copy_only=False))
    still_used = np.isin(known, left.indices.drop_null().to_numpy(zero_copy_only=False))
    level_kept = ~used | still_used
    codes = pa.array((np.cumsum(level_kept) - 1).clip(0), left.type.index_type)
    return pa.DictionaryArray.from_arrays(
        codes.take(left.indices),
        left.dictionary.filter(pa.array(level_kept)),
        ordered=left.type.ordered,
    )


def _parquet_bytes(table: pa.Table, raw: bytes) -> bytes:
    first = pq.ParquetFile(pa.BufferReader(raw)).metadata.row_group(0).column(0)
    sink = pa.BufferOutputStream()
    pq.write_table(table, sink, compression=first.compression)
    return bytes(sink.getvalue())


def _arrow_bytes(table: pa.Table, raw: bytes) -> bytes:
    sink = pa.BufferOutputStream()
    new = pa.ipc.new_file if raw.startswith(b"ARROW1") else pa.ipc.new_stream
    with new(sink, table.schema) as writer:
        writer.write_table(table)
    return bytes(sink.getvalue())
