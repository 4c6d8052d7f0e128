"""A policy rehearsed on releases of known truth: whom would it have stopped, and by which rule."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING

from privgate.data import Distance
from privgate.encoding import space_of
from privgate.engine import Silent
from privgate.engine.plan import missing_need
from privgate.errors import NotAssessable
from privgate.evidence import Need
from privgate.executors import Executor, Threads
from privgate.policy.coverage import table_requirements
from privgate.policy.stated_evidence import filled_in
from privgate.policy.verdict import Outcome
from privgate.stats.rng import generator
from privgate.trials.fixtures import Truth
from privgate.trials.fixtures.published import suppressed_counts
from privgate.trials.repeat import judged

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from privgate.data import Release
    from privgate.engine import Progress
    from privgate.policy import BoundPolicy
    from privgate.trials.fixtures import Fixture
    from privgate.trials.repeat import TrialResult

SEED = 20261130  # fixtures are the same people on every machine


class Answer(StrEnum):
    """What a policy made of a fixture, held against the truth.

    ``EXEMPT`` is a leak that the policy let through and says it is not made for. The last two count
    neither for nor against it.
    """

    RIGHT = "right"
    WRONG = "wrong"
    EXEMPT = "exempt"
    NOT_FOR_POLICY = "not for this policy"
    NOT_INSTALLED = "not installed"


UNTRIED = frozenset({Answer.NOT_FOR_POLICY, Answer.NOT_INSTALLED})


@dataclass(frozen=True, kw_only=True)
class Rehearsed:
    """A fixture and what a policy made of it.

    ``stopped_by`` are the violated blocking rules, ``noticed_by`` the violated advisory ones, and
    ``open_rules`` the blocking ones that could not be assessed.
    """

    fixture: Fixture
    answer: Answer
    outcome: Outcome | None = None
    stopped_by: tuple[str, ...] = ()
    noticed_by: tuple[str, ...] = ()
    open_rules: tuple[str, ...] = ()
    reason: str | None = None

    @property
    def excused(self) -> bool:
        """Return whether the policy let a leak through that it is exempt from seeing."""
        return self.answer is Answer.EXEMPT


def rehearse(
    policy: BoundPolicy,
    fixtures: Sequence[Fixture],
    *,
    exempt: Mapping[str, str] | None = None,
    seed: int = SEED,
    jobs: int = 1,
    progress: Progress | None = None,
) -> tuple[Rehearsed, ...]:
    """Return what a policy makes of each fixture.

    An honest fixture is answered right if the policy is not violated, a leaking one if it is.

    Parameters
    ----------
    exempt
        Names of treatments whose leaks the policy need not see, each with the reason.
    """
    progress = progress or Silent()
    progress.started(len(fixtures))
    found = []
    try:
        for fixture in fixtures:
            progress.stage(fixture.name)
            found.append(_rehearsed(fixture, policy, exempt or {}, seed, Threads(jobs)))
    finally:
        progress.finished()
    return tuple(found)


def representative(
    fixtures: Sequence[Fixture], policy: BoundPolicy, *, seed: int = SEED
) -> list[Fixture]:
    """Return the fixtures of the first installed table and of the first array a policy admits.

    What is not installed stays in the list, so that people are told.
    """
    chosen: dict[bool, str] = {}
    for fixture in fixtures:
        source = fixture.source
        if source.is_installed and source.is_array not in chosen:
            if misplaced(fixture, policy) is not None:
                continue
            release = with_declarations(fixture.draw(generator(seed, fixture.name)), policy)
            if unfit(release, policy) is None:
                chosen[source.is_array] = source.name
    return [
        fixture
        for fixture in fixtures
        if fixture.source.name in chosen.values() or not fixture.source.is_installed
    ]


def misplaced(fixture: Fixture, policy: BoundPolicy) -> str | None:
    """Return why a fixture is not made for a policy, or ``None``.

    A policy that limits re-identification stops every release in which people are known exactly,
    as it is meant to, so it is asked about releases in bands, and no other policy is.
    """
    judged = {rule.metric.name for rule in policy.rules if rule.rule.is_blocking}
    in_bands = "reidentification" in judged
    if fixture.source.in_bands and not in_bands:
        return "These records are in bands, for policies that limit re-identification."
    if in_bands and not fixture.source.in_bands and not fixture.source.is_array:
        return (
            "People are known exactly here, which a policy that limits re-identification is made "
            "to stop; it is asked about records in bands."
        )
    seen_by = fixture.treatment.seen_by
    if seen_by is not None and seen_by not in judged:
        return f"What is published here is for policies that judge {seen_by}."
    return None


def unfit(release: Release, policy: BoundPolicy) -> str | None:
    """Return why a policy could never be met by tables of this size and kind, or ``None``."""
    return next(_obstacles(release, policy), None)


def with_declarations(release: Release, policy: BoundPolicy) -> Release:
    """Return the release with everything declared that the policy wants to be declared.

    Where it judges published tables and there are none yet, these are counts without small ones.
    """
    places = policy.policy.requires.declared
    facts = release.facts.model_copy(
        update={name: filled_in(places, name) for name in ("generator", "context")}
    )
    declared = replace(release, facts=facts)
    judged = {need for rule in policy.rules for need in rule.metric.card.needs}
    if Need.PUBLISHED_TABLES in judged and release.published is None:
        return declared.accompanied_by(() if release.is_array else (suppressed_counts(release),))
    return declared


def _obstacles(release: Release, policy: BoundPolicy) -> Iterator[str]:
    for requirement in table_requirements(policy.policy.requires, release.facts):
        if not requirement.satisfied:
            yield requirement.reason
    for rule in policy.rules:
        if not rule.rule.is_blocking:
            continue
        if lacking := missing_need(rule.metric, release):
            yield f"The rule {rule.rule.id!r} cannot be assessed: {lacking}."
        distance = getattr(rule.params, "distance", None)
        if isinstance(distance, Distance):
            try:
                space_of(release, distance)
            except NotAssessable as reason:
                yield f"The rule {rule.rule.id!r} cannot be assessed: {reason}."


def _rehearsed(
    fixture: Fixture,
    policy: BoundPolicy,
    exempt: Mapping[str, str],
    seed: int,
    executor: Executor,
) -> Rehearsed:
    if not fixture.source.is_installed:
        absent = f"The package {fixture.source.package} with its records is not installed."
        return Rehearsed(fixture=fixture, answer=Answer.NOT_INSTALLED, reason=absent)
    if reason := misplaced(fixture, policy):
        return Rehearsed(fixture=fixture, answer=Answer.NOT_FOR_POLICY, reason=reason)
    whole = with_declarations(fixture.draw(generator(seed, fixture.name)), policy)
    if reason := unfit(whole, policy):
        return Rehearsed(fixture=fixture, answer=Answer.NOT_FOR_POLICY, reason=reason)
    result = judged(fixture.name, whole, policy, seed=seed, executor=executor)
    excuse = exempt.get(fixture.treatment.name)
    answer = _answer(fixture.truth, result.outcome, exempt=excuse is not None)
    return Rehearsed(
        fixture=fixture,
        answer=answer,
        outcome=result.outcome,
        stopped_by=_rules(policy, result, Outcome.VIOLATED, blocking=True),
        noticed_by=_rules(policy, result, Outcome.VIOLATED, blocking=False),
        open_rules=_rules(policy, result, Outcome.NOT_ASSESSED, blocking=True),
        reason=excuse if answer is Answer.EXEMPT else None,
    )


def _answer(truth: Truth, outcome: Outcome, *, exempt: bool) -> Answer:
    if (truth is Truth.LEAKS) == (outcome is Outcome.VIOLATED):
        return Answer.RIGHT
    return Answer.EXEMPT if exempt and truth is Truth.LEAKS else Answer.WRONG


def _rules(
    policy: BoundPolicy, result: TrialResult, outcome: Outcome, *, blocking: bool
) -> tuple[str, ...]:
    return tuple(
        rule.rule.id
        for rule in policy.rules
        if rule.rule.is_blocking == blocking and result.rules[rule.rule.id].outcome is outcome
    )
