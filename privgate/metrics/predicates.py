"""Predicates about a person's attributes, learned from a table or made up.

A predicate is a conjunction of conditions, at most one per column: a value is equal to, at least or
at most something, or (made-up ones only) not equal to it. All of them are intervals in a matrix of
numbers in which a missing value is the lowest of all.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

import numpy as np

from privgate.data import ColumnType

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.random import Generator
    from numpy.typing import NDArray

    from privgate.data import Column, Table
    from privgate.metrics.ordered_table import OrderedTable

MISSING = -np.inf
LOWEST, HIGHEST = float(np.finfo(np.float64).min), float(np.finfo(np.float64).max)
TILE_BITS = 2**26
TRIES = 50  # candidates looked at for each predicate wanted, at most


def attribute_matrix(table: Table, columns: Sequence[Column]) -> NDArray[np.float64]:
    """Return the attributes as numbers, levels as their codes, missing values as -inf."""
    matrix = np.column_stack([table.values[column.name].astype(float) for column in columns])
    coded = np.array([column.type.has_levels for column in columns])
    matrix[np.isnan(matrix) | (coded & (matrix < 0))] = MISSING
    return matrix


def has_order(columns: Sequence[Column]) -> NDArray[np.bool_]:
    """Return of which columns the values can be compared."""
    ordered = {ColumnType.NUMERIC, ColumnType.DATETIME, ColumnType.ORDINAL}
    return np.array([column.type in ordered for column in columns])


@dataclass(frozen=True)
class Predicates:
    """Conditions ``low ≤ x ≤ high``, one predicate a row, one column of the table a column.

    Only columns that are ``used`` count; a condition that is ``negated`` holds outside.
    """

    low: NDArray[np.float64]
    high: NDArray[np.float64]
    used: NDArray[np.bool_]
    negated: NDArray[np.bool_]

    def __len__(self) -> int:
        """Return the number of predicates."""
        return len(self.low)

    def take(self, index: slice | NDArray[np.int64] | NDArray[np.bool_]) -> Self:
        """Return the predicates at ``index``."""
        return type(self)(self.low[index], self.high[index], self.used[index], self.negated[index])

    def joined(self, other: Predicates) -> Predicates:
        """Return these predicates followed by others."""
        return Predicates(
            np.concatenate([self.low, other.low]),
            np.concatenate([self.high, other.high]),
            np.concatenate([self.used, other.used]),
            np.concatenate([self.negated, other.negated]),
        )

    def distinct(self) -> Self:
        """Return each predicate once, in the order of their first occurrence."""
        keys = np.column_stack([self.low, self.high, self.used, self.negated])
        _, first = np.unique(keys, axis=0, return_index=True)
        return self.take(np.sort(first))

    def count(self, table: OrderedTable) -> NDArray[np.int64]:
        """Return how many rows each predicate matches."""
        counts = [np.bitwise_count(bits).sum(axis=1) for _, bits in _matched(self, table)]
        return np.concatenate(counts).astype(np.int64) if counts else np.empty(0, np.int64)

    def spread(self, table: OrderedTable, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return for each row the sum of the weights of the predicates that match it.

        The sum is made in the order of the predicates.
        """
        total = np.zeros(len(table))
        counting = np.flatnonzero(weights)
        for start, bits in _matched(self.take(counting), table):
            predicate, byte = np.nonzero(bits)
            pair, bit = np.nonzero(np.unpackbits(bits[predicate, byte, None], axis=1))
            np.add.at(total, 8 * byte[pair] + bit, weights[counting[start + predicate[pair]]])
        return total


def univariate_predicates(
    table: OrderedTable, ordered: NDArray[np.bool_], *, limit: int, rng: Generator
) -> Predicates:
    """Return predicates on one column that match exactly one row, ``limit`` of them at most.

    Candidates are the values that occur once, and for ordered columns "at most the least value" and
    "at least the greatest". If there are more than ``limit``, a random choice of them.
    """
    matrix = table.matrix
    places, lows, highs = [], [], []
    for column in range(matrix.shape[1]):
        values, counts = np.unique(matrix[:, column], return_counts=True)
        once = values[counts == 1]
        low, high = once, once
        if ordered[column]:
            known = values > MISSING
            ends, alone = values[known][[0, -1]] if known.any() else values[:0], counts[known]
            edge = [[LOWEST, ends[0]]] if len(alone) and alone[0] == 1 else []
            edge += [[ends[1], HIGHEST]] if len(alone) and alone[-1] == 1 else []
            extremes = np.array(edge).reshape(-1, 2)
            low, high = np.append(once, extremes[:, 0]), np.append(once, extremes[:, 1])
        places.append(np.full(len(low), column))
        lows.append(low)
        highs.append(high)
    place, low, high = map(np.concatenate, (places, lows, highs))
    chosen = np.sort(rng.permutation(len(place))[:limit])
    return _conditions(place[chosen, None], low[chosen, None], high[chosen, None], matrix.shape[1])


