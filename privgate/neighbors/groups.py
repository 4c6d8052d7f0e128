"""All nearest rows of a query, none of the tied ones preferred."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from privgate.encoding import Rows
from privgate.executors import SERIAL, Executor
from privgate.neighbors.search import row_blocks
from privgate.stats.compare import tie_bounds

if TYPE_CHECKING:
    from numpy.typing import NDArray

R = TypeVar("R", bound=Rows)


@dataclass(frozen=True)
class NearestGroups:
    """The base rows tied for the least distance to each query.

    Equal queries share a group. ``members[start[g]:start[g + 1]]`` are the base rows of group g.
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


def search_groups(queries: R, base: R, *, executor: Executor = SERIAL) -> NearestGroups:
    """Return all base rows tied for nearest to each query.

    Distances are computed once for each pair of distinct rows.
    """
    distinct, group = _distinct(queries)
    kinds, kind_of = _distinct(base)
    asked, present = queries.take(distinct), base.take(kinds)

    def nearest(_none: None, block: slice) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        tile = asked.take(block).distances(present)
        _, limit = tie_bounds(tile.min(axis=1))
        query, kind = np.nonzero(tile <= limit[:, None])
        return query + block.start, kind

    found = list(executor.map(nearest, None, row_blocks(len(distinct), len(kinds))))
    query, kind = (np.concatenate(parts) for parts in zip(*found, strict=True))
    rows, of_pair = _rows_of(kind, kind_of)
    sizes = np.bincount(query[of_pair], minlength=len(distinct))
    return NearestGroups(group, np.concatenate([[0], np.cumsum(sizes)]), rows)


def _distinct(rows: R) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the first row of each kind of equal rows, and the kind of each row."""
    _, first, kind = np.unique(rows.ranks(), return_index=True, return_inverse=True)
    return first.astype(np.int64), kind.astype(np.int64)


def _rows_of(
    kinds: NDArray[np.int64], kind_of: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return all rows of each of the kinds, one kind after the other, and whose they are."""
    by_kind = np.argsort(kind_of, kind="stable")
    count = np.bincount(kind_of)
    start = np.cumsum(count) - count
    lengths = count[kinds]
    owner = np.repeat(np.arange(len(kinds)), lengths)
    within = np.arange(lengths.sum()) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    return by_kind[start[kinds][owner] + within], owner
