"""One direction of a Gower search: base rows for each of some rows, bound after bound."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from privgate.neighbors.engines.brute import smallest
from privgate.neighbors.engines.gower_apart import Apart, Unequal
from privgate.neighbors.engines.gower_grid import (
    FINE,
    Grid,
    coarse,
    coarse_steps,
    fine_steps,
    words_of,
)
from privgate.neighbors.engines.gower_leaves import Kinds, Leaves
from privgate.neighbors.engines.ragged import Ragged, batches, nearest_of_each, reach
from privgate.neighbors.tiles import blocks, row_blocks

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from privgate.encoding import GowerRows

MOST_QUERIES = 2048
PART_BYTES = 5 * 2**20
"""Sums of unequal levels that are held for one part."""
MOST_PAIRS = 2**17
"""Pairs that are looked at together."""
SAMPLE, SAMPLES = 16, 4
"""Rows that are tried together, and how often, to learn whether the screen leaves few."""
MORE = 4
"""How many times k rows are looked at for k that are near."""
DENSE = 4
"""Where more than one in so many rows is left, all are measured."""


@dataclass(frozen=True)
class Near:
    """Kinds, leaves or rows at some place, each for one of some queries, the queries in order.

    ``level`` are the fine steps between the levels, ``bound`` all fine steps.
    """

    owner: NDArray[np.int64]
    place: NDArray[np.int64]
    level: NDArray[np.int64]
    bound: NDArray[np.int64]

    def kept(self, chosen: NDArray[np.bool_]) -> Near:
        """Return some of them."""
        index = np.flatnonzero(chosen)  # found once; by the marks each array takes twice as long
        return Near(
            *(array.take(index) for array in (self.owner, self.place, self.level, self.bound))
        )


@dataclass(frozen=True)
class Direction:
    """The k nearest base rows are asked for each row; both in the order of their kinds."""

    rows: GowerRows
    base: GowerRows
    k: int
    within: bool
    grid: Grid
    asked: Kinds
    unequal: Unequal
    words: NDArray[np.uint64]
    coarse_words: NDArray[np.uint64]
    leaves: Leaves

    @classmethod
    def of(cls, rows: GowerRows, base: GowerRows, k: int, *, within: bool) -> Direction:
        """Return the direction with both tables rounded and ordered."""
        grid = Grid.of(rows, base)
        asked = Kinds.of(grid.levels(rows))
        leaves = Leaves.of(grid.levels(base), grid.numbers(base))
        numbers = grid.numbers(rows)[asked.rows]
        words, boxes = words_of(numbers), words_of(coarse(numbers))
        unequal = Unequal.of(asked.levels, leaves.kinds.levels, grid.level_steps)
        return cls(rows, base, k, within, grid, asked, unequal, words, boxes, leaves)

    def blocks(self) -> list[slice]:
        """Return the rows in blocks whose kinds have bounds that fit in memory."""
        step = min(MOST_QUERIES, max(1, PART_BYTES // self.unequal.bytes_each))
        return blocks(0, len(self.rows), step)

    def near(self, block: slice) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return pairs of rows and base rows that hold the k nearest base rows of each row."""
        found, dense = self._screened(block)
        if len(dense):
            found.extend(self._measured(dense))
        rows, base = (np.concatenate(side) for side in zip(*found, strict=True))
        return self.asked.rows[rows], self.leaves.kinds.rows[base]

    @property
    def prunes(self) -> bool:
        """Return whether the screen leaves few base rows for most of some rows."""
        starts = np.unique(np.linspace(0, max(0, len(self.rows) - SAMPLE), SAMPLES).astype(int))
        blocks = [slice(start, min(start + SAMPLE, len(self.rows))) for start in starts]
        dense = sum(len(self._screened(block)[1]) for block in blocks)
        return bool(2 * dense < sum(block.stop - block.start for block in blocks))

    def _screened(
        self, block: slice
    ) -> tuple[list[tuple[NDArray[np.int64], NDArray[np.int64]]], NDArray[np.int64]]:
        """Return rows with the base rows that may be near, and rows to which too many may be."""
        kind = self.asked.kind[block]
        group = kind - kind[0]
        apart = Apart.of(self.unequal, slice(int(kind[0]), int(kind[-1]) + 1), self._wanted)
        limit = np.full(len(kind), -1)
        for some, kinds in self._asked(group, self._close(apart)):
            limit[some] = self._limit(block.start + some, kinds)
        most = np.maximum.reduceat(limit, np.flatnonzero(np.diff(group, prepend=-1)))
        found = []
        kinds_within = _kinds(*apart.at_most(most // FINE))
        for some, kinds in self._asked(group, kinds_within):
            near = self._rows_within(block.start + some, kinds, limit[some])
            if near is None:
                limit[some] = -1
            else:
                found.append(near)
        return found, block.start + np.flatnonzero(limit < 0)

    @property
    def _wanted(self) -> int:
        return self.k + self.within

    def _close(self, apart: Apart) -> Near:
        """Return for each kind of queries the nearest base kinds that together hold k rows."""
        near = _kinds(*apart.nearest())
        size = self.leaves.kind_size[near.place]
        bound = reach(near.owner, near.bound, size, self._wanted)
        return near.kept(near.bound <= bound[near.owner])

    def _asked(
        self, group: NDArray[np.int64], kinds: Near
    ) -> Iterator[tuple[NDArray[np.int64], Near]]:
        """Yield queries, some at a time, with the base kinds that are near to theirs."""
        lists = Ragged.of_sorted(kinds.owner, int(group[-1]) + 1)
        work = np.bincount(kinds.owner, self.leaves.in_kind.length[kinds.place], len(lists.start))
        for some in batches(work[group].astype(np.int64), MOST_PAIRS):
            owner, entry = lists.expanded(group[some])
            level = kinds.level[entry]
            yield some, Near(owner, kinds.place[entry], level, level)

    def _limit(self, queries: NDArray[np.int64], kinds: Near) -> NDArray[np.int64]:
        """Return for each query a bound that its k nearest rows are within; -1 if that is many."""
        wanted = self._wanted
        leaves = self._leaves(queries, kinds)
        size = self.leaves.in_leaf.length[leaves.place]
        near = leaves.kept(
            leaves.bound <= reach(leaves.owner, leaves.bound, size, MORE * wanted)[leaves.owner]
        )
        if self._is_dense(near, len(queries)):
            return np.full(len(queries), -1)
        rows = self._rows(queries, near)
        rows = rows.kept(rows.bound <= reach(rows.owner, rows.bound, None, wanted)[rows.owner])
        chosen = nearest_of_each(rows.owner, rows.bound, wanted)
        here = self.asked.rows[queries[rows.owner[chosen]]]
        there = self.leaves.kinds.rows[rows.place[chosen]]
        distance = self.rows.pair_distances(self.base, here, there)
        if self.within:
            distance[here == there] = -1.0
        return self.grid.limit(distance.reshape(len(queries), wanted).max(axis=1))

    def _rows_within(
        self, queries: NDArray[np.int64], kinds: Near, limit: NDArray[np.int64]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]] | None:
        """Return queries and the base rows within their limits; None if those are many."""
        leaves = self._leaves(queries, kinds.kept(kinds.bound <= limit[kinds.owner]))
        leaves = leaves.kept(leaves.bound <= limit[leaves.owner] + self.grid.slack)
        if self._is_dense(leaves, len(queries)):
            return None
        rows = self._rows(queries, leaves)
        rows = rows.kept(rows.bound <= limit[rows.owner])
        return queries[rows.owner], rows.place

    def _is_dense(self, leaves: Near, queries: int) -> bool:
        count = int(self.leaves.in_leaf.length[leaves.place].sum())
        return count * DENSE > queries * len(self.base)

    def _leaves(self, queries: NDArray[np.int64], kinds: Near) -> Near:
        """Return the leaves of some kinds, their boxes' distances counted."""
        of, place = self.leaves.in_kind.expanded(kinds.place)
        owner, level = kinds.owner[of], kinds.level[of]
        query, bound = queries[owner], level
        for mine, low, high in zip(
            self.coarse_words, self.leaves.low, self.leaves.high, strict=True
        ):
            steps = coarse_steps(low[place], high[place], mine[query]).view(np.int64)
            steps *= FINE
            bound = np.add(steps, bound, out=steps)
        return Near(owner, place, level, bound)

    def _rows(self, queries: NDArray[np.int64], leaves: Near) -> Near:
        """Return the rows of some leaves, their numbers counted."""
        of, place = self.leaves.in_leaf.expanded(leaves.place)
        owner, level = leaves.owner[of], leaves.level[of]
        query, bound = queries[owner], level
        for mine, theirs in zip(self.words, self.leaves.words, strict=True):
            steps = fine_steps(theirs[place], mine[query]).view(np.int64)
            bound = np.add(steps, bound, out=steps)
        return Near(owner, place, level, bound)

    def _measured(
        self, queries: NDArray[np.int64]
    ) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64]]]:
        """Yield the k nearest rows of queries that too many rows are near to for any screen."""
        place = np.argsort(self.leaves.kinds.rows)
        for block in row_blocks(len(queries), len(self.base)):
            own = self.asked.rows[queries[block]]
            tile = self.rows.take(own).distances(self.base)
            if self.within:
                tile[np.arange(len(own)), own] = -1.0
            query, base = smallest(tile, self.k + self.within)
            yield queries[block][query], place[base]


def _kinds(owner: NDArray[np.int64], place: NDArray[np.int64], steps: NDArray[np.int64]) -> Near:
    """Return base kinds that are some coarse steps from their owners."""
    bound = steps * FINE
    return Near(owner, place, bound, bound)