def multivariate_predicates(
    table: OrderedTable,
    ordered: NDArray[np.bool_],
    *,
    width: int,
    limit: int,
    rng: Generator,
) -> tuple[Predicates, int]:
    """Return predicates on ``width`` columns that match exactly one row, and how many were tried.

    A candidate is a random row seen through random columns: its level, or a half-line that ends in
    its value and points away from the median, so that it holds for as few rows as can be.
    """
    matrix, columns = table.matrix, table.matrix.shape[1]
    medians = np.array([_median(matrix[:, column]) for column in range(columns)])
    none = np.empty((0, width))
    found = _conditions(none, none, none, columns)
    tried = 0
    while len(found) < limit and tried < TRIES * limit:
        places = rng.random((limit, columns)).argsort(axis=1)[:, :width]
        values = matrix[rng.integers(len(matrix), size=limit)[:, None], places]
        compared = ordered[places] & (values > MISSING)
        above = values > medians[places]
        low = np.where(compared & ~above, LOWEST, values)
        high = np.where(compared & above, HIGHEST, values)
        candidates = _conditions(places, low, high, columns)
        alone = candidates.take(candidates.count(table) == 1)
        found = found.joined(alone).distinct()
        tried += limit
    return found.take(slice(0, limit)), tried


def random_predicates(
    table: OrderedTable,
    ordered: NDArray[np.bool_],
    *,
    width: int,
    number: int,
    rng: Generator,
) -> Predicates:
    """Return made-up predicates: random columns, values that occur in them, random comparisons."""
    matrix, columns = table.matrix, table.matrix.shape[1]
    places = rng.random((number, columns)).argsort(axis=1)[:, :width]
    known = [np.unique(matrix[:, column]) for column in range(columns)]
    sizes = np.array([len(values) for values in known])
    start = np.cumsum(sizes) - sizes
    values = np.concatenate(known)[start[places] + rng.integers(sizes[places])]
    compared = ordered[places] & (values > MISSING)
    kind = rng.integers(np.where(compared, 4, 2))  # equal, not equal, at most, at least
    low = np.where(kind == 2, LOWEST, values)
    high = np.where(kind == 3, HIGHEST, values)
    return _conditions(places, low, high, columns, negated=kind == 1)


def _matched(
    predicates: Predicates, table: OrderedTable
) -> Iterator[tuple[int, NDArray[np.uint8]]]:
    """Yield, for one batch after the other, its first predicate and all matches as bits."""
    step = max(1, TILE_BITS // len(table))
    for start in range(0, len(predicates), step):
        yield start, _bits(predicates.take(slice(start, start + step)), table)


def _bits(predicates: Predicates, table: OrderedTable) -> NDArray[np.uint8]:
    """Return the matches as bits."""
    everybody = table.everybody
    tile = np.repeat(everybody[None, :], len(predicates), axis=0)
    for column in np.flatnonzero(predicates.used.any(axis=0)):
        rows = np.flatnonzero(predicates.used[:, column])
        low, high = predicates.low[rows, column], predicates.high[rows, column]
        held = table.within(int(column), low, high)
        held[predicates.negated[rows, column]] ^= everybody
        tile[rows] &= held
    return tile


def _median(values: NDArray[np.float64]) -> float:
    known = values[values > MISSING]
    return float(np.median(known)) if len(known) else 0.0


def _conditions(
    places: NDArray[np.generic],
    low: NDArray[np.float64],
    high: NDArray[np.float64],
    columns: int,
    negated: NDArray[np.bool_] | None = None,
) -> Predicates:
    """Return predicates from the places of their conditions, shape (predicates, conditions)."""
    size = len(places), columns
    rows, where = np.arange(len(places))[:, None], places.astype(np.int64)
    lows, highs = np.full(size, MISSING), np.full(size, HIGHEST)
    used, outside = np.zeros(size, bool), np.zeros(size, bool)
    lows[rows, where], highs[rows, where], used[rows, where] = low, high, True
    if negated is not None:
        outside[rows, where] = negated
    return Predicates(lows, highs, used, outside)
