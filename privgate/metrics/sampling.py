"""Samples that stand for tables too large for a method."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.random import Generator
    from numpy.typing import NDArray


def sampled(rows: NDArray[np.int64], most: int, rng: Generator) -> NDArray[np.int64]:
    """Return the rows, or as many as allowed of them, drawn without replacement, in order.

    Examples
    --------
    >>> sampled(np.array([3, 5, 8]), 5, np.random.default_rng(0)).tolist()
    [3, 5, 8]
    >>> len(sampled(np.arange(9), 5, np.random.default_rng(0)))
    5
    """
    return rows if len(rows) <= most else np.sort(rng.permutation(rows)[:most])


def sample_notes(rows: Mapping[str, int], most: int) -> tuple[str, ...]:
    """Return a note for each table, by name, that is larger than its sample."""
    return tuple(
        f"A seeded sample of {most} of the {count} {table} rows stands for all of them."
        for table, count in rows.items()
        if count > most
    )
