"""All nearest rows of a query, none of the tied ones preferred."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from privgate.encoding import Rows
from privgate.executors import SERIAL, Executor
from privgate.neighbors.distinct import Kinds
from privgate.neighbors.tiles import row_blocks
from privgate.stats.compare import tie_bounds

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from privgate.neighbors.lists import NeighbourList

R = TypeVar("R", bound=Rows)


@dataclass(frozen=True)
class NearestGroups:
    """The base rows tied for the least distance to each query.

    ``members[start[g]:start[g + 1]]`` are the base rows of group g, ``group`` is the group of each
    query; equal queries may share one.
    """

    group: NDArray[np.int64]
    start: NDArray[np.int64]
    members: NDArray[np.int64]

    @property
    def sizes(self) -> NDArray[np.int64]:
        """Return the number of nearest rows of each query."""
        return np.diff(self.start)[self.group]

    def share_between(
        self,
        values: NDArray[np.float64],
        low: NDArray[np.float64],
        high: NDArray[np.float64],
    ) -> NDArray[np.float64]:
        """Return the share of each query's nearest rows whose value lies in [low, high].

        Parameters
        ----------
        values
            One per base row; NaN lies nowhere.
        low, high
            One per query, the ends included.
        """
        known = np.unique(values[~np.isnan(values)])
        width = len(known) + 1  # the last rank belongs to NaN
        ranks = np.searchsorted(known, values)
        of_member = np.repeat(np.arange(len(self.start) - 1), np.diff(self.start))
        keys = np.sort(of_member * width + ranks[self.members])
        first = self.group * width + np.searchsorted(known, low, side="left")
        behind = self.group * width + np.searchsorted(known, high, side="right")
        count = np.searchsorted(keys, behind) - np.searchsorted(keys, first)
        share: NDArray[np.float64] = count / self.sizes
        return share


def tied_nearest(found: NeighbourList[Any], *, executor: Executor = SERIAL) -> NearestGroups:
    """Return all base rows tied for nearest to each query of a search across two tables.

    Where ties may go on behind the end of a list, all base rows are looked at.
    """
    distances = found.distances
    _, limit = tie_bounds(distances[:, 0])
    near = distances <= limit[:, None]
    cut = near[:, -1] & (distances.shape[1] < len(found.base))
    query, place = np.nonzero(near & ~cut[:, None])
    sizes = np.bincount(query, minlength=len(cut))
    group = np.arange(len(cut), dtype=np.int64)
    listed = found.indices[query, place].astype(np.int64)
    behind = np.flatnonzero(cut)
    if not len(behind):
        return NearestGroups(group, _starts(sizes), listed)
    rest = search_groups(found.queries.take(behind), found.base, executor=executor)
    group[behind] = len(cut) + rest.group
    sizes = np.concatenate([sizes, np.diff(rest.start)])
    return NearestGroups(group, _starts(sizes), np.concatenate([listed, rest.members]))


def search_groups(queries: R, base: R, *, executor: Executor = SERIAL) -> NearestGroups:
    """Return all base rows tied for nearest to each query; equal queries share a group.

    Distances are computed once for each pair of distinct rows.
    """
    kinds, base_kinds = Kinds.of(queries), Kinds.of(base)
    asked, present = queries.take(kinds.first), base.take(base_kinds.first)
    blocks = row_blocks(len(asked), len(present))
    found = list(executor.map(_tied, (asked, present), blocks))
    query, kind = (np.concatenate(parts) for parts in zip(*found, strict=True))
    rows, of_pair = base_kinds.rows_of(kind)
    sizes = np.bincount(query[of_pair], minlength=len(kinds))
    return NearestGroups(kinds.kind, _starts(sizes), rows)


def _tied(shared: tuple[Any, Any], block: slice) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return a block of queries, each with all base rows tied for nearest."""
    asked, present = shared
    tile = asked.take(block).distances(present)
    _, limit = tie_bounds(tile.min(axis=1))
    query, kind = np.nonzero(tile <= limit[:, None])
    return query + block.start, kind


def _starts(sizes: NDArray[np.int64]) -> NDArray[np.int64]:
    return np.concatenate([[0], np.cumsum(sizes)])
