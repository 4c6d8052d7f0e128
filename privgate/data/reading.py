"""Columns of tables in canonical form, read by whoever an executor has for it.

A table in memory stays where it is. One in a Parquet file is read column by column by the workers
of the executor, so that nobody ever holds it as it was stored, the caller least of all.
"""

from __future__ import annotations

import warnings
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from privgate.data.arrow_files import ParquetColumns
from privgate.data.canonical import CanonicalColumn, canonicalise
from privgate.data.columns import Role
from privgate.data.memory import return_unused
from privgate.errors import InputError, PrivgateWarning, Problem
from privgate.executors import SERIAL, Threads

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from privgate.data.raw import RawTable
    from privgate.data.schema import ColumnDeclaration
    from privgate.evidence import TableName
    from privgate.executors import Executor

S = TypeVar("S")
P = TypeVar("P")
T = TypeVar("T")
Content = dict["TableName", dict[str, CanonicalColumn]]

AT_A_TIME = 4  # columns read in threads: each takes some 50 bytes a row while it is read
UNSEEN = (
    "not every worker sees the tables as they are here, so this process reads what a worker could "
    "not; put the files where all workers find them under the same path (docs/cluster.md)"
)


def digested(tables: Mapping[TableName, RawTable], executor: Executor) -> dict[TableName, RawTable]:
    """Return tables with the digests of their files.

    Raises
    ------
    InputError
        With the problems of all files that cannot be read or have changed.
    """
    columns = {name: raw.columns for name, raw in tables.items()}
    in_file = {name: it for name, it in columns.items() if isinstance(it, ParquetColumns)}
    found = usable(in_file, read_by(executor, _digest, in_file, list(in_file)))
    return {
        name: replace(raw, sha256=found[name]) if name in found else raw
        for name, raw in tables.items()
    }


def canonical_content(
    tables: Mapping[TableName, RawTable],
    declared: Mapping[str, ColumnDeclaration],
    executor: Executor,
) -> Content:
    """Return every declared column that is not ignored, in canonical form.

    Raises
    ------
    InputError
        With the problems of all columns.
    """
    in_file = {table: raw for table, raw in tables.items() if is_in_file(raw)}
    wanted = [
        (table, name)
        for table, raw in tables.items()
        for name, declaration in declared.items()
        if name in raw.columns and declaration.role is not Role.IGNORE
    ]
    away = [part for part in wanted if part[0] in in_file]
    here = [part for part in wanted if part[0] not in in_file]
    read = dict(zip(away, read_by(executor, _column, (in_file, declared), away), strict=True))
    read |= zip(here, read_by(SERIAL, _column, (tables, declared), here), strict=True)
    content: Content = {table: {} for table in tables}
    for (table, name), column in usable(wanted, (read[part] for part in wanted)).items():
        content[table][name] = column
    if away:
        return_unused()  # what was read as it was stored is gone, and sorting needs room
    return content


def is_in_file(table: RawTable) -> bool:
    """Return whether columns of a table are read when they are asked for, by whoever asks."""
    return isinstance(table.columns, ParquetColumns)


def read_by(
    executor: Executor, task: Callable[[S, P], T], shared: S, parts: Sequence[P]
) -> Iterator[T | InputError]:
    """Yield what a task that reads files makes of every part, or what stands against it.

    No worker has the last word on a file, as it may see none or another one under its path. What
    it cannot read is read here, and what cannot be read here is an error.

    Warns
    -----
    PrivgateWarning
        If something that a worker could not read was read here.
    """
    answers = _moderate(executor).map(partial(_tried, task), shared, parts)
    for part, found in zip(parts, answers, strict=True):
        if found is not None:
            yield found
            continue
        try:
            again = task(shared, part)
        except InputError as error:
            yield error
        else:
            warnings.warn(UNSEEN, PrivgateWarning, stacklevel=1)
            yield again


def _moderate(executor: Executor) -> Executor:
    """Return an executor of which this machine does not hold many columns as they were stored."""
    return Threads(min(executor.jobs, AT_A_TIME)) if isinstance(executor, Threads) else executor


def _tried(task: Callable[[S, P], T], shared: S, part: P) -> T | None:
    """Do a task on a worker; of what it raises about a file nothing is told there."""
    try:
        return task(shared, part)
    except InputError:
        return None


def _digest(in_file: Mapping[TableName, ParquetColumns], table: TableName) -> str:
    return in_file[table].sha256()


def _column(
    shared: tuple[Mapping[TableName, RawTable], Mapping[str, ColumnDeclaration]],
    part: tuple[TableName, str],
) -> CanonicalColumn | Problem:
    (tables, declared), (table, name) = shared, part
    return canonicalise(tables[table], name, declared[name])


def usable(parts: Iterable[P], found: Iterable[T | Problem | InputError]) -> dict[P, T]:
    """Return what was found for each part.

    Raises
    ------
    InputError
        With all problems; one of a file, which every column of it meets, is told once.
    """
    usable: dict[P, T] = {}
    problems: list[Problem] = []
    for part, it in zip(parts, found, strict=True):
        if isinstance(it, InputError):
            problems.extend(it.problems)
        elif isinstance(it, Problem):
            problems.append(it)
        else:
            usable[part] = it
    if problems:
        raise InputError(dict.fromkeys(problems))
    return usable
