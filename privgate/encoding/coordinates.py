"""Encoded rows written out as numbers, for learners that take nothing else."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from privgate.encoding.rows import TabularRows


def coordinates(tables: Sequence[TabularRows]) -> list[NDArray[np.float64]]:
    """Return the numbers of each table followed by a 0/1 indicator for each level in any of them.

    Examples
    --------
    >>> from privgate.encoding import EuclideanRows
    >>> rows = EuclideanRows(np.array([[0.5], [2.0]]), np.array([[0], [3]], np.int32))
    >>> coordinates([rows])[0].tolist()
    [[0.5, 1.0, 0.0], [2.0, 0.0, 1.0]]
    """
    width = tables[0].levels.shape[1]
    occurring = [np.unique(np.concatenate([t.levels[:, c] for t in tables])) for c in range(width)]
    return [
        np.column_stack(
            [table.numbers] + [table.levels[:, [c]] == occurring[c][None, :] for c in range(width)]
        ).astype(np.float64)
        for table in tables
    ]
