"""Numbers rounded before rows are compared value for value."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from privgate.data import ColumnType

if TYPE_CHECKING:
    from privgate.data import Release, Table


def rounded(release: Release, decimals: int | None) -> Release:
    """Return the release with all numbers rounded; without ``decimals`` it is the release itself.

    Dates, levels and packed 0/1 rows stay as they are.
    """
    if decimals is None:
        return release
    numeric = [column.name for column in release.columns if column.type is ColumnType.NUMERIC]

    def of(table: Table) -> Table:
        values = dict(table.values)
        for name in numeric:
            values[name] = np.asarray(values[name], np.float64).round(decimals)
        matrix = table.matrix
        if matrix is not None and matrix.dtype.kind == "f":  # packed 0/1 rows stay as they are
            matrix = np.asarray(matrix, np.float64).round(decimals) + 0.0
        return replace(table, values=values, matrix=matrix)

    return replace(
        release,
        train=of(release.train),
        synthetic=of(release.synthetic),
        holdout=None if release.holdout is None else of(release.holdout),
    )
