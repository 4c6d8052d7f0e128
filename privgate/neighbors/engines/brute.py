"""All distances, tile by tile: right for every kind of rows, and fast enough for small tables."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from privgate.neighbors.engines.contract import Candidates, Pairs, Question
from privgate.neighbors.tiles import row_blocks

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True)
class Brute:
    """Measures all pairs and keeps the nearest ones."""

    question: Question[Any]

    def parts(self) -> list[slice]:
        """Return blocks of queries."""
        return row_blocks(len(self.question.queries), len(self.question.base))

    def candidates(self, part: slice) -> Candidates:
        """Return exactly the nearest pairs of a block of queries."""
        asked = self.question
        tile = asked.queries.take(part).distances(asked.base)
        if asked.within:  # a row is nearest to itself, whatever else is at distance 0 or infinity
            tile[np.arange(len(tile)), np.arange(len(asked.queries))[part]] = -1.0
        forward = backward = Pairs.none()
        if asked.k:
            query, base = smallest(tile, asked.k + asked.within)
            forward = Pairs(query + part.start, base)
        if asked.k_back:
            base, query = smallest(tile.T, min(asked.k_back, len(tile)))
            backward = Pairs(query + part.start, base)
        return Candidates(forward, backward)


def smallest(tile: NDArray[np.float64], k: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return where the k smallest entries of each row are, by (value, index)."""
    if k == 1:
        return np.arange(len(tile)), tile.argmin(axis=1)
    limit = np.partition(tile, k - 1, axis=1)[:, k - 1, None]
    chosen = tile < limit
    ties = tile == limit
    ties &= np.cumsum(ties, axis=1, dtype=np.int32) <= k - chosen.sum(axis=1)[:, None]
    chosen |= ties
    row, column = np.nonzero(chosen)
    return row, column
