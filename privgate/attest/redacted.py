"""What can be judged again on evidence from which small counts were taken out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from privgate.errors import Problem
from privgate.policy.check import policy_facts, release_outcome
from privgate.policy.coverage import coverage_verdicts
from privgate.policy.verdict import Outcome

if TYPE_CHECKING:
    from collections.abc import Iterator

    from privgate.attest.stored import StoredCheck
    from privgate.evidence import Estimate
    from privgate.policy.verdict import RuleVerdict


def resting_on_withheld(stored: StoredCheck) -> tuple[str, ...]:
    """Return the ids of the rules that come out otherwise for want of withheld figures."""
    return tuple(
        rule.id
        for rule, again in _rules(stored)
        if again is not None and again != rule and _may_rest_on_withheld(rule, stored)
    )


def redacted_problems(stored: StoredCheck, file: str) -> Iterator[Problem]:
    """Yield every contradiction between a redacted verdict, its policy and redacted evidence."""
    verdict = stored.verdict
    if policy_facts(stored.policy) != verdict.policy:
        yield _problem("the policy is not the one that the verdict names", file)
    for rule, again in _rules(stored):
        if again is None or _stated(rule) != _stated(again):
            yield _problem(f"rule {rule.id!r} is not as in the policy", file)
        elif again != rule and not _may_rest_on_withheld(rule, stored):
            yield _problem(f"judging rule {rule.id!r} again gives another result", file)
    if len(verdict.rules) != len(stored.policy.rules):
        yield _problem("the verdict has other rules than the policy", file)
    if coverage_verdicts(stored.policy, verdict.rules) != verdict.coverage:
        yield _problem("the coverage does not follow from the rules", file)
    yield from _demand_problems(stored, file)
    yield from _waiver_problems(stored, file)
    outcome = release_outcome(verdict.rules, verdict.requirements, verdict.coverage)
    if (verdict.outcome, verdict.exit_code) != (outcome, int(outcome.exit_code)):
        yield _problem("the outcome does not follow from the rules", file)


def _demand_problems(stored: StoredCheck, file: str) -> Iterator[Problem]:
    found, again = stored.verdict.requirements, stored.found_again.requirements
    if [demand.name for demand in found] != [demand.name for demand in again]:
        yield _problem("the verdict has other requirements than the policy", file)
        return
    for demand, expected in zip(found, again, strict=True):
        # A word in place of a number says that the number is withheld.
        if demand != expected and not isinstance(demand.seen, str):
            yield _problem(f"requirement {demand.name!r} does not follow from the evidence", file)


def _rules(stored: StoredCheck) -> Iterator[tuple[RuleVerdict, RuleVerdict | None]]:
    """Yield every rule as it was found, and what it comes to now, if the policy has it.

    Waivers change no finding, and their text need not be attached.
    """
    again = {rule.id: rule for rule in stored.found_again.rules}
    for rule in stored.verdict.rules:
        found = rule.model_copy(update={"outcome": rule.finding, "waiver": None})
        yield found, again.get(rule.id)


def _waiver_problems(stored: StoredCheck, file: str) -> Iterator[Problem]:
    """Yield rules that are waived although no waiver counted, or the policy forbids it."""
    waivable = {rule.rule.id for rule in stored.policy.rules if rule.rule.waivable}
    counted = {waiver.rule for waiver in stored.verdict.waivers if waiver.counted}
    for rule in stored.verdict.rules:
        if rule.outcome is Outcome.WAIVED and rule.id not in waivable & counted:
            yield _problem(f"rule {rule.id!r} is waived, but no waiver of it can count", file)


def _stated(rule: RuleVerdict) -> tuple[object, ...]:
    """Return what a rule has from the policy, whatever its figures."""
    limits = tuple(sorted(rule.require.items()))
    return rule.metric, rule.measure, rule.measurement, rule.severity, rule.judge, limits


def _may_rest_on_withheld(rule: RuleVerdict, stored: StoredCheck) -> bool:
    """Return whether figures that are missing can explain that a rule comes out otherwise now.

    They cannot if a figure that is there breaks the limit: then it broke it before, too.
    """
    again = {item.id: item for item in stored.found_again.rules}[rule.id]
    if again.finding is Outcome.VIOLATED and rule.finding is not Outcome.VIOLATED:
        return False
    return any(figure is None or figure.value is None for figure in _figures(rule, stored))


def _figures(rule: RuleVerdict, stored: StoredCheck) -> Iterator[Estimate | None]:
    for measurement in stored.evidence.measurements:
        if measurement.id == rule.measurement:
            yield measurement.figures.get(rule.measure)
            yield from (part.figures.get(rule.measure) for part in measurement.parts)


def _problem(message: str, file: str) -> Problem:
    return Problem(message, file=file, path="verdict.json")
