"""A policy judged again and again on altered releases, each trial with a seed of its own."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import chain
from typing import TYPE_CHECKING

from threadpoolctl import threadpool_limits

from privgate.engine import Silent
from privgate.engine.plan import plan
from privgate.engine.run import Conditions, measure
from privgate.engine.sample import wanted_sample
from privgate.evidence import Estimate, Frozen
from privgate.executors import SERIAL, Executor
from privgate.policy.check import check
from privgate.policy.verdict import Outcome  # noqa: TC001 - pydantic reads it at run time
from privgate.stats.rng import derive_seed, generator

if TYPE_CHECKING:
    from collections.abc import Sequence

    from privgate.data import Release
    from privgate.engine import Progress
    from privgate.metrics import Inputs
    from privgate.policy import BoundPolicy
    from privgate.policy.verdict import RuleVerdict
    from privgate.trials.store import TrialStore
    from privgate.trials.trial import Trial

_NO_CLOCK = datetime(1970, 1, 1, tzinfo=UTC)  # a trial's time enters nothing


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
    basis: Inputs,
    *,
    seed: int,
    store: TrialStore | None = None,
    progress: Progress | None = None,
) -> dict[str, TrialResult]:
    """Return the result of every trial by its key.

    The first trial of each title is made here, its searches spread over the executor. Among them
    are all that trials share, so that the others, each of them one part for the executor, find them
    done.

    Parameters
    ----------
    basis
        Inputs of the release that the trials alter; searches among the same people are used again.
        Trials are made where its executor says.
    seed
        Seed of the study. A trial draws from it and its own key alone, so more trials change no
        other, and an interrupted study goes on where it stopped with the same digits.
    store
        Where finished trials are kept for a later continuation.
    """
    found = {} if store is None else dict(store.finished())
    progress = progress or Silent()
    progress.started(len(trials))
    first, rest = _split([trial for trial in trials if trial.key not in found])
    shared = _Shared(policy, basis, seed)
    made = chain(
        (_made(shared, trial, basis.executor) for trial in first),
        basis.executor.map(_made, shared, rest),
    )
    kept = [trial for trial in trials if trial.key in found]
    try:
        # A trial that ends must not give BLAS back its threads while another one still counts.
        with threadpool_limits(1, user_api="blas"):
            for trial in [*kept, *first, *rest]:
                progress.stage(trial.title)
                if trial.key in found:
                    continue
                found[trial.key] = next(made)
                if store is not None:
                    store.add(found[trial.key])
    finally:
        progress.finished()
    return {trial.key: found[trial.key] for trial in trials}


def judged(
    key: str,
    release: Release,
    policy: BoundPolicy,
    *,
    seed: int,
    executor: Executor = SERIAL,
    basis: Inputs | None = None,
) -> TrialResult:
    """Return what a policy says of the release made in the trial ``key``."""
    conditions = Conditions(
        seed=derive_seed("privgate/trial/v1", str(seed), key),
        seed_source="derived",
        confidence=policy.policy.confidence,
        created=_NO_CLOCK,
        executor=executor,
        sample=wanted_sample(None, policy.policy.sample),
    )
    run = measure(release, plan(policy), conditions, Silent(), basis=basis)
    verdict = check(policy, run.evidence)
    return TrialResult(
        key=key,
        outcome=verdict.outcome,
        rules={
            rule.id: RuleResult(outcome=rule.outcome, judged=rule.judged, figure=_figure(rule))
            for rule in verdict.rules
        },
    )


@dataclass(frozen=True)
class _Shared:
    """What all trials of a study need."""

    policy: BoundPolicy
    basis: Inputs
    seed: int


def _made(shared: _Shared, trial: Trial, executor: Executor = SERIAL) -> TrialResult:
    release = trial.make(shared.basis, generator(shared.seed, trial.key))
    return judged(
        trial.key,
        release,
        shared.policy,
        seed=shared.seed,
        executor=executor,
        basis=shared.basis,
    )


def _split(trials: Sequence[Trial]) -> tuple[list[Trial], list[Trial]]:
    """Return the first trial of each title, and the others."""
    first = {trial.title: trial for trial in reversed(trials)}
    return (
        [trial for trial in trials if first[trial.title] is trial],
        [trial for trial in trials if first[trial.title] is not trial],
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
