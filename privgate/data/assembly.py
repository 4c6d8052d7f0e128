"""From raw tables to a release: one schema, one form, one order of rows."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import TYPE_CHECKING, TypeVar

import numpy as np
from numpy.typing import NDArray

from privgate.data.coherence import (
    coding_problems,
    correspondence_problems,
    holdout_overlap,
    name_problems,
)
from privgate.data.columns import Column, ColumnType, Role, Table
from privgate.data.copies import row_ranks
from privgate.data.facts import column_facts, release_notes, table_facts
from privgate.data.fingerprint import content_digest
from privgate.data.ordering import ordinal_levels
from privgate.data.reading import canonical_content
from privgate.data.release import Release
from privgate.errors import InputError, Problem
from privgate.evidence import JsonValue, ReleaseFacts
from privgate.executors import SERIAL

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from privgate.data.canonical import CanonicalColumn
    from privgate.data.digests import Digests
    from privgate.data.raw import RawTable, Stored
    from privgate.data.reading import Content
    from privgate.data.schema import ColumnDeclaration
    from privgate.evidence import TableName
    from privgate.executors import Executor

Values = NDArray[np.float64] | NDArray[np.int32]
A = TypeVar("A", bound=NDArray[np.generic])
T = TypeVar("T")


class RowOrder(StrEnum):
    """Sorted by content, or as in the files (only to repeat a calculation made elsewhere)."""

    CANONICAL = "canonical"
    GIVEN = "given"


@dataclass(frozen=True, kw_only=True)
class Description:
    """What is declared about a release, beside its tables."""

    name: str
    columns: Mapping[str, ColumnDeclaration] = field(default_factory=dict)
    unit: str = "person"
    correspondence: JsonValue = None
    generator: Mapping[str, JsonValue] = field(default_factory=dict)
    context: Mapping[str, JsonValue] = field(default_factory=dict)


def assemble(
    tables: Mapping[TableName, RawTable],
    description: Description,
    *,
    row_order: RowOrder,
    executor: Executor = SERIAL,
) -> Release:
    """Return the release that raw tables and their description make.

    What lies in Parquet files is read by the executor.

    Raises
    ------
    InputError
        With every problem of all tables and columns that one stage of the work found.
    """
    declared = description.columns
    raise_any(
        [
            *name_problems(tables, declared),
            *correspondence_problems(tables, description.correspondence),
        ]
    )
    content = canonical_content(tables, declared, executor)
    ordinal = ordinal_levels(tables, content, declared)
    raise_any(coding_problems(tables, content, declared))
    columns = {name: _column(name, declared[name], content, ordinal) for name in sorted(declared)}
    measured = {n: c for n, c in columns.items() if c is not None and c.role.is_measured}
    identifiers = [c for c in columns.values() if c is not None and c.role is Role.IDENTIFIER]
    united = [*measured.values(), *identifiers]
    told = _facts(tables, content, measured, description)
    # Nothing needs a table's unordered columns once they are ordered.
    found = {name: _ordered(content.pop(name), united, row_order) for name in tables}
    facts = {
        name: table_facts(
            raw,
            columns=len(raw.columns),
            digests=found[name].digests,
            distinct_rows=found[name].distinct,
        )
        for name, raw in tables.items()
    }
    release = Release(
        columns=tuple(measured.values()),
        identifiers=tuple(identifiers),
        train=found["train"].table,
        synthetic=found["synthetic"].table,
        holdout=found["holdout"].table if "holdout" in found else None,
        facts=told.model_copy(update={"tables": facts}),
    )
    return with_overlap(release, tables)


def present(train: T, holdout: T | None, synthetic: T) -> dict[TableName, T]:
    """Return what stands for each table that is there."""
    given: dict[TableName, T | None]
    given = {"train": train, "holdout": holdout, "synthetic": synthetic}
    return {table: source for table, source in given.items() if source is not None}


def all_or_problems(
    readers: Mapping[TableName, Callable[[], T]],
    disagreements: Callable[[Mapping[TableName, T]], Iterable[Problem]] = lambda _: (),
) -> dict[TableName, T]:
    """Return what the readers return.

    Raises
    ------
    InputError
        With the problems of all readers, and those between what was read.
    """
    found: dict[TableName, T] = {}
    problems: list[Problem] = []
    for table, read in readers.items():
        try:
            found[table] = read()
        except InputError as error:
            problems.extend(error.problems)
    problems.extend(disagreements(found))
    if problems:
        raise InputError(problems)
    return found


def raise_any(problems: Iterable[Problem]) -> None:
    """Raise an error that holds all the problems, if there are any."""
    found = list(problems)
    if found:
        raise InputError(found)


def _column(
    name: str,
    declaration: ColumnDeclaration,
    content: Content,
    ordinal: Mapping[str, tuple[str, ...]],
) -> Column | None:
    """Return the column with the levels of all tables, or nothing if no table has it to offer."""
    parts = [columns[name] for columns in content.values() if name in columns]
    if not parts:
        return None
    is_identifier = declaration.role is Role.IDENTIFIER
    kind = ColumnType.CATEGORICAL if is_identifier else declaration.type
    if kind is ColumnType.ORDINAL:
        return Column(name, kind, declaration.role, ordinal[name])
    known = sorted(set().union(*(part.levels or () for part in parts)))
    return Column(name, kind, declaration.role, tuple(known))


@dataclass(frozen=True)
class _Ordered:
    table: Table
    digests: Digests
    distinct: int


def _ordered(
    content: Mapping[str, CanonicalColumn], columns: Iterable[Column], row_order: RowOrder
) -> _Ordered:
    """Return a table with united levels in the order asked for, its digest and distinct rows.

    Rows are sorted by the measured columns, then by the identifiers; only the former make a row
    distinct.
    """
    present = [column for column in columns if column.name in content]
    values = {column.name: _recoded(content[column.name], column) for column in present}
    rows = len(next(iter(values.values())))
    ranks = row_ranks((values[c.name] for c in present if c.role.is_measured), rows)
    distinct = int(ranks.max()) + 1
    identifiers = (values[c.name] for c in present if not c.role.is_measured)
    order = np.argsort(row_ranks([ranks, *identifiers], rows), kind="stable")
    kept = order if row_order is RowOrder.CANONICAL else np.arange(rows, dtype=np.int64)
    table = Table(
        {name: _frozen(_rows(array, kept)) for name, array in values.items()},
        _frozen((kept + 1).astype(np.int64)),
    )
    return _Ordered(table, content_digest(content, order), distinct)


def _recoded(part: CanonicalColumn, column: Column) -> Values:
    """Return a column of one table in terms of the levels of all tables."""
    if part.levels is None or part.levels == column.levels:
        return part.values
    rank = {level: code for code, level in enumerate(column.levels)}
    lookup = np.array([rank[level] for level in part.levels] + [-1], dtype=np.int32)
    found: NDArray[np.int32] = lookup[part.values.astype(np.int64)]
    return found


def _rows(array: Values, kept: NDArray[np.int64]) -> Values:
    return array[kept]


def _frozen(array: A) -> A:
    array.setflags(write=False)
    return array


def _facts(
    tables: Mapping[TableName, RawTable],
    content: Content,
    measured: Mapping[str, Column],
    description: Description,
) -> ReleaseFacts:
    """Return what is known of a release, except of its tables: that needs their rows in order."""
    return ReleaseFacts(
        name=description.name,
        unit=description.unit,
        tables={},
        columns=tuple(column_facts(description.columns, content, measured)),
        correspondence=description.correspondence,
        generator=dict(description.generator),
        context=dict(description.context),
        notes=tuple(release_notes(tables, content, measured)),
    )


def with_overlap(release: Release, tables: Mapping[TableName, Stored]) -> Release:
    """Return a release whose facts tell how many holdout rows are train rows.

    Raises
    ------
    InputError
        If the holdout is the train table.
    """
    overlap, is_train = holdout_overlap(release)
    if is_train:
        remedy = "give people that the generator never saw, or leave the holdout out"
        raise InputError(tables["holdout"].problem("the holdout is the train table", remedy=remedy))
    if overlap is None:
        return release
    notes = release.facts.notes
    if overlap.rows:
        notes = ("Some holdout rows are equal to train rows; the share is given.", *notes)
    facts = release.facts.model_copy(update={"holdout_overlap": overlap, "notes": notes})
    return replace(release, facts=facts)
