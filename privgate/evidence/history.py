"""What a ledger tells of earlier evaluations; the history of a release is part of its evidence."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from privgate.evidence.base import Frozen

Judged = Literal["met", "violated", "not_assessed"]


class EarlierTries(Frozen):
    """Earlier evaluations of this very synthetic table under one policy, seed and declaration."""

    policy: str  # id and version
    policy_sha256: str
    seed: int
    seed_source: Literal["derived", "given"]
    declaration_sha256: str
    outcomes: dict[Judged, int]

    @property
    def evaluations(self) -> int:
        """Return how many there were."""
        return sum(self.outcomes.values())


class LedgerFacts(Frozen):
    """Where an evaluation stands in its ledger, and what was judged against its train table before.

    All counts are of earlier evaluations, this one not among them. ``previous`` is the digest of
    the line before: whoever has it can tell whether the ledger up to there is still what it was.
    """

    entry: int = Field(ge=1)
    previous: str = Field(pattern="^[0-9a-f]{64}$")
    interrupted: int = Field(ge=0)  # writes that were cut short, of any release
    outcomes: dict[Judged, int]  # against this train table
    other_candidates: int = Field(ge=0)  # synthetic tables, other than this one
    policies: int = Field(ge=0)
    seeds: int = Field(ge=0)
    declarations: int = Field(ge=0)
    seeds_given: int = Field(ge=0)  # evaluations whose seed was given by hand
    tries: tuple[EarlierTries, ...]

    @property
    def earlier(self) -> int:
        """Return how many evaluations against this train table there were before."""
        return sum(self.outcomes.values())

    @property
    def same_candidate(self) -> int:
        """Return how many of them judged this very synthetic table."""
        return sum(tries.evaluations for tries in self.tries)
