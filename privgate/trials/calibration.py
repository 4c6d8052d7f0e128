"""Limits calibrated on the data at hand: what honest releases and planted leaks look like here.

The base is the real people divided anew into train and holdout: sizes, synthetic table and all its
peculiarities are those of the release, only what is specific to train is gone. A holdout published
as if it were synthetic, and a synthetic table with shuffled secrets, stand beside it, as do leaks.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from privgate.data import Role
from privgate.errors import InputError, Problem
from privgate.evidence import CalibrationStudy, Draws, Need, RuleCalibration
from privgate.policy.judge import judge_figure
from privgate.policy.verdict import Outcome
from privgate.trials.leak import Leak
from privgate.trials.nulls import holdout_as_synthetic, relabelled, shuffled_secrets
from privgate.trials.proposals import proposed_limit
from privgate.trials.study import Study
from privgate.trials.trial import Trial, altered, with_leak

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from numpy.random import Generator

    from privgate.data import Release
    from privgate.engine import Progress
    from privgate.executors import Executor
    from privgate.metrics import Inputs
    from privgate.policy import BoundPolicy, Limit
    from privgate.policy.bind import BoundRule
    from privgate.trials.repeat import RuleResult

RELABELLED = "real people divided anew"
HOLDOUT = "holdout published as synthetic"
SHUFFLED = "synthetic secrets shuffled"
LEAKS = (Leak(0.01), Leak(0.05))


@dataclass(frozen=True, kw_only=True)
class CalibrationPlan:
    """How many draws are made of each honest scenario, and which leaks are planted how often."""

    draws: int = 39
    false_alarms: float = 0.05
    leaks: tuple[Leak, ...] = LEAKS
    leak_trials: int = 10

    def __post_init__(self) -> None:
        """Refuse what cannot be drawn.

        Raises
        ------
        InputError
            If a number is out of range.
        """
        if not 0 < self.false_alarms < 0.5:
            message = f"a false-alarm level of {self.false_alarms:g} is not between 0 and 0.5"
            raise InputError(Problem(message, remedy="give 0.05 for 5 %"))
        if self.draws < 1 or self.leak_trials < 1:
            raise InputError(Problem("there is nothing to draw", remedy="give at least 1 draw"))


@dataclass(frozen=True)
class _Scenario:
    name: str
    leaks: bool
    trials: int
    make: Callable[[Inputs, Generator], Release]

    def key(self, number: int) -> str:
        return f"{self.name} {number}"


def calibrate(
    release: Release,
    policy: BoundPolicy,
    plan: CalibrationPlan | None = None,
    *,
    seed: int | None = None,
    jobs: int = 1,
    executor: Executor | None = None,
    kept: Path | None = None,
    progress: Progress | None = None,
) -> CalibrationStudy:
    """Return what a policy's rules say of honest and of leaking releases, and limits that follow.

    The arguments beside the plan are those of :class:`privgate.trials.study.Study`.

    Raises
    ------
    InputError
        If there is no holdout: without one no release is known to be honest. Also if ``kept`` holds
        trials of another study.
    """
    plan = plan or CalibrationPlan()
    if release.holdout is None:
        message = "the release has no holdout table, so there is no honest release to compare with"
        raise InputError(Problem(message, remedy="add people the generator never saw"))
    study = Study(
        release=release,
        policy=policy,
        given_seed=seed,
        jobs=jobs,
        executor=executor,
        kept=kept,
        progress=progress,
    )
    scenarios = _scenarios(release, plan)
    results = study.results(
        [Trial(s.key(n), s.name, s.make) for s in scenarios for n in range(s.trials)]
    )

    def said(rule: BoundRule, scenario: _Scenario) -> list[RuleResult]:
        return [results[scenario.key(n)].rules[rule.rule.id] for n in range(scenario.trials)]

    return CalibrationStudy(
        **study.facts(),
        false_alarms=plan.false_alarms,
        rules=tuple(
            _rule(rule, {s: said(rule, s) for s in scenarios if _applies(s, rule)}, plan)
            for rule in policy.rules
        ),
    )


def _scenarios(release: Release, plan: CalibrationPlan) -> list[_Scenario]:
    honest = {RELABELLED: relabelled, HOLDOUT: holdout_as_synthetic}
    if release.with_role(Role.SENSITIVE):
        honest[SHUFFLED] = shuffled_secrets
    return [
        *(
            _Scenario(name, leaks=False, trials=plan.draws, make=partial(altered, make))
            for name, make in honest.items()
        ),
        *(
            _Scenario(
                f"{100 * leak.share:.3g} % of the records copied",
                leaks=True,
                trials=plan.leak_trials,
                make=partial(with_leak, leak),
            )
            for leak in plan.leaks
        ),
    ]


def _applies(scenario: _Scenario, rule: BoundRule) -> bool:
    """Leave shuffled secrets to the metrics that look for one."""
    return scenario.name != SHUFFLED or Need.SENSITIVE in rule.metric.card.needs


def _rule(
    bound: BoundRule, said: dict[_Scenario, list[RuleResult]], plan: CalibrationPlan
) -> RuleCalibration:
    base = next(results for scenario, results in said.items() if scenario.name == RELABELLED)
    found, reason = proposed_limit(
        _numbers([result.judged for result in base]),
        limit=bound.rule.require,
        spec=bound.figure,
        level=plan.false_alarms,
        draws=plan.draws,
    )
    return RuleCalibration(
        id=bound.rule.id,
        metric=bound.metric.name,
        measure=bound.measure,
        title=bound.figure.title,
        kind=bound.figure.kind,
        severity=bound.rule.severity.value,
        require={name: float(number) for name, number in bound.rule.require.stated.items()},
        draws=tuple(_draws(scenario, results, found, bound) for scenario, results in said.items()),
        proposed=None if found is None else {n: float(v) for n, v in found.stated.items()},
        reason=reason,
    )


def _draws(
    scenario: _Scenario, results: Sequence[RuleResult], limit: Limit | None, bound: BoundRule
) -> Draws:
    proposed = {} if limit is None else _counts([_again(r, limit, bound) for r in results])
    return Draws(
        scenario=scenario.name,
        leaks=scenario.leaks,
        values=tuple(_numbers([r.figure.value for r in results if r.figure is not None])),
        judged=tuple(_numbers([result.judged for result in results])),
        answers=_counts([result.outcome for result in results]),
        proposed=proposed,
    )


def _again(result: RuleResult, limit: Limit, bound: BoundRule) -> Outcome:
    """Return what another limit makes of the figure of a trial."""
    if result.figure is None:
        return Outcome.NOT_ASSESSED
    return judge_figure(
        result.figure,
        limit=limit,
        spec=bound.figure,
        judge=bound.rule.judge,
        confidence=result.figure.level or 0.0,  # already held against the policy's by the trial
    ).outcome


def _numbers(found: Sequence[float | None]) -> list[float]:
    return sorted(float(number) for number in found if number is not None)


def _counts(outcomes: Sequence[Outcome]) -> dict[str, int]:
    known = (Outcome.MET, Outcome.VIOLATED, Outcome.NOT_ASSESSED)
    return {str(outcome): outcomes.count(outcome) for outcome in known}
