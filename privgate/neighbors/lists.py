"""Lists of nearest neighbours that answer for any subset of the searched rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, TypeVar

import numpy as np

from privgate.encoding import Rows
from privgate.neighbors.tiles import row_blocks
from privgate.stats.compare import at_most, tied

if TYPE_CHECKING:
    from numpy.typing import NDArray

R = TypeVar("R", bound=Rows)

GLANCE = 8


@dataclass(frozen=True)
class Nearest:
    """The nearest row of each query: its distance and index, the lowest index on an exact tie.

    Where there is no row to be near, the distance is infinite and the index -1.
    """

    distance: NDArray[np.float64]
    index: NDArray[np.int64]


@dataclass(frozen=True)
class NeighbourList(Generic[R]):
    """The k nearest base rows of each query, by distance, then index; shapes (queries, k).

    ``within`` is true when queries and base are the same rows and each leaves itself out.
    """

    distances: NDArray[np.float64]
    indices: NDArray[np.int32]
    queries: R
    base: R
    within: bool

    def nearest(
        self, members: NDArray[np.bool_], asked: NDArray[np.bool_] | None = None
    ) -> Nearest:
        """Return the nearest base row among those that ``members`` marks, for each query.

        The answer is exact: a query none of whose listed neighbours is a member is searched anew.
        With ``asked`` only the queries that it marks are answered, in their order.
        """
        queries = np.arange(len(self.indices)) if asked is None else np.flatnonzero(asked)
        first, found = self._first_listed(members, queries)
        distance = self.distances[queries, first]
        index = self.indices[queries, first].astype(np.int64)
        missed = np.flatnonzero(~found)
        if len(missed):
            distance[missed], index[missed] = self._searched(
                queries[missed], np.flatnonzero(members)
            )
        return Nearest(distance, index)

    def first_tied(self, members: NDArray[np.bool_]) -> NDArray[np.int64]:
        """Return the lowest index of the members tied with the nearest one; -1 if there is none."""
        nearest = self.nearest(members)
        near = members[self.indices] & tied(self.distances, nearest.distance[:, None])
        lowest = np.where(near, self.indices, len(members)).min(axis=1)
        # Ties may go on behind the end of the list.
        behind = np.flatnonzero(at_most(self.distances[:, -1], nearest.distance))
        chosen = np.flatnonzero(members)
        for block in row_blocks(len(behind) if len(chosen) else 0, len(chosen)):
            rows = behind[block]
            tile = self._tile(rows, chosen)
            lowest[rows] = chosen[tied(tile, nearest.distance[rows, None]).argmax(axis=1)]
        return np.where(nearest.index < 0, -1, lowest)

    @property
    def first(self) -> Nearest:
        """Return the nearest base row of each query."""
        return Nearest(self.distances[:, 0], self.indices[:, 0].astype(np.int64))

    def second(self, members: NDArray[np.bool_]) -> NDArray[np.float64]:
        """Return the distance to the second nearest member; infinite where there is none."""
        without = self.nearest(members).index
        listed = members[self.indices] & (self.indices != without[:, None])
        first = listed.argmax(axis=1)
        rows = np.arange(len(first))
        distance: NDArray[np.float64] = self.distances[rows, first]
        missed = np.flatnonzero(~listed[rows, first])
        if len(missed):
            distance[missed], _ = self._searched(
                missed, np.flatnonzero(members), without=without[missed]
            )
        return distance

    def _first_listed(
        self, members: NDArray[np.bool_], queries: NDArray[np.int64]
    ) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        """Return the place of each query's first listed member, and whether there is one.

        Nearly always it is among the first few, so only the others' lists are read to the end.
        """
        listed = members[self.indices[queries, :GLANCE]]
        first = listed.argmax(axis=1)
        found = listed[np.arange(len(queries)), first]
        rest = np.flatnonzero(~found)
        listed = members[self.indices[queries[rest]]]
        first[rest] = listed.argmax(axis=1)
        found[rest] = listed[np.arange(len(rest)), first[rest]]
        return first, found

    def _tile(self, queries: NDArray[np.int64], members: NDArray[np.int64]) -> NDArray[np.float64]:
        tile = self.queries.take(queries).distances(self.base.take(members))
        if self.within:
            tile[queries[:, None] == members[None, :]] = np.inf
        return tile

    def _searched(
        self,
        missed: NDArray[np.int64],
        members: NDArray[np.int64],
        without: NDArray[np.int64] | None = None,
    ) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        distance = np.full(len(missed), np.inf)
        index = np.full(len(missed), -1, np.int64)
        if not len(members):
            return distance, index
        for block in row_blocks(len(missed), len(members)):
            tile = self._tile(missed[block], members)
            if without is not None:
                tile[without[block, None] == members[None, :]] = np.inf
            found = tile.argmin(axis=1)
            distance[block] = tile[np.arange(len(tile)), found]
            index[block] = np.where(np.isinf(distance[block]), -1, members[found])
        return distance, index
