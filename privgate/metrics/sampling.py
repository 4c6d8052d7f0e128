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


def sampled_alike(rows: NDArray[np.int64], most: int, lot: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the rows, or as many as allowed of them, those of the smallest lots, in order.

    Where equal rows of two tables have one lot, a record is drawn with the person it copies as far
    as the samples reach; a sample of either table remains a random one.

    Examples
    --------
    >>> sampled_alike(np.array([0, 1, 3]), 2, np.array([7, 2, 0, 5])).tolist()
    [1, 3]
    """
    return rows if len(rows) <= most else np.sort(rows[np.argsort(lot[rows], kind="stable")[:most]])


def sample_notes(rows: Mapping[str, int], most: int) -> tuple[str, ...]:
    """Return a note for each table, by name, that is larger than its sample."""
    return tuple(
        f"A seeded sample of {most} of the {count} {table} rows stands for all of them."
        for table, count in rows.items()
        if count > most
    )
