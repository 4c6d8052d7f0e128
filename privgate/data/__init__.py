"""Releases: tables read by declared schema, in a form that storage details cannot change."""

from privgate.data.array_assembly import (
    read_arrays,
    release_from_array_files,
    release_from_arrays,
)
from privgate.data.assembly import RowOrder
from privgate.data.columns import Column, ColumnType, Distance, Role, Table
from privgate.data.copies import identifier_replays, replayed_rows, row_ids, row_ranks
from privgate.data.guess import Guess, guess_declarations, render_release_file
from privgate.data.load import (
    load_release,
    read_tables,
    release_from_frames,
    release_from_tables,
)
from privgate.data.published import Dimension, PublishedTable, published_from_frame
from privgate.data.release import Release
from privgate.data.removal import array_without_rows, without_rows
from privgate.data.replacement import with_tables
from privgate.data.schema import (
    ArrayReleaseFile,
    ArraySource,
    ColumnDeclaration,
    PublishedSource,
    ReleaseFile,
    TableSource,
    Totals,
    release_schema,
)
from privgate.evidence import TableName

__all__ = [
    "ArrayReleaseFile",
    "ArraySource",
    "Column",
    "ColumnDeclaration",
    "ColumnType",
    "Dimension",
    "Distance",
    "Guess",
    "PublishedSource",
    "PublishedTable",
    "Release",
    "ReleaseFile",
    "Role",
    "RowOrder",
    "Table",
    "TableName",
    "TableSource",
    "Totals",
    "array_without_rows",
    "guess_declarations",
    "identifier_replays",
    "load_release",
    "published_from_frame",
    "read_arrays",
    "read_tables",
    "release_from_array_files",
    "release_from_arrays",
    "release_from_frames",
    "release_from_tables",
    "release_schema",
    "render_release_file",
    "replayed_rows",
    "row_ids",
    "row_ranks",
    "with_tables",
    "without_rows",
]
