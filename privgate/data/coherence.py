"""Whether the tables of a release belong together."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from privgate.data.copies import row_ids
from privgate.data.datetimes import Zone
from privgate.data.explanations import did_you_mean
from privgate.errors import Problem
from privgate.evidence import OverlapFacts

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from privgate.data.canonical import CanonicalColumn
    from privgate.data.columns import ColumnType
    from privgate.data.raw import RawTable, Stored
    from privgate.data.release import Release
    from privgate.data.schema import ColumnDeclaration
    from privgate.evidence import JsonValue, TableName

Canonical = dict[str, "CanonicalColumn"]


def name_problems(
    tables: Mapping[TableName, RawTable], declared: Mapping[str, ColumnDeclaration]
) -> Iterator[Problem]:
    """Yield every column that is not declared, and every declared one that a table lacks."""
    if not any(declaration.role.is_measured for declaration in declared.values()):
        remedy = "give a column the role quasi_identifier, sensitive or other"
        yield Problem("no column is measured", remedy=remedy)
    for table in tables.values():
        if declared.keys().isdisjoint(table.columns):  # then these names may be a record
            message = "the header holds none of the declared columns"
            remedy = "check that the first line is a header and that the 'separator' is right"
            yield table.problem(message, remedy=remedy)
            continue
        for name in table.columns:
            if name not in declared:
                remedy = f"{did_you_mean(name, declared)} or declare it, with role ignore if unused"
                yield table.problem("the column is not declared", column=name, remedy=remedy)
        for name, declaration in declared.items():
            if name not in table.columns and declaration.role.is_measured:
                remedy = did_you_mean(name, table.columns)
                yield table.problem("the declared column is missing", column=name, remedy=remedy)


def correspondence_problems(
    tables: Mapping[TableName, RawTable], correspondence: JsonValue
) -> Iterator[Problem]:
    """Yield what contradicts the declared correspondence of synthetic and train rows."""
    train, synthetic = tables["train"], tables["synthetic"]
    yield from order_problems(tables, correspondence)
    if isinstance(correspondence, dict):
        key = str(correspondence["key"])
        for table in (train, synthetic):
            if key not in table.columns:
                remedy = "name a column that train and synthetic table have"
                yield table.problem(
                    "the key of the correspondence is missing", column=key, remedy=remedy
                )


def order_problems(
    tables: Mapping[TableName, Stored], correspondence: JsonValue
) -> Iterator[Problem]:
    """Yield that rows cannot correspond in order because there are not equally many of them."""
    train, synthetic = tables["train"], tables["synthetic"]
    if correspondence == "same_order" and train.rows != synthetic.rows:
        message = f"there are {synthetic.rows} synthetic rows, but {train.rows} train rows"
        remedy = "rows that correspond in order are equally many: declare 'correspondence: none'"
        yield synthetic.problem(message, remedy=remedy)


def coding_problems(
    tables: Mapping[TableName, RawTable],
    content: Mapping[TableName, Canonical],
    declared: Mapping[str, ColumnDeclaration],
) -> Iterator[Problem]:
    """Yield columns without values, of mixed zones, or coded in another way than in train."""
    for name, declaration in declared.items():
        if not declaration.role.is_measured:
            continue
        columns = {table: content[table][name] for table in tables}
        empty = [table for table, column in columns.items() if column.missing.all()]
        for table in empty:
            remedy = "give the column the role ignore, or check what means a missing value"
            yield tables[table].problem("the column has no value", column=name, remedy=remedy)
        if not empty:
            yield from _differences(tables, columns, name, declaration.type)


def _differences(
    tables: Mapping[TableName, RawTable],
    columns: Mapping[TableName, CanonicalColumn],
    name: str,
    kind: ColumnType,
) -> Iterator[Problem]:
    zones = frozenset[Zone]().union(*(column.zones for column in columns.values()))
    if len(zones) > 1:
        remedy = "write all times of the column with a zone, or all without"
        yield Problem(
            "times with and without a zone are mixed", path=f"column {name!r}", remedy=remedy
        )
        return
    for table, column in columns.items():
        if table != "train" and not _touch(columns["train"], column):
            what = "shares no level with" if kind.has_levels else "does not touch the range of"
            yield tables[table].problem(
                f"the column {what} the train table: it is coded in another way or unit, "
                "and distances would mean nothing",
                column=name,
                remedy="use one coding and unit in all tables, or give the column the role ignore",
            )


def _touch(train: CanonicalColumn, other: CanonicalColumn) -> bool:
    if train.levels is None or other.levels is None:
        ours, theirs = train.values[~train.missing], other.values[~other.missing]
        return bool(ours.min() <= theirs.max() and theirs.min() <= ours.max())
    return not _levels_used(train).isdisjoint(_levels_used(other))


def _levels_used(column: CanonicalColumn) -> set[str]:
    levels = column.levels or ()
    return {levels[int(code)] for code in np.unique(column.values[~column.missing])}


def holdout_overlap(release: Release) -> tuple[OverlapFacts | None, bool]:
    """Return how many holdout rows are train rows, and whether the holdout is the train table.

    It is taken for the train table when both hold the same rows, each equally often; or the same
    rows in other numbers, unless most rows occur several times: then coinciding is no surprise.
    """
    if release.holdout is None:
        return None, False
    ids = row_ids(release)
    train, holdout = ids["train"], ids["holdout"]
    shared = np.isin(holdout, train)
    same = np.array_equal(np.sort(train), np.sort(holdout))
    if shared.all() and np.isin(train, holdout).all():
        distinct = len(np.unique(train))
        same = same or 2 * distinct > len(train)
    rows = int(shared.sum())
    return OverlapFacts(rows=rows, share=rows / len(holdout)), same
