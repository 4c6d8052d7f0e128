"""The one place that calls both halves: what was measured, and what a policy makes of it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from privgate.engine.clock import now
from privgate.engine.plan import plan
from privgate.engine.progress import Progress, Silent
from privgate.engine.run import Conditions, measure
from privgate.engine.sample import wanted_sample
from privgate.errors import InputError, Problem
from privgate.executors import Executor, Threads
from privgate.policy.check import check, policy_facts
from privgate.stats.rng import derive_seed

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from datetime import datetime

    from privgate.data import Release
    from privgate.engine.cache import Cache
    from privgate.evidence import RunEvidence
    from privgate.ledger import Ledger
    from privgate.metrics import Records
    from privgate.policy.bind import BoundPolicy
    from privgate.policy.verdict import Verdict
    from privgate.policy.waivers import Waiver, Waivers


@dataclass(frozen=True)
class Assessment:
    """What a check found. ``records`` hold scores of single records and are for internal eyes.

    They are of the rows of ``measured``: the release, or the sample of it that was measured.
    """

    evidence: RunEvidence
    verdict: Verdict
    measured: Release
    records: Mapping[str, tuple[Records, ...]]


def assess(
    release: Release,
    policy: BoundPolicy,
    *,
    seed: int | None = None,
    jobs: int = 1,
    executor: Executor | None = None,
    created: datetime | None = None,
    progress: Progress | None = None,
    debug: bool = False,
    waivers: Waivers | Iterable[Waiver] | None = None,
    ledger: Ledger | None = None,
    sample: int | None = None,
    cache: Cache | None = None,
) -> Assessment:
    """Return the evidence of a release and the verdict of a policy on it.

    Parameters
    ----------
    seed
        Seed of everything random. By default it follows from the content of the tables, their
        declaration and the policy, so that nobody can shop for a lucky one; a given seed is
        recorded as such.
    jobs
        Number of threads; changes no figure.
    executor
        Where the computations run in place of threads of this process, such as the workers of
        :func:`privgate.executors.dask.on_cluster`; changes no figure either.
    created
        Time of the run in UTC; by default the clock, or SOURCE_DATE_EPOCH. Waivers are judged for
        its day.
    waivers
        Findings that may stand, from :func:`privgate.policy.load_waivers` or written in Python.
        They change no figure and are listed in the verdict, also those that do not count.
    ledger
        Where the evaluation is written down; the evidence then tells what was judged before.
    sample
        Most rows of the largest table to be measured, in place of what the policy says. Of a larger
        release a sample is drawn, which can be violated and never met.
    cache
        Where finished measurements are kept until its ``forget`` is called, so that a run that was
        interrupted goes on where it stopped. It changes no digit.

    Raises
    ------
    InputError
        If the seed is out of range, the sample too small, or the ledger cannot be continued.
    ExecutorError
        If the executor broke down; then nothing was judged.
    """
    if seed is not None and not 0 <= seed < 2**53:
        raise InputError(Problem(f"the seed {seed} is out of range", remedy="give 0 to 2**53 - 1"))
    if ledger is not None:
        ledger.require_usable()
    progress = progress or Silent()
    planned = plan(policy)
    conditions = Conditions(
        seed=derived_seed(release, policy) if seed is None else seed,
        seed_source="derived" if seed is None else "given",
        confidence=policy.policy.confidence,
        created=created or now(),
        executor=executor or Threads(jobs),
        debug=debug,
        sample=wanted_sample(sample, policy.policy.sample),
    )
    progress.started(len(planned))
    try:
        run = measure(release, planned, conditions, progress, cache=cache)
    finally:
        progress.finished()
    judge = partial(check, policy, waivers=waivers)
    evidence, verdict = (
        (run.evidence, judge(run.evidence))
        if ledger is None
        else ledger.record(run.evidence, judge)
    )
    return Assessment(evidence, verdict, run.measured, run.records)


def derived_seed(release: Release, policy: BoundPolicy) -> int:
    """Return the seed that follows from a release's content, its declaration and the policy."""
    facts = release.facts
    return derive_seed(
        "privgate/seed/v1",
        *(f"{name}:{table.content_sha256}" for name, table in sorted(facts.tables.items())),
        facts.declaration_sha256,
        policy_facts(policy).sha256,
    )
