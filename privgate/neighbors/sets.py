"""The distance sets of one run."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Generic, TypeVar

import numpy as np

from privgate.encoding import Rows, Space
from privgate.executors import SERIAL, Executor
from privgate.neighbors.groups import tied_nearest
from privgate.neighbors.search import (
    list_length,
    search_across,
    search_nearest,
    search_within,
    wanted_length,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from privgate.neighbors.groups import NearestGroups
    from privgate.neighbors.lists import Nearest, NeighbourList

R = TypeVar("R", bound=Rows)


class Neighbours(Generic[R]):
    """Everything metrics ask about distances in one space; three searches answer all of it.

    One goes across synthetic and real rows, in both directions; one each stays within them.

    ``real`` are the train rows followed by the holdout rows; a set of them is a mask over both.
    ``basis`` are the neighbours of another release: where its real rows are the same, what was
    searched among them is not searched again.
    """

    def __init__(
        self, space: Space[R], *, executor: Executor = SERIAL, basis: Neighbours[R] | None = None
    ) -> None:
        self.space = space
        self._basis = basis
        self.real = space.real
        self._executor = executor
        self.train = np.arange(len(self.real)) < len(space.train)
        self.holdout = ~self.train

    def _length(self, rows: int, *, among: int) -> int:
        """Return the length of lists among so many rows: no part of fewer than a table is asked."""
        tables = int(self.train.sum()), int(self.holdout.sum()), len(self.space.synthetic)
        least = min(size for size in tables if size)
        return list_length(rows, wanted_length(least / among, rows))

    @cached_property
    def _across(self) -> tuple[NeighbourList[R], NeighbourList[R]]:
        synthetic = self.space.synthetic
        rows = len(synthetic) + len(self.real)
        return search_across(
            synthetic,
            self.real,
            k=self._length(rows, among=len(self.real)),
            k_back=self._length(rows, among=len(synthetic)),
            executor=self._executor,
        )

    @property
    def synthetic_to_real(self) -> NeighbourList[R]:
        """Return the nearest real rows of each synthetic row."""
        return self._across[0]

    @property
    def real_to_synthetic(self) -> Nearest:
        """Return the nearest synthetic row of each real row."""
        return self.real_to_any_synthetic.first

    @property
    def real_to_any_synthetic(self) -> NeighbourList[R]:
        """Return the nearest synthetic rows of each real row, as a list that answers for a part."""
        return self._across[1]

    @cached_property
    def nearest_synthetic(self) -> Nearest:
        """Return ``real_to_synthetic``, for a space of which nothing else is asked across.

        One neighbour in one direction is found in less than half of the time.
        """
        return search_nearest(self.real, self.space.synthetic, executor=self._executor)

    @cached_property
    def real_to_real(self) -> NeighbourList[R]:
        """Return the nearest other real rows of each real row."""
        if self._basis is not None and self.real.same_as(self._basis.real):
            return self._basis.real_to_real
        rows = len(self.real)
        return search_within(self.real, k=self._length(rows, among=rows), executor=self._executor)

    @cached_property
    def synthetic_to_synthetic(self) -> NeighbourList[R]:
        """Return the nearest other synthetic rows of each synthetic row."""
        synthetic = self.space.synthetic
        length = self._length(len(synthetic), among=len(synthetic))
        return search_within(synthetic, k=length, executor=self._executor)

    @cached_property
    def synthetic_groups(self) -> NearestGroups:
        """Return all synthetic rows tied for nearest to each real row."""
        return tied_nearest(self.real_to_any_synthetic, executor=self._executor)

    def balanced(
        self, rng: np.random.Generator
    ) -> tuple[NDArray[np.bool_], NDArray[np.bool_]] | None:
        """Return equally many train and holdout rows as masks, or ``None`` without a holdout.

        All rows of the smaller table take part.

        Metrics that query against real rows depend on how many there are, so train and holdout are
        compared at equal size.
        """
        train, holdout = int(self.train.sum()), int(self.holdout.sum())
        if not holdout:
            return None
        size = min(train, holdout)
        chosen = rng.permutation(train)[:size], train + rng.permutation(holdout)[:size]
        masks = np.zeros((2, train + holdout), bool)
        masks[0, chosen[0]] = masks[1, chosen[1]] = True
        return masks[0], masks[1]
