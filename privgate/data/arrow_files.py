"""Tables in Parquet, Feather and Arrow files.

A Parquet file is never read whole: its columns lie apart, and each is read when it is asked for, by
whichever process asks.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import file_digest
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq

from privgate.data.opening import opened, refused
from privgate.data.raw import repeated_name

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from io import BufferedReader


@dataclass(frozen=True, repr=False, eq=False)
class ParquetColumns(Mapping[str, pa.ChunkedArray]):
    """The columns of a Parquet file, each read from it whenever it is asked for, and then checked.

    They travel to another process as the place of the file, with its size, time of change and
    footer: a file that is another one there, or has changed since, is refused. ``path`` is how
    people named the file, who may have been in another folder; both are text, since a path of one
    system does not arrive on another.
    """

    path: str
    place: str
    state: tuple[int, int]
    footer: pq.FileMetaData
    names: tuple[str, ...]

    @classmethod
    def of(cls, path: Path) -> ParquetColumns:
        """Return the columns of a file, of which nothing but the footer is read.

        Raises
        ------
        InputError
            If the file cannot be read or holds no table.
        """
        with opened(path) as file:
            state = _state(file)
            if state[0] == 0:
                raise refused(path, "the file is empty", "write a header and rows")
            with _readable(path):
                stored = pq.ParquetFile(file)
                footer, names = stored.metadata, stored.schema_arrow.names
        require_content(path, names, footer.num_rows)
        return cls(str(path), str(path.absolute()), state, footer, tuple(names))

    @property
    def rows(self) -> int:
        """Return how many cells each column has."""
        return int(self.footer.num_rows)

    def sha256(self) -> str:
        """Return the digest of the file's bytes, which are never in memory together.

        Raises
        ------
        InputError
            If the file cannot be read or has changed.
        """
        with self._unchanged() as (file, _):
            file.seek(0)
            return file_digest(file, "sha256").hexdigest()

    def __getitem__(self, name: str) -> pa.ChunkedArray:
        """Return a column.

        Raises
        ------
        InputError
            If the file cannot be read, has changed, or is damaged where the column lies.
        """
        if name not in self.names:
            raise KeyError(name)
        with self._unchanged() as (_, stored):
            # A part of a nested column can have the name of another column, and comes with it.
            column = stored.read(columns=[name], use_threads=False).column(name)
            column.validate(full=True)
            if len(column) != self.rows:
                raise pa.ArrowInvalid("another number of cells than the footer says")
        return column

    def __contains__(self, name: object) -> bool:
        """Return whether there is such a column, without reading it."""
        return name in self.names

    def __iter__(self) -> Iterator[str]:
        """Yield the names of the columns as they are stored."""
        return iter(self.names)

    def __len__(self) -> int:
        """Return how many columns there are."""
        return len(self.names)

    @contextmanager
    def _unchanged(self) -> Iterator[tuple[BufferedReader, pq.ParquetFile]]:
        path = Path(self.path)
        with opened(path, place=Path(self.place)) as file:
            try:
                with _readable(path):
                    stored = pq.ParquetFile(file)
                    if not stored.metadata.equals(self.footer):
                        raise self._changed()
                    yield file, stored
            finally:  # what a change has made unreadable is told as a change, too
                if _state(file) != self.state:
                    raise self._changed()

    def _changed(self) -> Exception:
        message = "the file was changed while it was read"
        return refused(Path(self.path), message, "start again when nothing writes to it")


def feather_columns(path: Path, raw: bytes) -> dict[str, pa.ChunkedArray]:
    """Return the columns of the table that the bytes of a Feather or Arrow file are.

    Raises
    ------
    InputError
        If the bytes cannot be read or hold no table.
    """
    table = feather_table(path, raw)
    require_content(path, table.column_names, table.num_rows)
    return dict(zip(table.column_names, table.columns, strict=True))


def parquet_table(path: Path, raw: bytes) -> pa.Table:
    """Return the table that the bytes of a Parquet file are, whole: to be written again.

    Raises
    ------
    InputError
        If the bytes cannot be read.
    """
    with _readable(path):
        table = pq.ParquetFile(pa.BufferReader(raw)).read(use_threads=False)
        table.validate(full=True)
    return table


def feather_table(path: Path, raw: bytes) -> pa.Table:
    """Return the table that the bytes of an Arrow file or stream are.

    Raises
    ------
    InputError
        If the bytes cannot be read.
    """
    is_file = raw.startswith(b"ARROW1")
    with _readable(path):
        reader = (pa.ipc.open_file if is_file else pa.ipc.open_stream)(pa.BufferReader(raw))
        table = reader.read_all()
        table.validate(full=True)
    return table


def require_content(path: Path, names: Sequence[str], rows: int) -> None:
    """Return if a table has rows, and columns with a name each.

    Raises
    ------
    InputError
        If not.
    """
    repeated = repeated_name(names)
    if repeated:
        raise refused(path, repeated, "give each column its own name")
    if not names or rows == 0:
        what = "rows" if names else "columns"
        raise refused(path, f"the table has no {what}", "check how the file was written")


def _state(file: BufferedReader) -> tuple[int, int]:
    found = os.fstat(file.fileno())
    return found.st_size, found.st_mtime_ns


@contextmanager
def _readable(path: Path) -> Iterator[None]:
    """Turn what Arrow says of a damaged file into an error without its text, which may show cells.

    Raises
    ------
    InputError
        If the file is damaged.
    """
    try:
        yield
    except (pa.ArrowException, OSError, UnicodeDecodeError) as cause:
        if isinstance(cause, OSError) and cause.errno is not None:
            raise  # the system's word on the file, and not Arrow's on its content
        message = f"the file is not a readable {path.suffix.lower()} file"
        raise refused(path, message, "write it again") from None
