"""Which part of a release a run measures, and what its evidence says about that."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from privgate.data.sampling import draw_sample
from privgate.evidence import SampleFacts
from privgate.stats.rng import generator

if TYPE_CHECKING:
    from privgate.data import Release


@dataclass(frozen=True, kw_only=True)
class WantedSample:
    """How many rows of the largest table a run is to measure at most, and who says so."""

    rows: int
    source: Literal["given", "policy"]

    def of(self, release: Release, seed: int) -> tuple[Release, SampleFacts | None]:
        """Return what is to be measured; the whole release, and no facts, if it is small enough."""
        drawn = draw_sample(release, self.rows, generator(seed, "privgate/sample/v1"))
        if drawn is None:
            return release, None
        return drawn.release, SampleFacts(
            asked=self.rows,
            source=self.source,
            drawn=drawn.by,
            rows={name: table.rows for name, table in drawn.release.tables.items()},
        )


def wanted_sample(given: int | None, of_policy: int | None) -> WantedSample | None:
    """Return the sample that was asked for; a number given by hand replaces the policy's.

    Examples
    --------
    >>> wanted_sample(None, None)
    >>> wanted_sample(2000, 5000)
    WantedSample(rows=2000, source='given')
    """
    if given is not None:
        return WantedSample(rows=given, source="given")
    return None if of_policy is None else WantedSample(rows=of_policy, source="policy")
