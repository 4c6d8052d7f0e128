"""Rows under the Euclidean distance, of tables and of arrays."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from privgate.encoding.rows import TabularRows, tiles, unequal_levels

if TYPE_CHECKING:
    from numpy.typing import NDArray

PAIR_NUMBERS = 2**20  # gathered together


@dataclass(frozen=True)
class EuclideanRows(TabularRows):
    """Rows whose distance is sqrt(2 · number of unequal levels + Σ (x - x')²).

    That is the Euclidean distance of scaled numbers and 0/1 indicators, without ever building the
    indicators. With weights, every number and indicator is multiplied by that of its column: the
    distance is sqrt(2 · Σ w² over unequal levels + Σ (x - x')² · w²). Both sums go over the columns
    one after the other, every operation rounded to float64 by itself.
    """

    def distances(self, base: EuclideanRows) -> NDArray[np.float64]:
        """Return all distances by direct differences.

        The expanded form |x|² + |y|² - 2xy would give copies a distance above 0.

        Examples
        --------
        >>> rows = EuclideanRows(np.array([[0.0], [3.0]]), np.array([[1], [2]], np.int32))
        >>> (rows.distances(rows) ** 2).round(9).tolist()
        [[0.0, 11.0], [11.0, 0.0]]
        """
        levels, numbers = self._squared_weights
        codes, other_codes = (np.ascontiguousarray(rows.levels.T) for rows in (self, base))
        here, there = (np.ascontiguousarray(rows.numbers.T) for rows in (self, base))
        found = np.empty((len(self), len(base)), np.float64)
        for rows, columns in tiles(len(self), len(base)):
            squared = found[rows, columns]
            squared[:] = squared_differences(
                here[:, rows, None], there[:, None, columns], numbers, shape=squared.shape
            )
            if len(codes):
                squared += 2.0 * unequal_levels(
                    codes[:, rows, None], other_codes[:, None, columns], levels
                )
            np.sqrt(squared, out=squared)
        return found

    def pair_distances(
        self, base: EuclideanRows, here: NDArray[np.integer], there: NDArray[np.integer]
    ) -> NDArray[np.float64]:
        """Return the distance of row ``here[i]`` to row ``there[i]`` of ``base``, for each i.

        Examples
        --------
        >>> rows = EuclideanRows(np.array([[0.0, 0.0], [3.0, 4.0]]), np.empty((2, 0), np.int32))
        >>> rows.pair_distances(rows, np.array([0, 1]), np.array([1, 1])).tolist()
        [5.0, 0.0]
        """
        levels, numbers = self._squared_weights
        squared = pair_squares(self.numbers, base.numbers, (here, there), numbers)
        if self.levels.shape[1]:
            squared += 2.0 * unequal_levels(self.levels.T[:, here], base.levels.T[:, there], levels)
        return np.sqrt(squared, out=squared)

    @property
    def _squared_weights(self) -> tuple[NDArray[np.float64] | None, NDArray[np.float64] | None]:
        levels, numbers = self.level_weights, self.number_weights
        return (
            None if levels is None else levels * levels,
            None if numbers is None else numbers * numbers,
        )


def squared_differences(
    here: NDArray[np.float64],
    there: NDArray[np.float64],
    weights: NDArray[np.float64] | None,
    *,
    shape: tuple[int, ...],
) -> NDArray[np.float64]:
    """Return Σ (x - x')² · w, summed over the first axis one after the other.

    Each step is an operation of its own on whole tiles, so no compiler can contract two of them
    into one that rounds once, as it may do in a loop over columns.
    """
    total, step = np.zeros(shape, np.float64), np.empty(shape, np.float64)
    with np.errstate(over="ignore"):  # farther than any number is infinitely far
        for column, (mine, theirs) in enumerate(zip(here, there, strict=True)):
            np.subtract(mine, theirs, out=step)
            np.multiply(step, step, out=step)
            if weights is not None:
                np.multiply(step, weights[column], out=step)
            np.add(total, step, out=total)
    return total


def pair_squares(
    here: NDArray[np.float64],
    there: NDArray[np.float64],
    pairs: tuple[NDArray[np.integer], NDArray[np.integer]],
    weights: NDArray[np.float64] | None,
) -> NDArray[np.float64]:
    """Return what :func:`squared_differences` does for pairs of rows, shape (rows, columns)."""
    mine, theirs = pairs
    total = np.zeros(len(mine), np.float64)
    if not here.shape[1]:
        return total
    step = max(1, PAIR_NUMBERS // here.shape[1])
    for start in range(0, len(mine), step):
        block = slice(start, start + step)
        terms = here[mine[block]]
        terms -= there[theirs[block]]
        with np.errstate(over="ignore"):
            terms *= terms
            if weights is not None:
                terms *= weights
            # A running sum goes from left to right by definition; a sum may go in any order.
            total[block] = np.add.accumulate(terms, axis=1, out=terms)[:, -1]
    return total
