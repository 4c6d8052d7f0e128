"""Writes docs/built-in-policies.md: how often each built-in policy is right about known releases.

``python benchmarks/policy_calibration.py`` draws every fixture anew many times, measures each draw
once for all policies, and lets every policy judge it. Measurements are kept in ``build/``, so an
interrupted run goes on where it stopped, and a policy that asks nothing new is judged at once.
About an hour on one processor.

With ``--policy NAME`` only these policies are measured. The rows of the others stay as the page has
them: a draw depends on its fixture and number alone, so theirs would come out the same, unless a
metric, a fixture or their policy has changed since. Their version is compared, the rest is not.
"""

from __future__ import annotations

import argparse
import re
from collections import Counter, defaultdict
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from privgate.engine.plan import plan
from privgate.engine.progress import Silent
from privgate.engine.run import Conditions, measure
from privgate.evidence import Measurement, canonical_bytes
from privgate.executors import Threads
from privgate.metrics import all_metrics
from privgate.policy import built_in_policies, check, open_policy
from privgate.policy.cases import cases_beside, open_cases
from privgate.policy.load import policy_file
from privgate.policy.verdict import Outcome
from privgate.stats.intervals import clopper_pearson
from privgate.stats.rng import derive_seed, generator
from privgate.trials.fixtures import Truth, built_in_fixtures
from privgate.trials.rehearsal import misplaced, unfit, with_declarations

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from privgate.data import Release
    from privgate.evidence import RunEvidence
    from privgate.policy import BoundPolicy
    from privgate.trials.fixtures import Fixture
ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "built-in-policies.md"
KEPT = ROOT / "build" / "policy-calibration"
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

`ema-0070-public` is measured on records in which people are known by bands that many share, as its
publishers make them. `cms-cell-11` sees every fixture beside a table of counts without small cells.
"""
TOO_EXACT = """\
The same policy on records in which people are known exactly, by age in years or ink in grey levels.
These count in no rate above: a published combination that one person has by chance is that
person's, and the policy is made to stop it, in an honest release, too. Values published a little
altered match nobody, and its first rule does not stop them. Put what people are known by in bands.
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
    for fixture in built_in_fixtures():
        asked = [policy for policy in policies if shown(fixture, policy)]
        for draw in range(honest if fixture.truth is Truth.HONEST else leaking) if asked else ():
            yield from judged(fixture, draw, asked, jobs)


def shown(fixture: Fixture, policy: Shipped) -> bool:
    """Return whether the page tells what a policy makes of a fixture.

    It does where the fixture is made for the policy, and where people are known too exactly for it.
    """
    return misplaced(fixture, policy.bound) is None or too_exact(fixture, policy)


def too_exact(fixture: Fixture, policy: Shipped) -> bool:
    """Return whether a policy on re-identification meets people who are known exactly."""
    judged = {rule.metric.name for rule in policy.bound.rules}
    exact = not (fixture.source.in_bands or fixture.source.is_array or fixture.treatment.seen_by)
    return exact and "reidentification" in judged


def judged(fixture: Fixture, draw: int, policies: Sequence[Shipped], jobs: int) -> Iterator[Judged]:
    """Yield what each policy that admits it makes of one draw of a fixture."""
    key = f"{fixture.name} {draw}"
    release = fixture.draw(generator(SEED, key))
    whole = {policy.id: with_declarations(release, policy.bound) for policy in policies}
    able = [policy for policy in policies if unfit(whole[policy.id], policy.bound) is None]
    for policy in able:
        evidence = measured(whole[policy.id], policy.bound, key, jobs)
        verdict = check(policy.bound, evidence)
        stopped = tuple(
            rule.id
            for rule in verdict.rules
            if rule.severity == "blocking" and rule.outcome is Outcome.VIOLATED
        )
        yield Judged(policy.id, fixture.name, draw, verdict.outcome.value, stopped)


def measured(release: Release, policy: BoundPolicy, key: str, jobs: int) -> RunEvidence:
    """Return the evidence that a policy asks for, measurements of earlier policies among it.

    A figure depends on the draw and on its own parameters, not on what else is measured.
    """
    planned = plan(policy)
    kept = kept_measurements(key)
    left = [entry for entry in planned if entry.id not in kept]
    if left:
        print(key, *(entry.id for entry in left), flush=True)
    conditions = Conditions(
        seed=derive_seed("privgate/policy-calibration/v1", str(SEED), key),
        seed_source="derived",
        confidence=policy.policy.confidence,
        created=CREATED,
        executor=Threads(jobs),
    )
    evidence = measure(release, left, conditions, Silent()).evidence
    keep(key, evidence.measurements)
    known = kept | {found.id: found for found in evidence.measurements}
    return evidence.model_copy(
        update={
            "cards": {entry.metric.name: entry.metric.card for entry in planned},
            "measurements": tuple(known[entry.id] for entry in planned),
        }
    )


