"""How strongly the columns of one table go together, pair by pair.

Numbers take part by their ranks, so that no unit and no outlier matters. Two columns of numbers are
compared by Spearman's correlation (-1 to 1), two of levels by Cramér's V and a number with levels
by the correlation ratio of the ranks (0 to 1), both corrected for their bias in small tables.

References
----------
Spearman 1904, doi 10.2307/1412159; Bergsma 2013, doi 10.1016/j.jkss.2012.10.002 (Cramér's V);
Kelley 1935, doi 10.1073/pnas.21.9.554 (correlation ratio).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy.sparse import coo_array, csr_array

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray

    Matrix = NDArray[np.float64]

_ROUNDING = 1e-9  # a spread below this share of the sum of squares is none


class Ranks(NamedTuple):
    """Ranks of numbers around their mean, 0 where a number is missing, and where it is not (1)."""

    centred: Matrix
    known: Matrix


def associations(numbers: Matrix, levels: Sequence[NDArray[np.integer]]) -> Matrix:
    """Return the association of every pair of columns, numbers first, then levels.

    Rows without a number are left out of its pairs; a missing level (-1) is a level of its own. NaN
    where one of the two does not vary in the rows that they share, and on the diagonal.

    Parameters
    ----------
    numbers
        One column of numbers per column, of shape (rows, 0) if there are none.
    levels
        Level codes of each column that has levels.

    Examples
    --------
    >>> found = associations(np.array([[1.0, 9], [2, 7], [3, 8]]), [])
    >>> round(float(found[0, 1]), 12)
    -0.5
    """
    ranks = _ranked(numbers)
    marks = [_indicators(codes) for codes in levels]
    count = numbers.shape[1]
    found = np.full((count + len(marks), count + len(marks)), np.nan)
    found[:count, :count] = _spearman(ranks)
    for place, own in enumerate(marks):
        ratios = _correlation_ratios(own, ranks)
        found[count + place, :count] = found[:count, count + place] = ratios
        for earlier in range(place):
            shared = _cramers_v((own @ marks[earlier].T).tocoo())
            found[count + place, count + earlier] = found[count + earlier, count + place] = shared
    np.fill_diagonal(found, np.nan)
    return found


def cramers_v(counts: ArrayLike) -> float:
    """Return the bias-corrected Cramér's V of a table of counts; NaN if a side does not vary.

    Notes
    -----
    With φ² = χ²/n of r rows and c columns that are not empty, φ̃² = max(0, φ² - (r-1)(c-1)/(n-1)),
    r̃ = r - (r-1)²/(n-1), c̃ likewise, V = √(φ̃² / min(r̃-1, c̃-1)).

    Examples
    --------
    Two levels that always go together, and two that do not at all:

    >>> cramers_v(np.array([[5, 0], [0, 5]])), cramers_v(np.array([[5, 5], [5, 5]]))
    (1.0, 0.0)
    """
    return _cramers_v(coo_array(np.asarray(counts, np.float64)))


def _cramers_v(table: coo_array) -> float:
    down, across = table.coords
    sums = np.bincount(down, table.data), np.bincount(across, table.data)
    rows, columns = (int((side > 0).sum()) for side in sums)
    if min(rows, columns) < 2:
        return float("nan")
    n = float(table.data.sum())
    phi = float((table.data**2 / (sums[0][down] * sums[1][across])).sum()) - 1
    bias = (rows - 1) * (columns - 1) / (n - 1)
    room = min(side - 1 - (side - 1) ** 2 / (n - 1) for side in (rows, columns))
    return float(min(1.0, np.sqrt(max(0.0, phi - bias) / room))) if room > 0 else 0.0


def _ranked(numbers: Matrix) -> Ranks:
    from scipy.stats import rankdata  # noqa: PLC0415 - slow to import

    known = ~np.isnan(numbers)
    centred = np.zeros(numbers.shape)
    for place in range(numbers.shape[1]):
        own = known[:, place]
        ranks = rankdata(numbers[own, place])
        centred[own, place] = ranks - (len(ranks) + 1) / 2
    return Ranks(centred, known.astype(np.float64))


def _spearman(ranks: Ranks) -> Matrix:
    z, known = ranks
    n = known.T @ known
    sums = z.T @ known  # of the row's column over rows in which the other one is known, too
    squares = (z**2).T @ known
    with np.errstate(invalid="ignore", divide="ignore"):
        spread = squares - sums**2 / n
        spread[spread <= _ROUNDING * squares] = np.nan
        found = (z.T @ z - sums * sums.T / n) / np.sqrt(spread * spread.T)
    clipped: Matrix = np.clip(found, -1.0, 1.0)
    return clipped


def _indicators(codes: NDArray[np.integer]) -> csr_array:
    """Return one row per level that occurs, 1 where a row of the table has it."""
    _, compact = np.unique(codes, return_inverse=True)
    places = np.arange(len(codes))
    return csr_array((np.ones(len(codes)), (compact.reshape(-1), places)))


def _correlation_ratios(marks: csr_array, ranks: Ranks) -> NDArray[np.float64]:
    """Return for each number √max(0, 1 - (1 - η²)(n - 1)/(n - k)), k being the levels seen."""
    counts, sums = marks @ ranks.known, marks @ ranks.centred
    n, levels = counts.sum(axis=0), (counts > 0).sum(axis=0)
    squares = (ranks.centred**2).sum(axis=0)
    with np.errstate(invalid="ignore", divide="ignore"):
        between = np.where(counts > 0, sums**2 / counts, 0.0).sum(axis=0)
        left = (1 - between / squares) * (n - 1) / np.maximum(n - levels, 1)
        found: NDArray[np.float64] = np.sqrt(np.clip(1 - left, 0.0, 1.0))
    found[n <= levels] = 0.0
    found[(levels < 2) | (squares == 0)] = np.nan
    return found
