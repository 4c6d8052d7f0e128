"""How alike two distributions of one column are, without telling of a few people apart.

What is published of a comparison with a table that is published, too, gives away the other table's
counts: of two levels, the distance tells exactly how many people have each. Therefore people of the
first table are compared in groups of at least ``fewest``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


def level_similarity(
    first: NDArray[np.integer], second: NDArray[np.integer], *, levels: int, fewest: int
) -> float:
    """Return one minus the total variation distance of two columns of level codes.

    Missing values (code -1) are a level of their own. Levels with fewer than ``fewest`` rows of
    ``first`` count as one; if that one has fewer, too, the rarest others join it. NaN if then
    nothing is left to be told apart. Both columns need a row.

    Notes
    -----
    1 - (1/2) Σ |p(l) - q(l)| over the levels l. The sum is one of whole numbers, so that nothing
    depends on the order of levels.

    Examples
    --------
    Shares (1/2, 1/2, 0) and (1/4, 1/2, 1/4) lie 1/4 apart:

    >>> own, others = np.array([0, 1]), np.array([0, 1, 1, -1])
    >>> level_similarity(own, others, levels=2, fewest=1)
    0.75
    >>> level_similarity(own, others, levels=2, fewest=2)
    nan
    """
    counts = np.stack([_counts(codes, levels) for codes in (first, second)])
    counts = counts[:, counts.any(axis=0)]
    merged = _merged(counts, fewest)
    if merged.shape[1] == 1 < counts.shape[1]:
        return float("nan")
    apart = np.abs(merged[0] * len(second) - merged[1] * len(first)).sum()
    return 1.0 - float(apart) / (2 * len(first) * len(second))


def number_similarity(
    first: NDArray[np.float64], second: NDArray[np.float64], *, fewest: int
) -> float:
    """Return one minus the Kolmogorov–Smirnov distance of two columns of numbers.

    Missing values (NaN) count as one value above all others, so that unlike shares of them are a
    distance, too. The two are compared where none, all, or at least ``fewest`` rows of ``first``
    lie on either side; NaN if ``first`` varies and there is no such place within it. Both columns
    need a row.

    Notes
    -----
    1 - max |F(x) - G(x)| over these x, F and G being the empirical distribution functions.

    Examples
    --------
    >>> own, others = np.array([1.0, 2, 3, 4]), np.array([1.0, 2, np.nan, np.nan])
    >>> number_similarity(own, others, fewest=1)
    0.5
    """
    known, others = (np.sort(values[~np.isnan(values)]) for values in (first, second))
    places = np.unique(np.concatenate([known, others]))
    below = np.searchsorted(known, places, side="right")
    others_below = np.searchsorted(others, places, side="right")
    rows = len(first)
    within = (below >= fewest) & (below <= rows - fewest)
    varies = ((below > 0) & (below < rows)).any()
    if varies and not within.any():
        return float("nan")
    shown = within | (below == 0) | (below == rows)
    apart = np.abs(below * len(second) - others_below * rows)[shown].max(initial=0)
    return 1.0 - float(apart) / (rows * len(second))


def _counts(codes: NDArray[np.integer], levels: int) -> NDArray[np.int64]:
    return np.bincount(np.where(codes < 0, levels, codes), minlength=levels + 1)


def _merged(counts: NDArray[np.int64], fewest: int) -> NDArray[np.int64]:
    """Return the counts of both tables with the rare levels of the first one merged."""
    ordered = counts[:, np.lexsort((counts[1], counts[0]))]
    own = ordered[0]
    together = np.cumsum(own)
    rare = int((own < fewest).sum())
    if rare and 0 < together[rare - 1] < fewest:
        rare = int(np.searchsorted(together, fewest)) + 1
    merged = ordered[:, :rare].sum(axis=1, keepdims=True)
    return np.hstack([merged, ordered[:, rare:]]) if rare else ordered
