"""The pairs of a strip of the table of pairs that may be near."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from privgate.neighbors.engines.bounds import Bounds
    from privgate.neighbors.engines.contract import Pairs
    from privgate.neighbors.engines.factors import Panel, Strip

STRIP_ROWS = 256
CLASSES = 128  # whose minima bound the k-th smallest of all: more, the fewer fall into one


@dataclass
class Hits:
    """Pairs of a row and a column that may be near, with lower bounds of their distance."""

    rows: list[NDArray[np.int32]] = field(default_factory=list)
    columns: list[NDArray[np.int32]] = field(default_factory=list)
    bounds: list[NDArray[np.float32]] = field(default_factory=list)

    def add(
        self,
        rows: NDArray[np.integer],
        columns: NDArray[np.integer],
        bounds: NDArray[np.float32],
    ) -> None:
        """Take in pairs and their bounds."""
        self.rows.append(rows.astype(np.int32))
        self.columns.append(columns.astype(np.int32))
        self.bounds.append(bounds)

    def joined(self) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.float32]]:
        """Return the rows, the columns and the bounds."""
        if not self.rows:
            return np.empty(0, np.int32), np.empty(0, np.int32), np.empty(0, np.float32)
        return np.concatenate(self.rows), np.concatenate(self.columns), np.concatenate(self.bounds)


@dataclass
class NearRows:
    """Finds the columns near each row, strip by strip."""

    bounds: Bounds
    k: int
    panel: Panel
    hits: Hits = field(default_factory=Hits)

    def see(self, bound: NDArray[np.float32], strip: Strip) -> None:
        """Take in the lower bounds of a strip, shape (rows, places of the panel).

        Of each group of columns the lowest bound is looked at first, then the few groups are
        opened in which it is low enough.
        """
        group, count = self.panel.group, len(self.panel.group_square)
        lowest = bound.reshape(len(bound), group, count).min(axis=1)
        upper = lowest + self.bounds.slack(self.panel.group_square).astype(np.float32)
        classes = max(CLASSES, 1 << (2 * self.k - 1).bit_length())
        limit = self.bounds.largest(_classed(upper, classes), self.k, strip.square)
        limit = np.where(strip.real, limit, -np.float32(np.inf))[:, None]
        row, place = _nonzero(lowest <= limit)
        opened = bound.reshape(len(bound), group, count)[row, :, place]
        hit, turn = np.nonzero(opened <= limit[row])
        self.hits.add(row[hit] + strip.start, place[hit] + count * turn, opened[hit, turn])

    def pairs(self, queries: NDArray[np.int64], base: NDArray[np.int64]) -> Pairs:
        """Return the pairs by the rows that they are of."""
        rows, places, _ = self.hits.joined()
        return self.panel.pairs(rows, places, queries, base)


@dataclass
class NearColumns:
    """Finds the rows near each column, over all strips of a part."""

    bounds: Bounds
    k: int
    panel: Panel
    minima: NDArray[np.float32]
    limit: NDArray[np.float32]
    hits: Hits = field(default_factory=Hits)
    strips: int = 0

    @classmethod
    def over(cls, bounds: Bounds, k: int, panel: Panel) -> NearColumns:
        """Return columns of which nothing is known yet."""
        width = len(panel.square)
        classes = max(CLASSES, 1 << (2 * k - 1).bit_length(), STRIP_ROWS // _group_for(k))
        minima = np.full((classes, width), np.inf, np.float32)
        return cls(bounds, k, panel, minima, np.full(width, np.inf, np.float32))

    def see(self, bound: NDArray[np.float32], strip: Strip) -> None:
        """Take in the lower bounds of a strip, shape (rows, places of the panel)."""
        group = _group_for(self.k)
        grouped = bound.reshape(-1, group, bound.shape[1])
        lowest = grouped.min(axis=1) if group > 1 else bound
        slack = self.bounds.slack(strip.square[group - 1 :: group]).astype(np.float32)
        first = self.strips * (STRIP_ROWS // group) % len(self.minima)
        known = self.minima[first : first + len(lowest)]
        np.minimum(known, lowest + slack[:, None], out=known)
        if not self.strips & (self.strips - 1):  # twice as many seen, about half as many hits
            self._refresh()
        self.strips += 1
        row, place = _nonzero(lowest <= self.limit)
        if group == 1:
            self.hits.add(row + strip.start, place, bound[row, place])
            return
        opened = grouped[row, :, place]
        hit, turn = np.nonzero(opened <= self.limit[place, None])
        self.hits.add(group * row[hit] + turn + strip.start, place[hit], opened[hit, turn])

    def pairs(self, queries: NDArray[np.int64], base: NDArray[np.int64]) -> Pairs:
        """Return the pairs by the rows that they are of."""
        self._refresh()
        rows, places, bounds = self.hits.joined()
        kept = bounds <= self.limit[places]
        return self.panel.pairs(rows[kept], places[kept], queries, base)

    def _refresh(self) -> None:
        limit = self.bounds.largest(self.minima.T, self.k, self.panel.square)
        self.limit = np.where(self.panel.real, limit, -np.float32(np.inf))


def _nonzero(near: NDArray[np.bool_]) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Return where a matrix is true, as ``numpy.nonzero`` does in more time."""
    row, column = np.divmod(np.flatnonzero(near).astype(np.int32), np.int32(near.shape[1]))
    return row, column


def _group_for(k: int) -> int:
    """Return of how many rows the nearest is looked at first: a power of 2 up to 8."""
    return max(1, 8 >> ((k - 1) // 8).bit_length())


def _classed(upper: NDArray[np.float32], classes: int) -> NDArray[np.float32]:
    """Return the minima of classes of columns: column j is of class j modulo ``classes``."""
    whole = upper.shape[1] - upper.shape[1] % classes
    if not whole:
        return upper
    minima: NDArray[np.float32] = upper[:, :whole].reshape(len(upper), -1, classes).min(axis=1)
    rest = minima[:, : upper.shape[1] - whole]
    np.minimum(rest, upper[:, whole:], out=rest)
    return minima
