"""What every study of a policy on a release has in common: seed, shared searches, kept trials."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

from privgate.engine.gate import derived_seed
from privgate.evidence import digest
from privgate.executors import Executor, Threads
from privgate.metrics import Inputs
from privgate.policy.check import policy_facts
from privgate.trials.repeat import repeat
from privgate.trials.store import TrialStore

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from privgate.data import Release
    from privgate.engine import Progress
    from privgate.evidence import JsonValue
    from privgate.policy import BoundPolicy
    from privgate.trials.repeat import TrialResult
    from privgate.trials.trial import Trial


@dataclass(frozen=True, kw_only=True)
class Study:
    """A release and a policy under study.

    Parameters
    ----------
    given_seed
        Seed given by hand; by default it follows from data and policy, as in a check.
    jobs, executor
        How many threads make trials, or what does in their place; neither changes a figure.
    kept
        File for finished trials: with it an interrupted study goes on where it stopped. Whoever
        stores the study removes it.
    """

    release: Release
    policy: BoundPolicy
    given_seed: int | None = None
    jobs: int = 1
    executor: Executor | None = None
    kept: Path | None = None
    progress: Progress | None = None

    @cached_property
    def basis(self) -> Inputs:
        """Return the inputs of the release itself, whose searches all trials share."""
        confidence = self.policy.policy.confidence
        return Inputs(
            release=self.release,
            confidence=confidence,
            executor=self.executor or Threads(self.jobs),
        )

    @cached_property
    def seed(self) -> int:
        """Return the seed of everything random."""
        derived = derived_seed(self.release, self.policy)
        return derived if self.given_seed is None else self.given_seed

    def results(self, trials: Sequence[Trial]) -> dict[str, TrialResult]:
        """Return the result of every trial by its key.

        Raises
        ------
        InputError
            If the file of kept trials is of another study, or cannot be written.
        """
        identity: list[JsonValue] = [self.seed, derived_seed(self.release, self.policy)]
        identity += [trial.key for trial in trials]
        store = None if self.kept is None else TrialStore(self.kept, study=digest(identity))
        return repeat(
            trials,
            self.policy,
            self.basis,
            seed=self.seed,
            store=store,
            progress=self.progress,
        )

    def facts(self) -> dict[str, Any]:
        """Return what the stored form of every study begins with."""
        policy = policy_facts(self.policy)
        tables = self.release.facts.tables
        return {
            "release": self.release.facts.name,
            "tables": {name: table.content_sha256 for name, table in tables.items()},
            "policy": policy.id,
            "policy_version": policy.version,
            "policy_sha256": policy.sha256,
            "seed": self.seed,
            "seed_source": "derived" if self.given_seed is None else "given",
            "tool": f"privgate {version('privgate')}",
        }
