"""What evidence records about a release: never a value of a record."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from privgate.data.columns import ColumnType, Role
from privgate.evidence import ColumnFacts, TableFacts

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from privgate.data.canonical import CanonicalColumn
    from privgate.data.columns import Column
    from privgate.data.digests import Digests
    from privgate.data.raw import RawTable, Stored
    from privgate.data.release import Release
    from privgate.data.schema import ColumnDeclaration
    from privgate.evidence import TableName

_TREATMENTS = {
    ColumnType.NUMERIC: "standardised number",
    ColumnType.DATETIME: "standardised time",
    ColumnType.ORDINAL: "standardised rank",
    ColumnType.CATEGORICAL: "0/1 indicator per level",
    ColumnType.BOOLEAN: "0/1 indicator per level",
}


def table_facts(raw: Stored, *, columns: int, digests: Digests, distinct_rows: int) -> TableFacts:
    """Return what a table is known by; a table from memory is known by its content alone."""
    return TableFacts(
        file=raw.file,
        format=raw.format,
        sha256=raw.sha256 or digests.content,
        content_sha256=digests.content,
        rows=raw.rows,
        columns=columns,
        distinct_rows=distinct_rows,
        salt=digests.salt,
    )


def column_facts(
    declared: Mapping[str, ColumnDeclaration],
    content: Mapping[TableName, Mapping[str, CanonicalColumn]],
    measured: Mapping[str, Column],
) -> Iterator[ColumnFacts]:
    """Yield what is known of each declared column, in declared order."""
    for name, declaration in declared.items():
        found = {table: columns[name] for table, columns in content.items() if name in columns}
        column = measured.get(name)
        has_levels = column is not None and column.type.has_levels
        yield ColumnFacts(
            name=name,
            type=declaration.type.value,
            role=declaration.role.value,
            levels=len(column.levels) if column is not None and has_levels else None,
            missing={table: float(part.missing.mean()) for table, part in found.items()},
            treatment=_treatment(declaration, found.get("train")),
            decided_by=declaration.decided_by,
        )


def _treatment(declaration: ColumnDeclaration, train: CanonicalColumn | None) -> str:
    if declaration.role is Role.IDENTIFIER:
        return "left out: identifier"
    if declaration.role is Role.IGNORE:
        return "left out: to be ignored"
    usual = _TREATMENTS[declaration.type]
    by_scale = declaration.type not in {ColumnType.CATEGORICAL, ColumnType.BOOLEAN}
    if by_scale and train is not None and is_constant(train):
        return f"{usual}, constant in train"
    return usual


def marked_as_guessed(release: Release, note: str) -> Release:
    """Return a release whose evidence and report say that its columns' types were guessed."""
    facts = release.facts.model_copy(
        update={
            "notes": (*release.facts.notes, note),
            "columns": tuple(
                column.model_copy(update={"guessed": True}) for column in release.facts.columns
            ),
        }
    )
    return replace(release, facts=facts)


def is_constant(column: CanonicalColumn) -> bool:
    """Return whether a column has one value, missing values aside."""
    return len(np.unique(column.values[~column.missing])) == 1


def release_notes(
    raw: Mapping[TableName, RawTable],
    content: Mapping[TableName, Mapping[str, CanonicalColumn]],
    measured: Mapping[str, Column],
) -> Iterator[str]:
    """Yield what a reader must know about the data before reading any figure."""
    for table, found in raw.items():
        yield from (f"{table}: {note}" for note in found.notes)
    for name in sorted(measured):
        parts = {table: columns[name] for table, columns in content.items()}
        if is_constant(parts["train"]):
            others = any(not is_constant(part) for part in parts.values())
            varies = ", but varies in another table" if others else ""
            yield f"Column {name!r} is constant in train{varies}."
        if parts["train"].levels is not None and _has_new_levels(parts):
            yield f"Column {name!r} has levels in the synthetic table that train does not have."


def _has_new_levels(parts: Mapping[TableName, CanonicalColumn]) -> bool:
    levels = parts["train"].levels or ()
    known = {levels[int(code)] for code in np.unique(parts["train"].values) if code >= 0}
    theirs = parts["synthetic"].levels or ()
    return any(theirs[int(c)] not in known for c in np.unique(parts["synthetic"].values) if c >= 0)
