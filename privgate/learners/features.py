"""Columns as features for a learner that sees only the synthetic table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from privgate.data import Column, Table

MOST_INDICATORS = 64


@dataclass(frozen=True)
class FeatureEncoder:
    """Encodes columns of any table of a release the same way.

    Levels become 0/1 indicators (codes, for columns of more than 64 levels); a missing level is
    all zeros or -1. Numbers stay as they are; a missing one takes the median of the table the
    encoder was fitted on and sets an indicator.
    """

    columns: tuple[Column, ...]
    medians: tuple[float, ...]

    @classmethod
    def fitted(cls, columns: Sequence[Column], table: Table) -> FeatureEncoder:
        """Return an encoder that takes medians from ``table``."""
        return cls(tuple(columns), tuple(_median(table, column) for column in columns))

    def matrix(self, table: Table) -> NDArray[np.float64]:
        """Return the features, shape (rows, features), free of NaN."""
        return np.column_stack(
            [
                feature
                for column, median in zip(self.columns, self.medians, strict=True)
                for feature in _features(table, column, median)
            ]
        )


def _features(table: Table, column: Column, median: float) -> list[NDArray[np.float64]]:
    values = table.values[column.name]
    if not column.type.has_levels:
        missing = np.isnan(values)
        return [np.where(missing, median, values), missing.astype(np.float64)]
    if column.type == "ordinal" or len(column.levels) > MOST_INDICATORS:
        return [values.astype(np.float64)]
    return [(values == code).astype(np.float64) for code in range(len(column.levels))]


def _median(table: Table, column: Column) -> float:
    values = table.values[column.name].astype(np.float64)
    known = values[~np.isnan(values)]
    return float(np.median(known)) if len(known) else 0.0
