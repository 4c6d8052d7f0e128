"""The canary test: leaks of known size are planted, and the policy judges again and again.

A policy that a release meets says little unless it would have stopped a release that leaks. On this
very data, with these very rules, the study counts how often it does, by size and kind of leak.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from privgate.errors import InputError, Problem
from privgate.evidence import PlantedLeak, PowerStudy
from privgate.policy.verdict import Outcome
from privgate.trials.leak import Leak
from privgate.trials.study import Study
from privgate.trials.trial import Trial, unaltered, with_leak

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from privgate.data import Release
    from privgate.engine import Progress
    from privgate.executors import Executor
    from privgate.policy import BoundPolicy
    from privgate.trials.repeat import TrialResult

SHARES = (0.005, 0.01, 0.02, 0.05, 0.1)
FIELDS = (0.5, 0.75, 1.0)
TRIALS = 20


@dataclass(frozen=True, kw_only=True)
class PowerPlan:
    """Which leaks are planted, and how often each.

    Every share of records is combined with every share of fields, and with all fields perturbed.
    """

    shares: tuple[float, ...] = SHARES
    fields: tuple[float, ...] = FIELDS
    trials: int = TRIALS

    def __post_init__(self) -> None:
        """Refuse what cannot be planted.

        Raises
        ------
        InputError
            If a share lies outside (0, 1], or there is nothing to try.
        """
        problems = [
            Problem(f"{name} {number:g} is not above 0 and at most 1", remedy="give 0.05 for 5 %")
            for name, numbers in (("the share", self.shares), ("the share of fields", self.fields))
            for number in numbers
            if not 0 < number <= 1
        ]
        if not self.shares or not self.fields or self.trials < 1:
            problems.append(Problem("there is nothing to try", remedy="give a share, 1 trial"))
        if problems:
            raise InputError(problems)

    def leaks(self) -> tuple[Leak, ...]:
        """Return the leaks, strongest kind first."""
        kinds = [(fields, False) for fields in sorted(set(self.fields), reverse=True)]
        return tuple(
            Leak(share, *kind)
            for kind in [*kinds, (1.0, True)]
            for share in sorted(set(self.shares))
        )


def measure_power(
    release: Release,
    policy: BoundPolicy,
    plan: PowerPlan | None = None,
    *,
    seed: int | None = None,
    jobs: int = 1,
    executor: Executor | None = None,
    kept: Path | None = None,
    progress: Progress | None = None,
) -> PowerStudy:
    """Return how often a policy catches planted leaks in a release.

    The arguments beside the plan are those of :class:`privgate.trials.study.Study`.

    Raises
    ------
    InputError
        If ``kept`` holds trials of another study.
    """
    plan = plan or PowerPlan()
    study = Study(
        release=release,
        policy=policy,
        given_seed=seed,
        jobs=jobs,
        executor=executor,
        kept=kept,
        progress=progress,
    )
    leaks = plan.leaks()
    results = study.results(_trials(leaks, plan.trials))
    return PowerStudy(
        **study.facts(),
        rules={rule.rule.id: rule.rule.severity.value for rule in policy.rules},
        unplanted=_counted(None, release, results, plan.trials),
        planted=tuple(_counted(leak, release, results, plan.trials) for leak in leaks),
    )


def _trials(leaks: Sequence[Leak], trials: int) -> list[Trial]:
    made = [Trial(f"unplanted {number}", "nothing planted", unaltered) for number in range(trials)]
    return made + [
        Trial(f"{_key(leak)} {number}", _title(leak), partial(with_leak, leak))
        for leak in leaks
        for number in range(trials)
    ]


def _key(leak: Leak) -> str:
    return f"{leak.share!r} of records, {leak.fields!r} of fields, perturbed {leak.perturbed}"


def _title(leak: Leak) -> str:
    how = "copied, numbers moved" if leak.perturbed else "copied"
    records, fields = 100 * leak.share, 100 * leak.fields
    return f"{records:.3g} % of the records, {fields:.3g} % of their fields {how}"


def _counted(
    leak: Leak | None, release: Release, results: Mapping[str, TrialResult], trials: int
) -> PlantedLeak:
    key = "unplanted" if leak is None else _key(leak)
    own = [results[f"{key} {number}"] for number in range(trials)]
    return PlantedLeak(
        share=0.0 if leak is None else leak.share,
        fields=1.0 if leak is None else leak.fields,
        perturbed=False if leak is None else leak.perturbed,
        records=0 if leak is None else leak.records(release.synthetic.rows),
        trials=trials,
        caught={
            rule: sum(result.rules[rule].outcome is Outcome.VIOLATED for result in own)
            for rule in own[0].rules
        },
        stopped=sum(result.outcome is Outcome.VIOLATED for result in own),
    )
