"""Raw columns in canonical form, by declared type."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from privgate.data.columns import ColumnType, Role
from privgate.data.datetimes import Instants, Zone, instants
from privgate.data.levels import Coded, canonical_text, in_order, levels, truth_values
from privgate.data.numeric import numbers
from privgate.data.text import UnreadableCells, plain

if TYPE_CHECKING:
    import pyarrow as pa
    from numpy.typing import NDArray

    from privgate.data.raw import RawTable
    from privgate.data.schema import ColumnDeclaration
    from privgate.errors import Problem


@dataclass(frozen=True)
class CanonicalColumn:
    """A column of one table: numbers with NaN for missing, or codes into its own levels."""

    values: NDArray[np.float64] | NDArray[np.int32]
    levels: tuple[str, ...] | None = None
    zones: frozenset[Zone] = frozenset()

    @property
    def missing(self) -> NDArray[np.bool_]:
        """Return which values are missing."""
        found: NDArray[np.bool_] = np.isnan(self.values) if self.levels is None else self.values < 0
        return found


def canonicalise(
    table: RawTable, name: str, declared: ColumnDeclaration
) -> CanonicalColumn | Problem:
    """Return a column in canonical form, or what stands against it, without any cell's content."""
    try:
        return _read(table, table.columns[name], declared)
    except UnreadableCells as found:
        if found.bad is None:
            return table.problem(found.message, column=name, remedy=found.remedy)
        count = int(found.bad.sum())
        row = int(found.bad.argmax()) + 1
        values = "1 value is" if count == 1 else f"{count} values are"
        message = found.message.format(values=values)
        where = f"in row {row}" if count == 1 else f"the first in row {row}"
        return table.problem(f"{message}, {where}", row=row, column=name, remedy=found.remedy)


def _read(table: RawTable, column: pa.ChunkedArray, declared: ColumnDeclaration) -> CanonicalColumn:
    array, missing = plain(column), table.missing
    if declared.role is Role.IDENTIFIER:  # identifiers are compared, never computed with
        return _coded(levels(array, missing, decimal=table.decimal))
    if declared.type is ColumnType.NUMERIC:
        return CanonicalColumn(numbers(array, missing, decimal=table.decimal))
    if declared.type is ColumnType.DATETIME:
        return _timed(instants(array, missing))
    if declared.type is ColumnType.BOOLEAN:
        return _coded(truth_values(array, missing))
    coded = levels(array, missing, decimal=table.decimal)
    if declared.levels is None:
        return _coded(coded)
    return _coded(in_order(coded, [canonical_text(level) for level in declared.levels]))


def _coded(found: Coded) -> CanonicalColumn:
    return CanonicalColumn(found.codes, found.levels)


def _timed(found: Instants) -> CanonicalColumn:
    return CanonicalColumn(found.seconds, zones=found.zones)
