"""Lists of different lengths, one per owner, laid one behind the other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

FEWEST_BINS, MOST_BINS = 32, 512


@dataclass(frozen=True)
class Ragged:
    """Where the list of each owner starts and how long it is, in arrays that hold all lists."""

    start: NDArray[np.int64]
    length: NDArray[np.int64]

    @classmethod
    def of_sorted(cls, owner: NDArray[np.integer], owners: int) -> Ragged:
        """Return the lists of entries that are in the order of their owners.

        Examples
        --------
        >>> lists = Ragged.of_sorted(np.array([0, 0, 2]), 3)
        >>> lists.start.tolist(), lists.length.tolist()
        ([0, 2, 2], [2, 0, 1])
        """
        length = np.bincount(owner, minlength=owners)
        return cls(np.cumsum(length) - length, length)

    def expanded(self, asked: NDArray[np.integer]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return all entries of the owners asked for, and the place in ``asked`` that each is for.

        Examples
        --------
        >>> lists = Ragged.of_sorted(np.array([0, 0, 2]), 3)
        >>> [found.tolist() for found in lists.expanded(np.array([2, 0, 1]))]
        [[0, 1, 1], [2, 0, 1]]
        """
        length = self.length[asked]
        place = np.repeat(np.arange(len(asked)), length)
        shift = self.start[asked] - (np.cumsum(length) - length)
        return place, np.arange(len(place)) + shift[place]


def reach(
    owner: NDArray[np.integer],
    bound: NDArray[np.integer],
    size: NDArray[np.integer] | None,
    k: int,
) -> NDArray[np.int64]:
    """Return for each owner a bound at which its entries hold at least k rows.

    It is the least such bound, rounded up by less than a bin. There are as many bins in the range
    of bounds as an owner has entries, within limits.

    Parameters
    ----------
    owner
        Sorted, every number from 0 to the greatest there.
    bound
        One per entry.
    size
        Rows that each entry stands for; by default one.
    k
        An owner with fewer rows reaches no bound; all its entries are within the one returned.

    Examples
    --------
    >>> reach(np.array([0, 0, 0, 1]), np.array([5, 3, 9, 2]), np.array([1, 1, 1, 7]), 2).tolist()
    [5, 2]
    """
    owners = int(owner[-1]) + 1
    lists = Ragged.of_sorted(owner, owners)
    least = np.minimum.reduceat(bound, lists.start)
    over = bound - least[owner]
    bins = min(MOST_BINS, max(FEWEST_BINS, len(owner) // owners))
    width = int(over.max()) // bins + 1
    over //= width
    over += owner * bins
    held = np.bincount(over, size, owners * bins).reshape(owners, bins)
    short = (np.cumsum(held, axis=1) < k).sum(axis=1)
    found: NDArray[np.int64] = least + (short + 1) * width - 1
    return found


def nearest_of_each(
    owner: NDArray[np.integer], bound: NDArray[np.integer], k: int
) -> NDArray[np.int64]:
    """Return the k entries with the least bounds of each owner, one owner after the other.

    Examples
    --------
    >>> nearest_of_each(np.array([0, 0, 0, 1, 1]), np.array([5, 3, 9, 2, 1]), 2).tolist()
    [1, 0, 4, 3]
    """
    order = np.lexsort((bound, owner))
    ordered = owner[order]
    lists = Ragged.of_sorted(ordered, int(ordered[-1]) + 1)
    nearest: NDArray[np.int64] = order[np.arange(len(order)) - lists.start[ordered] < k]
    return nearest


def batches(work: NDArray[np.integer], most: int) -> Iterator[NDArray[np.int64]]:
    """Yield consecutive owners whose work adds up to no more than ``most``, or single ones.

    Owners without work are left out.

    Examples
    --------
    >>> [batch.tolist() for batch in batches(np.array([3, 4, 0, 9, 1]), 8)]
    [[0, 1], [3], [4]]
    """
    owners = np.flatnonzero(work)
    done = np.cumsum(work[owners])
    start = 0
    while start < len(owners):
        before = done[start - 1] if start else 0
        stop = max(start + 1, int(np.searchsorted(done, before + most, side="right")))
        yield owners[start:stop]
        start = stop
