"""The cells of tessellations: which of some chosen rows is nearest to each row."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from privgate.neighbors.distinct import Kinds
from privgate.neighbors.engines import Question, Screen
from privgate.neighbors.engines.coordinates import points_of
from privgate.neighbors.search import search_nearest
from privgate.neighbors.tiles import blocks

if TYPE_CHECKING:
    from numpy.typing import NDArray

BLOCK = 2048  # rows whose bounds for a hundred references stay in a core's cache
MOST_OPEN = 8  # pairs of a row on average, beyond which it is less work to measure all of them


@dataclass(frozen=True)
class Cells:
    """Rows that are divided into cells again and again, prepared once for all divisions.

    Equal rows share a cell. Distances are the rows' own, as in every search.
    """

    kinds: Kinds
    distinct: Any
    bounded: _Bounded | None

    @classmethod
    def of(cls, rows: Any) -> Cells:
        """Return rows to be divided."""
        kinds = Kinds.of(rows)
        distinct = rows if kinds.alone else rows.take(kinds.first)
        return cls(kinds, distinct, _Bounded.of(distinct))

    def around(self, chosen: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return for each row the place in ``chosen`` of the nearest chosen row.

        It is the first one if several are nearest.

        Examples
        --------
        >>> from privgate.encoding import EuclideanRows
        >>> numbers = np.array([[0.0], [1.0], [5.0], [0.4]])
        >>> rows = EuclideanRows(numbers, np.empty((4, 0), np.int32))
        >>> Cells.of(rows).around(np.array([2, 1])).tolist()
        [1, 1, 0, 1]
        """
        known, first = np.unique(self.kinds.kind[chosen], return_index=True)
        order = np.argsort(first)
        references = known[order]
        if self.bounded is None:
            nearest = search_nearest(self.distinct, self.distinct.take(references)).index
        else:
            nearest = self.bounded.nearest(references)
        cell: NDArray[np.int64] = first[order][nearest][self.kinds.kind]
        return cell


@dataclass(frozen=True)
class _Bounded:
    """Distinct rows with a screen that bounds their distances; ``place`` is where each stands."""

    rows: Any
    screen: Screen
    place: NDArray[np.int64]

    @classmethod
    def of(cls, rows: Any) -> _Bounded | None:
        """Return nothing if rows are no points, or too far apart for float32."""
        question = Question(rows, rows, 1, within=True)
        points = points_of(question)
        if points is None:
            return None
        screen = Screen.of(question, points)
        return None if len(screen.base.far) else cls(rows, screen, np.argsort(screen.base.row))

    def nearest(self, references: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the place in ``references`` of the one nearest to each row."""
        base = self.rows.take(references)
        strip = self.screen.base.strip(self.place[references], start=0)
        left, square = strip.left[strip.real], strip.square[strip.real]
        slack = self.screen.bounds.slack(square).astype(np.float32)[:, None]
        found = np.empty(len(self.rows), np.int64)
        for block in blocks(0, len(self.rows), BLOCK):
            bound = left @ self.screen.base.right[block].T
            row = self.screen.base.row[block]
            found[row] = self._decided(row, base, *self._open(block, bound, slack))
        return found

    def _open(
        self, block: slice, bound: NDArray[np.float32], slack: NDArray[np.float32]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the pairs of a reference and a point of a block that may be nearest."""
        upper = (bound + slack).min(axis=0)
        limit = self.screen.bounds.largest(upper[:, None], 1, self.screen.base.square[block])
        place, point = np.divmod(np.flatnonzero(bound <= limit), bound.shape[1])
        return place, point

    def _decided(
        self, row: NDArray[np.int64], base: Any, place: NDArray[np.int64], point: NDArray[np.int64]
    ) -> NDArray[np.int64]:
        """Return which of the references left open is nearest to each row, the first if several."""
        if len(point) > MOST_OPEN * len(row):
            return search_nearest(self.rows.take(row), base).index
        left_open = np.bincount(point, minlength=len(row))
        if not left_open.all():
            raise AssertionError("a row has no nearest reference")
        found = np.empty(len(row), np.int64)
        found[point] = place
        several = left_open[point] > 1
        point, place = point[several], place[several]
        distance = self.rows.pair_distances(base, row[point], place)
        order = np.lexsort((place, distance, point))
        nearest = order[np.diff(point[order], prepend=-1) > 0]
        found[point[nearest]] = place[nearest]
        return found
