"""The pairs of a rectangle that may still be near."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from privgate.neighbors.engines.bounds import Bounds, classes_for, lower_minima
from privgate.neighbors.engines.contract import Pairs

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass
class Hits:
    """Pairs that may still be near, with their lower bounds."""

    rows: list[NDArray[np.int32]]
    columns: list[NDArray[np.int32]]
    bounds: list[NDArray[np.float32]]

    @classmethod
    def none(cls) -> Hits:
        """Return no pairs."""
        return cls([], [], [])

    def add(
        self, tile: NDArray[np.float32], near: NDArray[np.bool_], row: int, column: int
    ) -> None:
        """Take in the pairs that are marked in a tile which begins at a row and a column."""
        flat = np.flatnonzero(near)
        if len(flat):
            here, there = np.divmod(flat.astype(np.int32), np.int32(tile.shape[1]))
            self.rows.append(here + np.int32(row))
            self.columns.append(there + np.int32(column))
            self.bounds.append(tile.ravel()[flat])

    def restrict(self, limit: NDArray[np.float32], *, of_columns: bool) -> None:
        """Keep only the pairs whose bound is at most the limit of their row or column."""
        if not self.rows:
            return
        rows, columns, bounds = (
            np.concatenate(parts) for parts in (self.rows, self.columns, self.bounds)
        )
        kept = bounds <= limit[columns if of_columns else rows]
        self.rows, self.columns, self.bounds = [rows[kept]], [columns[kept]], [bounds[kept]]

    def pairs(self, queries: NDArray[np.int64], base: NDArray[np.int64]) -> Pairs:
        """Return the pairs by the rows that they are of."""
        if not self.rows:
            return Pairs.none()
        return Pairs(queries[np.concatenate(self.rows)], base[np.concatenate(self.columns)])


@dataclass
class Columns:
    """What is known of the columns of a rectangle while strips of rows go by."""

    bounds: Bounds
    k: int
    minima: NDArray[np.float32]
    limit: NDArray[np.float32]
    hits: Hits
    squares: NDArray[np.float64]

    @classmethod
    def of(cls, bounds: Bounds, k: int, squares: NDArray[np.float64]) -> Columns:
        """Return columns of which nothing is known yet."""
        width = len(squares)
        minima = np.full((classes_for(k), width), np.inf, np.float32)
        return cls(bounds, k, minima, np.empty(width, np.float32), Hits.none(), squares)

    def see(
        self,
        bound: NDArray[np.float32],
        tile: slice,
        strip: tuple[int, int, NDArray[np.float64]],
    ) -> None:
        """Take in the bounds of a tile."""
        number, first, largest = strip
        lower_minima(self.minima[:, tile].T, bound.T, float(self.bounds.slack(largest)))
        if not number & (number - 1):
            self.limit[tile] = self.bounds.largest(
                self.minima[:, tile].T, self.k, self.squares[tile]
            )
        self.hits.add(bound, bound <= self.limit[None, tile], first, tile.start)

    def finished(self) -> Hits:
        """Return the pairs that are near the columns."""
        limit = self.bounds.largest(self.minima.T, self.k, self.squares)
        self.hits.restrict(limit, of_columns=True)
        return self.hits