def kept_measurements(key: str) -> dict[str, Measurement]:
    """Return what earlier runs measured on a draw, by id."""
    file = KEPT / f"{key.replace('/', ' ')}.jsonl"
    if not file.is_file():
        return {}
    lines = file.read_bytes().splitlines()
    found = [Measurement.model_validate_json(line) for line in lines if line.endswith(b"}")]
    return {measurement.id: measurement for measurement in found}


def keep(key: str, measurements: Sequence[Measurement]) -> None:
    """Add what was measured on a draw to its file, without pictures."""
    KEPT.mkdir(parents=True, exist_ok=True)
    with (KEPT / f"{key.replace('/', ' ')}.jsonl").open("ab") as stream:
        for found in measurements:
            parts = tuple(part.model_copy(update={"charts": ()}) for part in found.parts)
            bare = found.model_copy(update={"charts": (), "parts": parts})
            stream.write(canonical_bytes(bare) + b"\n")


def page(
    policies: Sequence[Shipped],
    found: Sequence[Judged],
    *,
    honest: int,
    leaking: int,
    kept: str = "",
) -> str:
    """Return the page; policies of which nothing was found keep what the page ``kept`` has."""
    rows, sections = rows_of(kept), sections_of(kept)
    for policy in policies:
        own = [it for it in found if it.policy == policy.id]
        if own or policy.id not in sections:
            rows[policy.id] = (
                f"| [{policy.id}](#{policy.id}) | {' | '.join(summary(policy, own))} |"
            )
            sections[policy.id] = section(policy, own)
        elif headline(policy) not in sections[policy.id]:
            raise SystemExit(f"{policy.id} has another version than on the page: measure it, too")
    names = [policy.id for policy in policies]
    table = [
        "| policy | honest: violated (95 % interval) | honest: met | leaking: violated | bounds |",
        "| -- | -- | -- | -- | -- |",
        *(rows[name] for name in names),
        "",
    ]
    head = INTRODUCTION.format(honest=honest, leaking=leaking)
    return "\n".join([head, "\n".join(table), *(sections[name] for name in names)])


def rows_of(text: str) -> dict[str, str]:
    """Return the overview's row of each policy on a page."""
    rows = re.finditer(r"^\| \[([a-z0-9-]+)\]\(#.*$", text, re.MULTILINE)
    return {found[1]: found[0] for found in rows}


def sections_of(text: str) -> dict[str, str]:
    """Return the section of each policy on a page."""
    parts = re.split(r"^(?=## )", text, flags=re.MULTILINE)[1:]
    return {part.split("\n", 1)[0].removeprefix("## "): part.rstrip("\n") + "\n" for part in parts}


def headline(policy: Shipped) -> str:
    """Return what a section says of the policy first."""
    facts = policy.bound.policy
    return f"{facts.title}. Version {facts.version}."


def summary(policy: Shipped, own: Sequence[Judged]) -> tuple[str, str, str, str]:
    """Return false alarms, passes, detections and whether the bounds hold, in words."""
    truths = {fixture.name: fixture for fixture in built_in_fixtures()}
    own = [it for it in own if not too_exact(truths[it.fixture], policy)]
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
    lines = [f"## {policy.id}", "", headline(policy), ""]
    for leak, reason in policy.exempt.items():
        lines.append(f"- `{leak}`: not for this policy to see: {reason}")
    if policy.exempt:
        lines.append("")
    draws: dict[str, list[Judged]] = defaultdict(list)
    for it in own:
        draws[it.fixture].append(it)
    if not draws:
        return "\n".join([*lines, "No fixture has the size and kind that this policy admits.", ""])
    known = [fixture for fixture in built_in_fixtures() if draws[fixture.name]]
    exact = [fixture for fixture in known if too_exact(fixture, policy)]
    lines += table(draws, [fixture for fixture in known if fixture not in exact])
    if exact:
        lines += ["", TOO_EXACT, *table(draws, exact)]
    return "\n".join([*lines, ""])


def table(draws: Mapping[str, Sequence[Judged]], fixtures: Sequence[Fixture]) -> list[str]:
    """Return one line per fixture: what became of it and which rules stopped it."""
    return [
        "| fixture | truth | violated | not assessed | met | violated rules |",
        "| -- | -- | -- | -- | -- | -- |",
        *(line(fixture, draws[fixture.name]) for fixture in fixtures),
    ]


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
    parser.add_argument("--policy", action="append", help="measure only this one; repeatable")
    given = parser.parse_args()
    policies = shipped_policies()
    known = [policy.id for policy in policies]
    if strange := set(given.policy or ()) - set(known):
        parser.error(f"there is no policy {min(strange)!r}; known: {', '.join(known)}")
    asked = [policy for policy in policies if policy.id in (given.policy or known)]
    counts = {"honest": given.honest, "leaking": given.leaking}
    found = list(judged_draws(asked, **counts, jobs=given.jobs))
    kept = given.page.read_text(encoding="utf-8") if given.policy else ""
    text = page(policies, found, **counts, kept=kept)
    given.page.write_text(text, encoding="utf-8")
    print(f"wrote {given.page}")


if __name__ == "__main__":
    main()
