"""A k-d tree finds neighbours where rows lie near few dimensions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from scipy.spatial import cKDTree

from privgate.neighbors.engines.brute import smallest
from privgate.neighbors.engines.contract import Candidates, Pairs, Question
from privgate.neighbors.engines.rotation import turned_along
from privgate.neighbors.tiles import blocks, row_blocks

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from privgate.neighbors.engines.coordinates import Points

BLOCK = 2**14
MOST_IN_BALLS = 2**22  # rows looked at together
TREE_ERROR = 1e-9  # of squared distances in the tree, far above its rounding

Part = tuple[Literal["forward", "backward"], slice]


@dataclass(frozen=True)
class Tree:
    """Asks trees of the points for a few rows more than wanted.

    Distances inside the tree are sums of squares of direct differences, and its bounds on boxes are
    sums that only grow on the way down, so both are right up to a few units in the last place. A
    row further away than the last one found cannot be nearer than it by more. Where ties may go on
    behind the last one found, all rows up to that distance are taken.
    """

    question: Question[Any]
    points: Points
    base: cKDTree
    queries: cKDTree | None

    @classmethod
    def of(cls, question: Question[Any], points: Points) -> Tree:
        """Return the engine for a question."""
        turned = turned_along(points, question)
        back = cKDTree(turned.of(question.queries)) if question.k_back else None
        return cls(question, turned, cKDTree(turned.of(question.base)), back)

    def parts(self) -> list[Part]:
        """Return blocks of queries, and of base rows for the other direction."""
        parts: list[Part] = []
        if self.question.k:
            parts += [("forward", block) for block in blocks(0, len(self.question.queries), BLOCK)]
        if self.question.k_back:
            parts += [("backward", block) for block in blocks(0, len(self.question.base), BLOCK)]
        return parts

    def candidates(self, part: Part) -> Candidates:
        """Return the rows found for one block."""
        direction, block = part
        if direction == "forward":
            found = self._found(
                block, self.base, self.question.k + self.question.within, back=False
            )
            return Candidates(Pairs(*found), Pairs.none())
        if self.queries is None:
            raise ValueError("the other direction was not asked for")
        here, there = self._found(block, self.queries, self.question.k_back, back=True)
        return Candidates(Pairs.none(), Pairs(there, here))

    def _found(
        self, block: slice, tree: cKDTree, k: int, *, back: bool
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return rows of a block and the rows that the tree finds near them."""
        rows = self.question.base if back else self.question.queries
        asked = self.points.of(rows.take(block))
        more = min(tree.n, k + 1 + k // 8)
        distance, index = map(np.asarray, tree.query(asked, k=np.arange(1, more + 1)))
        limit = self.points.reach(distance[:, k - 1] ** 2 * (1 + 2 * TREE_ERROR))
        near = distance**2 * (1 - TREE_ERROR) <= limit[:, None]
        open_ended = near[:, -1] & (more < tree.n)
        row, place = np.nonzero(near & ~open_ended[:, None])
        rows, others = [row], [index[row, place]]
        behind = np.flatnonzero(open_ended)
        if len(behind):
            radius = np.sqrt(limit[behind] * (1 + 2 * TREE_ERROR))
            for row, other in self._in_balls(asked, behind, radius, (block, tree, k, back)):
                rows.append(row)
                others.append(other)
        return np.concatenate(rows) + block.start, np.concatenate(others).astype(np.int64)

    def _in_balls(
        self,
        asked: NDArray[np.float64],
        behind: NDArray[np.int64],
        radius: NDArray[np.float64],
        search: tuple[slice, cKDTree, int, bool],
    ) -> list[tuple[NDArray[np.int64], NDArray[np.int64]]]:
        """Return all rows around each of the asked, or the nearest of them if they are too many."""
        block, tree, k, back = search
        sizes = tree.query_ball_point(asked[behind], radius, return_length=True)
        many = sizes > max(64, 8 * k)
        found = []
        few = behind[~many]
        for some in _batches(sizes[~many]):
            inside = tree.query_ball_point(asked[few[some]], radius[~many][some])
            counts = sizes[~many][some]
            found.append(
                (
                    np.repeat(few[some], counts),
                    np.concatenate(inside.tolist()).astype(np.int64),
                )
            )
        rows, base = self.question.queries, self.question.base
        if back:
            rows, base = base, rows
        for some in row_blocks(int(many.sum()), tree.n):
            row = behind[many][some]
            own, other = smallest(
                rows.take(row + block.start).distances(base), k + self.question.within
            )
            found.append((row[own], other))
        return found


def _batches(sizes: NDArray[np.int64]) -> list[slice]:
    """Return slices that together hold all entries, none of them with too many rows."""
    if not len(sizes):
        return []
    of_batch = np.cumsum(sizes) // MOST_IN_BALLS
    starts = np.flatnonzero(np.diff(of_batch, prepend=-1))
    return [slice(a, b) for a, b in zip(starts, [*starts[1:], len(sizes)], strict=True)]
