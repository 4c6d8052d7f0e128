"""Equal rows stand for one another: a search among the distinct ones answers for all."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True)
class Kinds:
    """The kinds of equal rows, in the order of their first rows.

    ``first`` is the first row of each kind, ``kind`` the kind of each row.
    """

    first: NDArray[np.int64]
    kind: NDArray[np.int64]

    @classmethod
    def of(cls, rows: Any) -> Kinds:
        """Return the kinds of rows."""
        _, first, kind = np.unique(rows.ranks(), return_index=True, return_inverse=True)
        order = np.argsort(first, kind="stable")
        place = np.empty(len(order), np.int64)
        place[order] = np.arange(len(order))
        return cls(first[order].astype(np.int64), place[kind])

    def __len__(self) -> int:
        """Return the number of kinds."""
        return len(self.first)

    @property
    def alone(self) -> bool:
        """Return whether no two rows are equal."""
        return len(self.first) == len(self.kind)

    @cached_property
    def counts(self) -> NDArray[np.int64]:
        """Return the number of rows of each kind."""
        return np.bincount(self.kind, minlength=len(self.first))

    @cached_property
    def _by_kind(self) -> NDArray[np.int64]:
        return np.argsort(self.kind, kind="stable")

    @cached_property
    def _start(self) -> NDArray[np.int64]:
        return np.cumsum(self.counts) - self.counts

    def rows_of(
        self, kinds: NDArray[np.integer], *, most: int | None = None
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the rows of the kinds, one kind after the other, and the place of each one's kind.

        With ``most``, only as many rows of each kind, the first ones.

        Examples
        --------
        >>> kinds = Kinds(first=np.array([0, 1]), kind=np.array([0, 1, 0]))
        >>> [part.tolist() for part in kinds.rows_of(np.array([1, 0]))]
        [[1, 0, 2], [0, 1, 1]]
        """
        lengths = self.counts[kinds]
        if most is not None:
            lengths = np.minimum(lengths, most)
        owner = np.repeat(np.arange(len(kinds)), lengths)
        within = np.arange(lengths.sum()) - np.repeat(np.cumsum(lengths) - lengths, lengths)
        return self._by_kind[self._start[kinds][owner] + within], owner
