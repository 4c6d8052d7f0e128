"""Writes docs/built-in-policies.md: how often each built-in policy is right about known releases.

``python benchmarks/policy_calibration.py`` draws every fixture anew many times, measures each draw
once for all policies, and lets every policy judge it. Finished draws are kept in ``build/``, so an
interrupted run goes on where it stopped. About an hour on one processor.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter, defaultdict
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from privgate.engine.plan import plan
from privgate.engine.progress import Silent
from privgate.engine.run import Conditions, measure
from privgate.evidence import digest
from privgate.executors import Threads
from privgate.metrics import all_metrics
from privgate.policy import built_in_policies, check, open_policy
from privgate.policy.cases import cases_beside, open_cases
from privgate.policy.load import policy_file
from privgate.policy.verdict import Outcome
from privgate.stats.intervals import clopper_pearson
from privgate.stats.rng import derive_seed, generator
from privgate.trials.fixtures import Truth, built_in_fixtures
from privgate.trials.rehearsal import unfit, with_declarations

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from privgate.policy import BoundPolicy
    from privgate.trials.fixtures import Fixture
ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "built-in-policies.md"
KEPT = ROOT / "build" / "policy-calibration.jsonl"
SEED = 20261130
CREATED = datetime(2026, 1, 1, tzinfo=UTC)  # stands in evidence that is thrown away
MOST_FALSE_ALARMS = 0.05

INTRODUCTION = """\
# Built-in policies

Written by `python benchmarks/policy_calibration.py`; do not edit.

`privgate policy show NAME` prints a policy with the source and the reason of every limit. Most
limits are *house* decisions of this project: no law and no standard names a number. What they do
is measured here, on [releases whose truth is known](policy-tests.md), made of real records.

Each release is drawn anew, with other people on both sides, another generator and other leaks:
{honest} draws of each honest fixture, {leaking} of each leaking one. Two bounds were set before:
at most 5 % of a policy's honest releases are violated, and every leaking release is, unless the
policy's [test cases](policy-tests.md#test-cases) say that it is not made to see that leak.

These rates hold for these records, sizes and generators. They are no promise for other data: ask
`privgate calibrate` and `privgate power` about your own release. *Met* says how often an honest
release gets through; the others are mostly told that they are too small for the limits.

`card-example` misses its bound because it takes published scores at their word: its RAPID fraction
counts what is true of people in general, and the published NPL is above 0 by chance now and then.
It is there to learn by. `ci-smoke` is never met, as it only screens; no table of these releases is
larger than its sample of 5,000 rows, so every row was measured.
"""


@dataclass(frozen=True)
class Shipped:
    """A built-in policy with the leaks that it need not see."""

    bound: BoundPolicy
    exempt: dict[str, str]

    @property
    def id(self) -> str:
        """Return the policy's name."""
        return self.bound.policy.id

    @property
    def meaning(self) -> str:
        """Return a digest of what is measured and judged, whatever the words around it."""
        policy = self.bound.policy
        left_out = {"declared"}  # every fixture declares what the policy wants to be declared
        requires = policy.requires.model_dump(mode="json", exclude=left_out)
        words = {"source", "rationale", "waivable"}
        rules = [rule.rule.model_dump(mode="json", exclude=words) for rule in self.bound.rules]
        measured = sorted(rule.measurement_id for rule in self.bound.rules)
        return digest([policy.confidence, requires, rules, measured])


@dataclass(frozen=True)
class Judged:
    """What one policy made of one draw of one fixture."""

    policy: str
    fixture: str
    draw: int
    outcome: str
    stopped_by: tuple[str, ...]


def shipped_policies() -> list[Shipped]:
    """Return the built-in policies with their exemptions."""
    found = []
    for name in built_in_policies():
        bound = open_policy(name, all_metrics())
        cases = cases_beside(policy_file(name))
        exempt = open_cases(cases, bound).exempt if cases.is_file() else {}
        found.append(Shipped(bound, exempt))
    return found


def judged_draws(
    policies: Sequence[Shipped], *, honest: int, leaking: int, jobs: int
) -> Iterator[Judged]:
    """Yield what every policy made of every draw; each draw is measured once for all of them."""
    finished = kept_draws()
    for fixture in built_in_fixtures():
        for draw in range(honest if fixture.truth is Truth.HONEST else leaking):
            key = f"{fixture.name} {draw}"
            left = [policy for policy in policies if (policy.meaning, key) not in finished]
            if left:
                print(key, flush=True)
                finished |= judged(fixture, draw, left, jobs)
            for policy in policies:
                found = finished[policy.meaning, key]
                if found is not None:
                    yield replace(found, policy=policy.id)


def judged(
    fixture: Fixture, draw: int, policies: Sequence[Shipped], jobs: int
) -> dict[tuple[str, str], Judged | None]:
    """Return what each policy makes of one draw of a fixture, nothing where it does not admit it.

    A figure depends on the draw and on its own parameters, not on what else is measured.
    """
    key = f"{fixture.name} {draw}"
    release = fixture.draw(generator(SEED, key))
    able = [policy for policy in policies if unfit(release, policy.bound) is None]
    wanted = {entry.id: entry for policy in able for entry in plan(policy.bound)}
    (confidence,) = {policy.bound.policy.confidence for policy in policies}
    conditions = Conditions(
        seed=derive_seed("privgate/policy-calibration/v1", str(SEED), key),
        seed_source="derived",
        confidence=confidence,
        created=CREATED,
        executor=Threads(jobs),
    )
    evidence = measure(release, list(wanted.values()), conditions, Silent()).evidence
    found: dict[tuple[str, str], Judged | None] = {(it.meaning, key): None for it in policies}
    for policy in able:
        facts = with_declarations(release, policy.bound).facts
        verdict = check(policy.bound, evidence.model_copy(update={"release": facts}))
        stopped = tuple(
            rule.id
            for rule in verdict.rules
            if rule.severity == "blocking" and rule.outcome is Outcome.VIOLATED
        )
        outcome = verdict.outcome.value
        found[policy.meaning, key] = Judged(policy.id, fixture.name, draw, outcome, stopped)
    keep(found)
    return found


