"""Which rows are equal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from privgate.data.matrices import matrix_ranks

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from privgate.data.columns import Column
    from privgate.data.release import Release


def row_ranks(columns: Iterable[NDArray[np.generic]], rows: int) -> NDArray[np.int64]:
    """Return the dense rank of each row in lexicographic order; equal rows share a rank.

    Numbers are equal when they are exactly equal; NaN equals NaN and ranks last.

    Examples
    --------
    >>> row_ranks([np.array([2.0, np.nan, 2.0, np.nan]), np.array([1, 0, 0, 0])], 4).tolist()
    [1, 2, 0, 2]
    """
    ranks = np.zeros(rows, dtype=np.int64)
    distinct = 1
    for column in columns:
        if distinct == rows:  # every row has its own rank already; later columns change nothing
            break
        _, codes = np.unique(column, return_inverse=True)
        _, ranks = np.unique(ranks * (codes.max() + 1) + codes, return_inverse=True)
        distinct = int(ranks.max()) + 1
    return ranks


def row_ids(
    release: Release, columns: Sequence[Column] | None = None
) -> dict[str, NDArray[np.int64]]:
    """Return for each table an integer per row that is the same for equal rows of any table.

    By default rows are compared on all measured columns, those of arrays in all dimensions.
    Missing equals missing.
    """
    compared = release.columns if columns is None else columns
    tables = release.tables
    lengths = [table.rows for table in tables.values()]
    matrices: list[NDArray[Any]]
    matrices = [table.matrix for table in tables.values() if table.matrix is not None]
    if matrices and columns is None:
        ids = matrix_ranks(np.concatenate(matrices))
    else:
        stacked = (
            np.concatenate([table.values[column.name] for table in tables.values()])
            for column in compared
        )
        ids = row_ranks(stacked, sum(lengths))
    return dict(zip(tables, np.split(ids, np.cumsum(lengths)[:-1]), strict=True))


def replayed_rows(release: Release) -> dict[str, NDArray[np.bool_]]:
    """Return by identifier column which synthetic rows carry an identifier that occurs in train.

    Identifier columns that train or the synthetic table lacks cannot be checked and are left out.
    """
    found = {}
    for column in release.identifiers:
        train = release.train.values.get(column.name)
        synthetic = release.synthetic.values.get(column.name)
        if train is not None and synthetic is not None:
            found[column.name] = np.isin(synthetic, train) & (synthetic >= 0)
    return found


def identifier_replays(release: Release) -> dict[str, int]:
    """Return how many rows of :func:`replayed_rows` there are by identifier column."""
    return {name: int(rows.sum()) for name, rows in replayed_rows(release).items()}
