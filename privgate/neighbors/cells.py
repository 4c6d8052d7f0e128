"""The cells of tessellations: which of some chosen rows is nearest to each row."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from privgate.neighbors.distinct import Kinds
from privgate.neighbors.engines import Question
from privgate.neighbors.engines.bounds import Bounds
from privgate.neighbors.engines.coordinates import points_of
from privgate.neighbors.engines.factors import Factors, Frame
from privgate.neighbors.search import search_nearest
from privgate.neighbors.tiles import blocks

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from privgate.neighbors.engines.factors import Strip

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
    """Distinct rows as factors of products that bound their distances; ``place`` is where."""

    rows: Any
    factors: Factors
    bounds: Bounds
    place: NDArray[np.int64]

    @classmethod
    def of(cls, rows: Any) -> _Bounded | None:
        """Return nothing if rows are no points, or too far apart for float32."""
        points = points_of(Question(rows, rows, 1))
        if points is None:
            return None
        frame = Frame.around(rows, points)
        factors = Factors.of(rows, points, frame)
        return (
            None
            if len(factors.far)
            else cls(rows, factors, Bounds(points, frame), np.argsort(factors.row))
        )

    def nearest(self, references: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the place in ``references`` of the one nearest to each row."""
        base = self.rows.take(references)
        strip = self.factors.strip(self.place[references], start=0)
        found = np.empty(len(self.rows), np.int64)
        for block in blocks(0, len(self.rows), BLOCK):
            found[self.factors.row[block]] = self._of_block(block, strip, base)
        return found

    def _of_block(self, block: slice, strip: Strip, base: Any) -> NDArray[np.int64]:
        row, real = self.factors.row[block], strip.real
        bound = strip.left[real] @ self.factors.right[block].T
        slack = self.bounds.slack(strip.square[real]).astype(np.float32)
        upper = (bound + slack[:, None]).min(axis=0)
        limit = self.bounds.largest(upper[:, None], 1, self.factors.square[block])
        place, point = np.divmod(np.flatnonzero(bound <= limit), len(row))
        if len(point) > MOST_OPEN * len(row):
            return search_nearest(self.rows.take(row), base).index
        open_pairs = np.bincount(point, minlength=len(row))
        if not open_pairs.all():
            raise AssertionError("a row has no nearest reference")
        found = np.empty(len(row), np.int64)
        found[point] = place
        several = open_pairs[point] > 1
        point, place = point[several], place[several]
        distance = self.rows.pair_distances(base, row[point], place)
        order = np.lexsort((place, distance, point))
        nearest = order[np.diff(point[order], prepend=-1) > 0]
        found[point[nearest]] = place[nearest]
        return found
