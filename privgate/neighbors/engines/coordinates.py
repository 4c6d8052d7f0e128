"""Rows as points whose straight distance tells which rows are near."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from privgate.encoding import CosineRows, EuclideanRows
from privgate.encoding.cosine import PARALLEL
from privgate.neighbors.tiles import blocks

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from privgate.neighbors.engines.contract import Question

RELATIVE = 1e-9
TINY = 1e-290  # squares below it lose digits
LARGEST = 1e130  # numbers above it may have squares that overflow
HALF_UNIT = 2.0**-53
MOST_PER_COLUMN = 16  # indicators: with more of them, comparing codes is faster
MOST_INDICATORS = 1024
TURNED = 2**16  # points at a time, so that no second copy of all of them is made


@dataclass(frozen=True)
class Indicators:
    """The indicators of a column with levels: of two levels one of them tells all."""

    column: int
    known: NDArray[np.int32]
    weight: float

    @property
    def width(self) -> int:
        """Return the number of indicators."""
        return 1 if len(self.known) <= 2 else len(self.known)

    def of(self, levels: NDArray[np.int32]) -> NDArray[np.float64]:
        """Return the coordinates of rows: unequal levels add 2 to the squared distance."""
        codes = levels[:, self.column, None]
        if self.width == 1:
            return np.where(codes == self.known[-1], np.sqrt(2.0) * self.weight, 0.0)
        return np.where(codes == self.known, self.weight, 0.0)


@dataclass(frozen=True)
class Points:
    """How rows become points.

    With S the exact squared distance of two points and F the squared distance of their rows as
    ``pair_distances`` computes it, before a root is drawn: ``|F - S| ≤ 1e-9 · S + absolute``.
    """

    dimensions: int
    absolute: float
    levels: tuple[Indicators, ...] = ()
    centre: NDArray[np.float64] | None = None
    axes: NDArray[np.float64] | None = None

    def of(self, rows: Any) -> NDArray[np.float64]:
        """Return the coordinates of rows, along the axes if there are any."""
        found = self._own(rows)
        if self.centre is None or self.axes is None:
            return found
        turned = np.empty((len(found), self.axes.shape[1]), np.float64)
        for block in blocks(0, len(found), TURNED):
            np.matmul(found[block] - self.centre, self.axes, out=turned[block])
        return turned

    def _own(self, rows: Any) -> NDArray[np.float64]:
        if isinstance(rows, CosineRows):
            return rows.directions
        numbers: NDArray[np.float64] = rows.numbers
        if rows.number_weights is not None:
            numbers = numbers * rows.number_weights
        if not self.levels:
            return numbers
        return np.concatenate([numbers, *(one.of(rows.levels) for one in self.levels)], axis=1)

    def reach(self, squared: NDArray[np.float64], *, unit: float = 1.0) -> NDArray[np.float64]:
        """Return how large S can be where F is at most that of a pair with this S, or tied with it.

        Both are in the same unit, ``unit`` being the measure of 1. F ≤ (1 + ρ)S + α, so that for
        whoever has no larger F, S' ≤ (F + α)/(1 - ρ) ≤ (1 + 3ρ)S + 3α. The root can make two F
        tied by rounding; that is far below one more ρ.
        """
        return squared * (1 + 4 * RELATIVE) + 4 * self.absolute * unit


def points_of(question: Question[Any]) -> Points | None:
    """Return how the rows of a question become points.

    ``None`` where they are none, have too many coordinates to be worth it, or hold numbers whose
    squares are not to be trusted.
    """
    queries, base = question.queries, question.base
    if isinstance(base, CosineRows):
        # Squares below PARALLEL all count as 0, so none of them is nearer than another.
        return Points(base.directions.shape[1], 2 * PARALLEL)
    if not isinstance(base, EuclideanRows) or _extreme(queries) or _extreme(base):
        return None
    levels = _indicators(queries, base)
    width = sum(one.width for one in levels)
    if width > min(MOST_INDICATORS, MOST_PER_COLUMN * len(levels)):
        return None
    dimensions = base.numbers.shape[1] + width
    return Points(dimensions, _rounding(queries, base), levels) if dimensions else None


def _indicators(queries: EuclideanRows, base: EuclideanRows) -> tuple[Indicators, ...]:
    """Return the indicators of all columns with levels that have a weight."""
    count = base.levels.shape[1]
    weights = np.ones(count) if base.level_weights is None else base.level_weights
    return tuple(
        Indicators(
            column,
            np.union1d(queries.levels[:, column], base.levels[:, column]),
            float(weights[column]),
        )
        for column in range(count)
        if weights[column]
    )


def _extreme(rows: EuclideanRows) -> bool:
    """Return whether squares of numbers or weights may overflow or lose digits."""
    odd = any(
        weights is not None and bool(((weights != 0) & ((weights < 1e-9) | (weights > 1e9))).any())
        for weights in (rows.number_weights, rows.level_weights)
    )
    if odd or not rows.numbers.size:
        return odd
    # Without a copy of all of them; NaN is neither below nor above.
    return not (rows.numbers.max() < LARGEST and rows.numbers.min() > -LARGEST)


def _rounding(queries: EuclideanRows, base: EuclideanRows) -> float:
    """Return the absolute part of the error: what weighting numbers before subtracting costs.

    A product is off by η = 2⁻⁵³ · its size, a difference of two by 2η, and
    (δ + 2η)² ≤ (1 + t)δ² + (1 + 1/t)4η² for t = 10⁻¹⁰, a tenth of the relative part.
    """
    if base.number_weights is None:
        return TINY
    largest = np.maximum(*(_greatest(rows.numbers) for rows in (queries, base)))
    return TINY + 5e10 * float(((HALF_UNIT * largest * base.number_weights) ** 2).sum())


def _greatest(numbers: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the largest absolute value of each column."""
    greatest: NDArray[np.float64] = np.maximum(numbers.max(axis=0), -numbers.min(axis=0))
    return greatest
