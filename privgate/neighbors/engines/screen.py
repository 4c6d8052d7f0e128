"""Matrix products in float32 screen out the pairs of rows that cannot be near."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from privgate.neighbors.engines.bounds import Bounds
from privgate.neighbors.engines.brute import smallest
from privgate.neighbors.engines.contract import Candidates, Pairs, Question
from privgate.neighbors.engines.factors import Factors, Frame
from privgate.neighbors.engines.hits import STRIP_ROWS, NearColumns, NearRows
from privgate.neighbors.tiles import blocks, row_blocks

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from privgate.neighbors.engines.coordinates import Points

ROWS = 2**15  # of one part: the more, the sooner it is known what is near a column
COLUMNS = 2**14  # of one part: the more, the fewer parts in which a row keeps pairs
TRIED = 64  # rows by which the screen is judged


@dataclass(frozen=True)
class Part:
    """A rectangle of the table of pairs; ``both`` if it also answers for the columns."""

    rows: slice
    columns: slice
    both: bool


@dataclass(frozen=True)
class Screen:
    """Screens tiles of pairs by their bounds; rows too far away for float32 are measured."""

    question: Question[Any]
    bounds: Bounds
    queries: Factors
    base: Factors

    @classmethod
    def of(cls, question: Question[Any], points: Points) -> Screen:
        """Return the engine for a question."""
        frame = Frame.around(question.base, points)
        base = Factors.of(question.base, points, frame)
        queries = base if question.within else Factors.of(question.queries, points, frame)
        return cls(question, Bounds(points, frame), queries, base)

    def parts(self) -> list[Part | None]:
        """Return the rectangles of the table of pairs, and one more part for rows far away."""
        rows, columns = len(self.queries), len(self.base)
        found: list[Part | None] = []
        both = self.question.within or self.question.k_back > 0
        for panel in blocks(0, columns, COLUMNS):
            others = blocks(0, panel.start if self.question.within else rows, ROWS)
            found += [Part(block, panel, both) for block in others]
            if self.question.within:
                found.append(Part(panel, panel, both=False))
        return [*found, None] if len(self.queries.far) or len(self.base.far) else found

    def open_pairs(self) -> float:
        """Return how many pairs of a row are left open on average, judged by a few rows.

        Where many points are nearer to each other than float32 can tell, that is most of them.
        """
        rows, columns = len(self.queries), len(self.base)
        if not rows or not columns:
            return 0.0
        panel = self.base.panel(slice(0, columns, -(-columns // COLUMNS)))
        strip = self.queries.strip(slice(0, rows, -(-rows // TRIED)), start=0)
        asked = self.question
        tried = NearRows(self.bounds, max(asked.k + asked.within, asked.k_back), panel)
        tried.see(strip.left @ panel.right.T, strip)
        return len(tried.hits.joined()[0]) / int(strip.real.sum())

    def candidates(self, part: Part | None) -> Candidates:
        """Return the pairs of a rectangle whose bounds leave it open whether they are near."""
        if part is None:
            return self._with_far()
        asked, panel = self.question, self.base.panel(part.columns)
        rows = NearRows(self.bounds, asked.k + asked.within, panel) if asked.k else None
        k_back = asked.k if asked.within else asked.k_back
        columns = NearColumns.over(self.bounds, k_back, panel) if part.both else None
        tile = np.empty((STRIP_ROWS, len(panel.right)), np.float32)
        for block in blocks(part.rows.start, part.rows.stop, STRIP_ROWS):
            strip = self.queries.strip(block, start=block.start - part.rows.start)
            bound = np.matmul(strip.left, panel.right.T, out=tile[: len(strip.left)])
            if rows:
                rows.see(bound, strip)
            if columns:
                columns.see(bound, strip)
        sides = self.queries.row[part.rows], self.base.row[part.columns]
        return Candidates(
            rows.pairs(*sides) if rows else Pairs.none(),
            columns.pairs(*sides) if columns else Pairs.none(),
        )

    def _with_far(self) -> Candidates:
        """Return the pairs of rows that are far away from all others."""
        asked = self.question
        forward = [
            *self._measured(self.queries.far, np.arange(len(asked.base)), asked.k + asked.within),
            *self._measured(self.queries.row, self.base.far, asked.k),
        ]
        backward = [
            *self._measured(self.base.far, np.arange(len(asked.queries)), asked.k_back, back=True),
            *self._measured(self.base.row, self.queries.far, asked.k_back, back=True),
        ]
        return Candidates(_joined(forward, back=False), _joined(backward, back=True))

    def _measured(
        self, rows: NDArray[np.int64], others: NDArray[np.int64], k: int, *, back: bool = False
    ) -> list[tuple[NDArray[np.int64], NDArray[np.int64]]]:
        """Return the k nearest others of each row."""
        here, there = self.question.queries, self.question.base
        if back:
            here, there = there, here
        k, found = min(k, len(others)), []
        for block in row_blocks(len(rows) if k else 0, len(others)):
            row, other = smallest(here.take(rows[block]).distances(there.take(others)), k)
            found.append((rows[block][row], others[other]))
        return found


def _joined(found: list[tuple[NDArray[np.int64], NDArray[np.int64]]], *, back: bool) -> Pairs:
    if not found:
        return Pairs.none()
    rows, others = (np.concatenate(side) for side in zip(*found, strict=True))
    return Pairs(others, rows) if back else Pairs(rows, others)
