"""Releases: tables read by declared schema, in a form that storage details cannot change."""

from privgate.data.assembly import RowOrder
from privgate.data.columns import Column, ColumnType, Role, Table
from privgate.data.copies import identifier_replays, replayed_rows, row_ids, row_ranks
from privgate.data.guess import Guess, guess_declarations, render_release_file
from privgate.data.load import (
    load_release,
    read_tables,
    release_from_frames,
    release_from_tables,
)
from privgate.data.release import Release
from privgate.data.removal import without_rows
from privgate.data.replacement import with_tables
from privgate.data.schema import ColumnDeclaration, ReleaseFile, TableSource
from privgate.evidence import TableName

__all__ = [
    "Column",
    "ColumnDeclaration",
    "ColumnType",
    "Guess",
    "Release",
    "ReleaseFile",
    "Role",
    "RowOrder",
    "Table",
    "TableName",
    "TableSource",
    "guess_declarations",
    "identifier_replays",
    "load_release",
    "read_tables",
    "release_from_frames",
    "release_from_tables",
    "render_release_file",
    "replayed_rows",
    "row_ids",
    "row_ranks",
    "with_tables",
    "without_rows",
]
