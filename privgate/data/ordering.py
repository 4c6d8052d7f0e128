"""The order of ordinal levels: declared, or that of the numbers they are."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from privgate.data.columns import ColumnType
from privgate.data.levels import canonical_text
from privgate.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from privgate.data.raw import RawTable
    from privgate.data.reading import Content
    from privgate.data.schema import ColumnDeclaration
    from privgate.errors import Problem
    from privgate.evidence import TableName


def ordinal_levels(
    tables: Mapping[TableName, RawTable],
    content: Content,
    declared: Mapping[str, ColumnDeclaration],
) -> dict[str, tuple[str, ...]]:
    """Return the levels of each measured ordinal column from low to high.

    Raises
    ------
    InputError
        If the levels of a column are not declared and are not all numbers.
    """
    found: dict[str, tuple[str, ...]] = {}
    problems: list[Problem] = []
    for name, declaration in declared.items():
        if declaration.type is not ColumnType.ORDINAL or not declaration.role.is_measured:
            continue
        if declaration.levels is not None:
            found[name] = tuple(canonical_text(level) for level in declaration.levels)
            continue
        numeric: dict[str, float] = {}
        for table, raw in tables.items():
            levels = content[table][name].levels or ()
            ranks = [_number(level) for level in levels]
            if None in ranks:
                remedy = "list the 'levels' of the column from low to high"
                problems.append(
                    raw.problem(
                        "the levels are not numbers and have no order", column=name, remedy=remedy
                    )
                )
            numeric |= {
                level: rank for level, rank in zip(levels, ranks, strict=True) if rank is not None
            }
        found[name] = tuple(sorted(numeric, key=lambda level: (numeric[level], level)))
    if problems:
        raise InputError(problems)
    return found


def _number(level: str) -> float | None:
    try:
        number = float(level)
    except ValueError:
        return None
    return number if np.isfinite(number) else None
