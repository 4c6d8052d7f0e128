"""What a metric is given."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from privgate.encoding import Distance, entropy_weighted, space_of
from privgate.neighbors import Neighbours

if TYPE_CHECKING:
    from privgate.data import Column, Release, Role


@dataclass(frozen=True, kw_only=True)
class Inputs:
    """A release with everything that metrics share.

    ``confidence`` is the level of all intervals; ``jobs`` how many threads may work, which changes
    no figure. Neighbours are searched on first demand and kept for the next metric.
    """

    release: Release
    confidence: float = 0.95
    jobs: int = 1
    _neighbours: dict[Distance, Neighbours[Any]] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )
    _weighted: dict[Distance, Neighbours[Any]] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    def neighbours(self, distance: Distance = Distance.EUCLIDEAN) -> Neighbours[Any]:
        """Return the shared distance sets of the release.

        Raises
        ------
        NotAssessable
            If the release has no encoding for this distance.
        """
        if distance not in self._neighbours:
            space = space_of(self.release, distance)
            self._neighbours[distance] = Neighbours(space, jobs=self.jobs)
        return self._neighbours[distance]

    def weighted_neighbours(self, distance: Distance = Distance.EUCLIDEAN) -> Neighbours[Any]:
        """Return the shared distance sets with each column divided by its entropy in train.

        Raises
        ------
        NotAssessable
            If the release has no encoding for this distance.
        """
        if distance not in self._weighted:
            space = entropy_weighted(self.neighbours(distance).space, self.release)
            self._weighted[distance] = Neighbours(space, jobs=self.jobs)
        return self._weighted[distance]

    def columns(self, role: Role) -> tuple[Column, ...]:
        """Return the measured columns of one role."""
        return self.release.with_role(role)
