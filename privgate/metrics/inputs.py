"""What a metric is given."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from privgate.encoding import Distance, entropy_weighted, space_of
from privgate.executors import SERIAL, Executor
from privgate.neighbors import Neighbours

if TYPE_CHECKING:
    from collections.abc import Collection

    from privgate.data import Column, Release, Role


@dataclass(frozen=True, kw_only=True)
class Inputs:
    """A release with everything that metrics share.

    ``confidence`` is the level of all intervals; ``executor`` is where long computations run, which
    changes no figure. Neighbours are searched on first demand and kept for the next metric; what
    ``basis``, the inputs of another release, has found among the same real rows is not searched
    again.
    """

    release: Release
    confidence: float = 0.95
    executor: Executor = SERIAL
    basis: Inputs | None = field(default=None, repr=False, compare=False)
    _neighbours: dict[tuple[Distance, tuple[str, ...]], Neighbours[Any]] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )
    _weighted: dict[Distance, Neighbours[Any]] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    @property
    def jobs(self) -> int:
        """Return how many threads of this machine may work."""
        return self.executor.jobs

    def neighbours(
        self, distance: Distance | None = None, *, columns: Collection[str] | None = None
    ) -> Neighbours[Any]:
        """Return the shared distance sets of the release, in all or in some of its columns.

        Without a distance it is the release's own.

        Raises
        ------
        NotAssessable
            If the release has no encoding for this distance, or none of the columns varies.
        KeyError
            If a name is not that of a measured column.
        """
        seen = self.release if columns is None else self.release.restricted_to(columns)
        wanted = seen.distance if distance is None else distance
        key = wanted, tuple(column.name for column in seen.columns)
        if key not in self._neighbours:
            basis = None if self.basis is None else self.basis.neighbours(wanted, columns=columns)
            self._neighbours[key] = Neighbours(
                space_of(seen, wanted), executor=self.executor, basis=basis
            )
        return self._neighbours[key]

    def weighted_neighbours(self, distance: Distance | None = None) -> Neighbours[Any]:
        """Return the shared distance sets with each column divided by its entropy in train.

        Raises
        ------
        NotAssessable
            If the release has no encoding for this distance.
        """
        wanted = self.release.distance if distance is None else distance
        if wanted not in self._weighted:
            space = entropy_weighted(self.neighbours(wanted).space, self.release)
            self._weighted[wanted] = Neighbours(space, executor=self.executor)
        return self._weighted[wanted]

    def columns(self, role: Role) -> tuple[Column, ...]:
        """Return the measured columns of one role."""
        return self.release.with_role(role)
