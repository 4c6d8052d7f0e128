"""Columns and tables in canonical form."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy as np
    from numpy.typing import NDArray


class ColumnType(StrEnum):
    """What a column's values are; always declared."""

    NUMERIC = "numeric"
    CATEGORICAL = "categorical"
    ORDINAL = "ordinal"
    BOOLEAN = "boolean"
    DATETIME = "datetime"

    @property
    def has_levels(self) -> bool:
        """Return whether values are levels (codes) and not numbers."""
        return self in {ColumnType.CATEGORICAL, ColumnType.ORDINAL, ColumnType.BOOLEAN}


class Role(StrEnum):
    """What a column is to an attacker."""

    QUASI_IDENTIFIER = "quasi_identifier"
    SENSITIVE = "sensitive"
    OTHER = "other"
    IDENTIFIER = "identifier"
    IGNORE = "ignore"

    @property
    def is_measured(self) -> bool:
        """Return whether metrics look at columns of this role."""
        return self not in {Role.IDENTIFIER, Role.IGNORE}


class Distance(StrEnum):
    """How far apart two rows are.

    Euclidean and Gower distances are for tables, Hamming, Euclidean and cosine ones for arrays.
    """

    EUCLIDEAN = "euclidean"
    GOWER = "gower"
    HAMMING = "hamming"
    COSINE = "cosine"


@dataclass(frozen=True)
class Column:
    """Declaration of a column.

    ``levels``, over all tables of the release, are sorted (or in declared order for ordinal
    columns); empty for numeric and datetime columns.
    """

    name: str
    type: ColumnType
    role: Role
    levels: tuple[str, ...] = ()


@dataclass(frozen=True)
class Table:
    """A table in canonical form: one float64 or int32 array of the same length per column.

    Numeric columns hold float64 with NaN for missing; datetime columns seconds since 1970-01-01 UTC
    as float64 with NaN for missing; columns with levels hold int32 codes into ``Column.levels``
    with -1 for missing. ``positions`` gives for each row its 1-based position in the file.

    A table of an array release has no columns but a ``matrix`` with one row per record: float64
    coordinates, or the 0/1 positions of a Hamming release packed into uint64 words.
    """

    values: Mapping[str, NDArray[np.float64] | NDArray[np.int32]]
    positions: NDArray[np.int64]
    matrix: NDArray[np.float64] | NDArray[np.uint64] | None = None

    @property
    def rows(self) -> int:
        """Return the number of rows."""
        return len(self.positions)

    def take(self, index: slice | NDArray[np.integer] | NDArray[np.bool_]) -> Table:
        """Return the table of the rows at ``index``, in that order."""
        return replace(
            self,
            values={name: values[index] for name, values in self.values.items()},
            positions=self.positions[index],
            matrix=None if self.matrix is None else self.matrix[index],
        )
