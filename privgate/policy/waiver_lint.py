"""What a careful reader would ask about a waivers file before anybody relies on it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from privgate.data.documents import dotted, problem_at
from privgate.policy.coverage import able_rules
from privgate.policy.lint import GRAVITY, Level
from privgate.policy.waiving import Fault, day_faults, file_faults, rule_faults

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from datetime import date

    from privgate.errors import Problem
    from privgate.policy.bind import BoundPolicy
    from privgate.policy.waivers import Waiver, Waivers


@dataclass(frozen=True)
class WaiverFinding:
    """One question about a waiver, with its place in the file and what to do."""

    level: Level
    problem: Problem

    def __str__(self) -> str:
        return f"{self.level}: {self.problem}"


def lint_waivers(
    waivers: Waivers,
    today: date,
    *,
    policy: BoundPolicy | None = None,
    synthetic_sha256: str | None = None,
) -> list[WaiverFinding]:
    """Return what keeps waivers from counting on a given day, and more, the gravest first.

    Rules can be looked up only in a policy, and the file that a waiver is bound to only if its
    digest is known. Whether a waiver is needed is for a check to say.
    """
    found = [
        WaiverFinding(Level.ERROR, problem)
        for entry in waivers.entries
        for problem in entry.problems
    ]
    sound: dict[int, Waiver] = {}
    for position, waiver in _well_formed(waivers).items():
        raised = [*_faults(waiver, today, policy, synthetic_sha256)]
        found += [_finding(waivers, position, level, fault) for level, fault in raised]
        if all(level is not Level.ERROR for level, _ in raised):
            sound[position] = waiver
    for position, level, fault in (*_repeated(sound), *_without_effect(sound, policy)):
        found.append(_finding(waivers, position, level, fault))
    return sorted(found, key=lambda finding: GRAVITY[finding.level])


def _well_formed(waivers: Waivers) -> dict[int, Waiver]:
    return {i: entry.waiver for i, entry in enumerate(waivers.entries) if entry.waiver is not None}


def _finding(waivers: Waivers, position: int, level: Level, fault: Fault) -> WaiverFinding:
    place = ("waivers", position, fault.field)
    return WaiverFinding(level, problem_at(waivers.document, place, fault.message, fault.remedy))


def _faults(
    waiver: Waiver, today: date, policy: BoundPolicy | None, synthetic_sha256: str | None
) -> Iterator[tuple[Level, Fault]]:
    if policy is not None:
        yield from ((Level.ERROR, fault) for fault in rule_faults(waiver, policy))
    if synthetic_sha256 is not None:
        yield from ((Level.ERROR, fault) for fault in file_faults(waiver, synthetic_sha256))
    for fault in day_faults(waiver, today):
        yield Level.WARNING if fault.field == "granted" else Level.ERROR, fault


def _repeated(sound: Mapping[int, Waiver]) -> Iterator[tuple[int, Level, Fault]]:
    first: dict[tuple[str, str], int] = {}
    for position, waiver in sound.items():
        earlier = first.setdefault((waiver.rule, waiver.release_sha256), position)
        if earlier != position:
            message = f"{dotted(('waivers', earlier))} names the same rule and synthetic file"
            remedy = "the first that counts covers the rule; keep one"
            yield position, Level.WARNING, Fault("rule", message, remedy)


def _without_effect(
    sound: Mapping[int, Waiver], policy: BoundPolicy | None
) -> Iterator[tuple[int, Level, Fault]]:
    """Yield waivers that would not open the gate even where they count."""
    if policy is None:
        return
    waived = {waiver.rule for waiver in sound.values()}
    blocking = {rule.rule.id for rule in policy.rules if rule.rule.is_blocking}
    for position, waiver in sound.items():
        if waiver.rule not in blocking:
            fault = Fault(
                "rule", "the rule is advisory and stops nothing", "a waiver is not needed"
            )
            yield position, Level.NOTE, fault
        for criterion in policy.policy.requires.coverage:
            able = able_rules(criterion, policy)
            if waiver.rule in able and able <= waived:
                message = f"only waived rules could satisfy {criterion.value!r}, which is required"
                remedy = (
                    "mend the finding, or have the policy measure it by a further blocking rule"
                )
                yield position, Level.WARNING, Fault("rule", message, remedy)
