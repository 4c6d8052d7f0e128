"""A policy judged again and again on altered releases, each trial with a seed of its own."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from privgate.engine import Silent
from privgate.engine.plan import plan
from privgate.engine.run import Conditions, measure
from privgate.engine.sample import wanted_sample
from privgate.evidence import Estimate, Frozen
from privgate.policy.check import check
from privgate.policy.verdict import Outcome  # noqa: TC001 - pydantic reads it at run time
from privgate.stats.rng import derive_seed, generator

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.random import Generator

    from privgate.data import Release
    from privgate.engine import Progress
    from privgate.metrics import Inputs
    from privgate.policy import BoundPolicy
    from privgate.policy.verdict import RuleVerdict
    from privgate.trials.store import TrialStore

_NO_CLOCK = datetime(1970, 1, 1, tzinfo=UTC)  # a trial's time enters nothing


@dataclass(frozen=True)
class Trial:
    """One release to be made and judged; ``key`` names it and seeds everything random in it.

    ``title`` tells people what it is about; trials of one title follow each other.
    """

    key: str
    title: str
    make: Callable[[Generator], Release]


class RuleResult(Frozen):
    """What one rule said in one trial, and the figure it said it about.

    ``judged`` is the number held against the limit.
    """

    outcome: Outcome
    judged: float | None
    figure: Estimate | None


class TrialResult(Frozen):
    """What a policy said in one trial."""

    key: str
    outcome: Outcome
    rules: dict[str, RuleResult]


def repeat(
    trials: Sequence[Trial],
    policy: BoundPolicy,
    *,
    seed: int,
    jobs: int = 1,
    basis: Inputs | None = None,
    store: TrialStore | None = None,
    progress: Progress | None = None,
) -> dict[str, TrialResult]:
    """Return the result of every trial by its key.

    Parameters
    ----------
    seed
        Seed of the study. A trial draws from it and its own key alone, so more trials change no
        other, and an interrupted study goes on where it stopped with the same digits.
    basis
        Inputs of the release that the trials alter; searches among the same people are used again.
    store
        Where finished trials are kept for a later continuation.
    """
    found = {} if store is None else dict(store.finished())
    progress = progress or Silent()
    progress.started(len(trials))
    try:
        for trial in trials:
            progress.stage(trial.title)
            if trial.key in found:
                continue
            found[trial.key] = _judged(trial, policy, seed, jobs, basis)
            if store is not None:
                store.add(found[trial.key])
    finally:
        progress.finished()
    return {trial.key: found[trial.key] for trial in trials}


def _judged(
    trial: Trial, policy: BoundPolicy, seed: int, jobs: int, basis: Inputs | None
) -> TrialResult:
    release = trial.make(generator(seed, trial.key))
    conditions = Conditions(
        seed=derive_seed("privgate/trial/v1", str(seed), trial.key),
        seed_source="derived",
        confidence=policy.policy.confidence,
        created=_NO_CLOCK,
        jobs=jobs,
        sample=wanted_sample(None, policy.policy.sample),
    )
    run = measure(release, plan(policy), conditions, Silent(), basis=basis)
    verdict = check(policy, run.evidence)
    return TrialResult(
        key=trial.key,
        outcome=verdict.outcome,
        rules={
            rule.id: RuleResult(outcome=rule.outcome, judged=rule.judged, figure=_figure(rule))
            for rule in verdict.rules
        },
    )


def _figure(rule: RuleVerdict) -> Estimate | None:
    if rule.value is None:
        return None
    bare = rule.low is None
    return Estimate(
        value=rule.value,
        low=rule.low,
        high=rule.high,
        level=None if bare else rule.level,
        method=None if bare else "as judged",
        n=rule.n,
    )
