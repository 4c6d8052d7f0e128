"""Shannon entropy of columns, in nats."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

BINS = 10


def entropy(counts: ArrayLike) -> float:
    """Return the entropy of a distribution given by how often each value occurs.

    The terms are summed exactly, so the order of the values does not matter to the last digit.

    Examples
    --------
    >>> entropy([2, 2, 0]) == math.log(2)
    True
    >>> entropy([5])
    0.0
    """
    given = np.asarray(counts, np.float64)
    shares = given[given > 0] / given.sum()
    return math.fsum(-shares * np.log(shares)) + 0.0  # + 0.0 turns -0.0 into 0.0


def bin_counts(values: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return how many numbers fall in each of ten equal-width bins over their own range.

    The bins are those of ``numpy.histogram``, the last one closed; missing numbers (NaN) are
    counted in an eleventh.

    Examples
    --------
    >>> bin_counts(np.array([0.0, 0.5, 10.0, np.nan])).tolist()
    [2, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1]
    """
    known = values[~np.isnan(values)]
    if len(known) and not _has_edges(known):
        known = (known - known.min()) / (float(np.ptp(known)) or 1.0)
    counts = np.histogram(known, bins=BINS)[0] if len(known) else np.zeros(BINS, np.int64)
    return np.append(counts, len(values) - len(known))


def _has_edges(values: NDArray[np.float64]) -> bool:
    """Return whether floats are dense enough there for the edges of ten bins."""
    return bool((np.diff(np.linspace(values.min(), values.max(), BINS + 1)) > 0).all())