def kept_draws() -> dict[tuple[str, str], Judged | None]:
    """Return the draws that earlier runs made, by meaning of the policy and name of the draw."""
    found: dict[tuple[str, str], Judged | None] = {}
    if KEPT.is_file():
        for entry in map(json.loads, KEPT.read_text(encoding="utf-8").splitlines()):
            row = entry["judged"]
            made = row and Judged(**{**row, "stopped_by": tuple(row["stopped_by"])})
            found[entry["policy"], entry["key"]] = made
    return found


def keep(found: Mapping[tuple[str, str], Judged | None]) -> None:
    """Add a finished draw to the file."""
    KEPT.parent.mkdir(parents=True, exist_ok=True)
    with KEPT.open("a", encoding="utf-8") as stream:
        for (policy, key), it in found.items():
            entry = {"policy": policy, "key": key, "judged": it and vars(it)}
            stream.write(json.dumps(entry) + "\n")


def page(policies: Sequence[Shipped], found: Sequence[Judged], *, honest: int, leaking: int) -> str:
    """Return the page."""
    parts = [INTRODUCTION.format(honest=honest, leaking=leaking), overview(policies, found)]
    parts += [
        section(policy, [it for it in found if it.policy == policy.id]) for policy in policies
    ]
    return "\n".join(parts)


def overview(policies: Sequence[Shipped], found: Sequence[Judged]) -> str:
    """Return one line per policy: false alarms, how many pass, leaks stopped."""
    lines = [
        "| policy | honest: violated (95 % interval) | honest: met | leaking: violated | bounds |",
        "| -- | -- | -- | -- | -- |",
    ]
    for policy in policies:
        own = [it for it in found if it.policy == policy.id]
        lines.append(f"| [{policy.id}](#{policy.id}) | {' | '.join(summary(policy, own))} |")
    return "\n".join(lines) + "\n"


def summary(policy: Shipped, own: Sequence[Judged]) -> tuple[str, str, str, str]:
    """Return false alarms, passes, detections and whether the bounds hold, in words."""
    truths = {fixture.name: fixture for fixture in built_in_fixtures()}
    honest = [it for it in own if truths[it.fixture].truth is Truth.HONEST]
    leaking = [
        it
        for it in own
        if truths[it.fixture].truth is Truth.LEAKS
        and truths[it.fixture].treatment.name not in policy.exempt
    ]
    if not honest or not leaking:
        return "no fixture fits", "", "", "not tested"
    alarms = sum(it.outcome == "violated" for it in honest)
    caught = sum(it.outcome == "violated" for it in leaking)
    passed = sum(it.outcome == "met" for it in honest)
    interval = clopper_pearson(alarms, len(honest), level=0.95)
    ends = f"{100 * (interval.low or 0):.1f}–{100 * (interval.high or 0):.1f} %"
    holds = alarms <= MOST_FALSE_ALARMS * len(honest) and caught == len(leaking)
    return (
        f"{alarms} of {len(honest)} ({ends})",
        f"{passed} of {len(honest)}",
        f"{caught} of {len(leaking)}",
        "hold" if holds else "**missed**",
    )


def section(policy: Shipped, own: Sequence[Judged]) -> str:
    """Return what became of each fixture under one policy."""
    facts = policy.bound.policy
    lines = [f"## {policy.id}", "", f"{facts.title}. Version {facts.version}.", ""]
    for leak, reason in policy.exempt.items():
        lines.append(f"- `{leak}`: not for this policy to see: {reason}")
    if policy.exempt:
        lines.append("")
    draws: dict[str, list[Judged]] = defaultdict(list)
    for it in own:
        draws[it.fixture].append(it)
    if not draws:
        return "\n".join([*lines, "No fixture has the size and kind that this policy admits.", ""])
    lines += [
        "| fixture | truth | violated | not assessed | met | violated rules |",
        "| -- | -- | -- | -- | -- | -- |",
    ]
    lines += [
        line(fixture, draws[fixture.name]) for fixture in built_in_fixtures() if draws[fixture.name]
    ]
    return "\n".join([*lines, ""])


def line(fixture: Fixture, draws: Sequence[Judged]) -> str:
    """Return the counts of one fixture and how often each rule was violated."""
    counts = Counter(it.outcome for it in draws)
    rules = Counter(rule for it in draws for rule in it.stopped_by)
    named = ", ".join(f"{rule} {count}" for rule, count in rules.most_common())
    numbers = " | ".join(
        f"{counts[outcome]} of {len(draws)}" for outcome in ("violated", "not_assessed", "met")
    )
    return f"| {fixture.name} | {fixture.truth} | {numbers} | {named} |"


def main() -> None:
    """Read the command line, draw, judge and write the page."""
    parser = argparse.ArgumentParser(description="Calibrate the built-in policies.")
    parser.add_argument("--honest", type=int, default=20)
    parser.add_argument("--leaking", type=int, default=5)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--page", type=Path, default=PAGE)
    given = parser.parse_args()
    policies = shipped_policies()
    found = list(
        judged_draws(policies, honest=given.honest, leaking=given.leaking, jobs=given.jobs)
    )
    text = page(policies, found, honest=given.honest, leaking=given.leaking)
    given.page.write_text(text, encoding="utf-8")
    print(f"wrote {given.page}")


if __name__ == "__main__":
    main()
