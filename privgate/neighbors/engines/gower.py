"""Gower neighbours by levels first: few rows share nearly all levels, and only those are measured.

Rows of equal levels are one kind. The unequal levels of two kinds, counted for 64 pairs in one
word (:class:`~privgate.neighbors.engines.gower_apart.Unequal`), bound the distance of all their
rows from below; there are fewer pairs of kinds than of rows. Within the kinds that may matter,
boxes around a few rows each, then the rows themselves, are compared in whole steps of their numbers
(:class:`~privgate.neighbors.engines.gower_grid.Grid`), a machine word at a time.

For each query that is done twice. First some k rows that seem near are measured; the greatest of
their distances is at least the k-th least of all. Then every row that the bounds cannot place
beyond that distance is a candidate.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from privgate.neighbors.engines.contract import Candidates, Pairs, Question
from privgate.neighbors.engines.gower_direction import Direction

if TYPE_CHECKING:
    from privgate.encoding import GowerRows


@dataclass(frozen=True)
class GowerScreen:
    """Finds the nearest Gower rows in one or both directions."""

    forward: Direction | None
    backward: Direction | None

    @classmethod
    def of(cls, question: Question[GowerRows]) -> GowerScreen:
        """Return the engine for a question."""
        queries, base, within = question.queries, question.base, question.within
        return cls(
            Direction.of(queries, base, question.k, within=within) if question.k else None,
            Direction.of(base, queries, question.k_back, within=False) if question.k_back else None,
        )

    @property
    def prunes(self) -> bool:
        """Return whether the screen leaves few pairs, as far as some rows tell."""
        return all(
            direction is None or direction.prunes for direction in (self.forward, self.backward)
        )

    def parts(self) -> list[tuple[bool, slice]]:
        """Return blocks of queries, then blocks of base rows that ask back."""
        return [
            (direction is self.backward, block)
            for direction in (self.forward, self.backward)
            if direction is not None
            for block in direction.blocks()
        ]

    def candidates(self, part: tuple[bool, slice]) -> Candidates:
        """Return what a part of the queries, or of the base rows, is near to."""
        back, block = part
        if back and self.backward is not None:
            base, query = self.backward.near(block)
            return Candidates(Pairs.none(), Pairs(query, base))
        if self.forward is None:
            return Candidates(Pairs.none(), Pairs.none())
        return Candidates(Pairs(*self.forward.near(block)), Pairs.none())
