"""Whether the data and the rules are enough to rely on: requirements and coverage."""

from __future__ import annotations

from typing import TYPE_CHECKING

from privgate.policy.sampled import sample_verdict
from privgate.policy.verdict import CoverageVerdict, Outcome, RequirementVerdict

if TYPE_CHECKING:
    from collections.abc import Iterator

    from privgate.evidence import Criterion, JsonValue, ReleaseFacts, RunEvidence, TableName
    from privgate.policy.bind import BoundPolicy
    from privgate.policy.requirements import Requirements
    from privgate.policy.verdict import RuleVerdict

_NO_FULL_POLICY = RequirementVerdict(
    name="full_policy",
    required=True,
    seen=False,
    satisfied=False,
    reason="This policy only screens: it can stop a release, and what it does not stop has to be "
    "judged under a full policy.",
)
_TABLES: tuple[TableName, ...] = ("train", "holdout", "synthetic")


def requirement_verdicts(
    requires: Requirements, evidence: RunEvidence
) -> tuple[RequirementVerdict, ...]:
    """Return what became of each requirement of the policy, and of measuring every row."""
    release = evidence.release
    ledger = (_kept_ledger(evidence),) if requires.ledger else ()
    declared = (_declared(place, release) for place in requires.declared)
    full = (_NO_FULL_POLICY,) if requires.full_policy else ()
    rows = max(table.rows for table in release.tables.values())
    sample = sample_verdict(evidence.run.sample, rows)
    return (*table_requirements(requires, release), *ledger, *declared, *full, *sample)


def coverage_verdicts(
    bound: BoundPolicy, verdicts: tuple[RuleVerdict, ...]
) -> dict[str, CoverageVerdict]:
    """Return for each required criterion whether a blocking rule that can satisfy it is met."""
    return {
        criterion.value: _coverage(criterion, bound, verdicts)
        for criterion in bound.policy.requires.coverage
    }


def able_rules(criterion: Criterion, bound: BoundPolicy) -> frozenset[str]:
    """Return the ids of the blocking rules that satisfy a criterion where they are met."""
    return frozenset(
        rule.rule.id
        for rule in bound.rules
        if rule.rule.is_blocking and criterion in rule.figure.satisfies
    )


def table_requirements(
    requires: Requirements, release: ReleaseFacts
) -> Iterator[RequirementVerdict]:
    """Yield what became of the requirements on the tables themselves."""
    if requires.kind is not None:
        yield _kind(requires.kind, release)
    if requires.holdout:
        seen = "holdout" in release.tables
        yield RequirementVerdict(
            name="holdout",
            required=True,
            seen=seen,
            satisfied=seen,
            reason="There is a holdout table."
            if seen
            else "The policy requires a holdout table and there is none.",
        )
    for table in _TABLES:
        minimum = getattr(requires.min_rows, table)
        if minimum is not None:
            yield _minimum_rows(table, minimum, release)
    if "holdout" in release.tables:
        yield _holdout_overlap(requires.max_holdout_overlap, release)


def _kind(required: str, release: ReleaseFacts) -> RequirementVerdict:
    satisfied = release.kind == required
    return RequirementVerdict(
        name="kind",
        required=required,
        seen=release.kind,
        satisfied=satisfied,
        reason=f"The policy is for {required}s, and the release is "
        + ("one." if satisfied else f"{'an array' if release.kind == 'array' else 'a table'}."),
    )


def _minimum_rows(table: TableName, minimum: int, release: ReleaseFacts) -> RequirementVerdict:
    facts = release.tables.get(table)
    rows = None if facts is None else facts.rows
    satisfied = rows is not None and rows >= minimum
    has = "is missing" if rows is None else f"has {rows:,} rows"
    return RequirementVerdict(
        name=f"min_rows.{table}",
        required=minimum,
        seen=rows,
        satisfied=satisfied,
        reason=f"The {table} table {has}; the policy requires at least {minimum:,}.",
    )


def _declared(place: str, release: ReleaseFacts) -> RequirementVerdict:
    """Return whether the release file fills an entry in; nobody verifies what it says."""
    found: JsonValue = {"generator": release.generator, "context": release.context}
    for key in place.split("."):
        found = found.get(key) if isinstance(found, dict) else None
    filled = found is not None and str(found).strip() not in {"", "{}", "[]"}
    what = "fills in" if filled else "does not fill in"
    return RequirementVerdict(
        name=f"declared.{place}",
        required=True,
        seen=filled,
        satisfied=filled,
        reason=f"The release file {what} {place}, which the policy requires to be declared.",
    )


def _holdout_overlap(limit: float, release: ReleaseFacts) -> RequirementVerdict:
    facts = release.holdout_overlap
    share = None if facts is None else facts.share
    satisfied = share is not None and share <= limit
    how = {
        None: "It is not known how many holdout rows are also train rows",
        True: "The share of holdout rows that are also train rows is small enough",
        False: "Too many holdout rows are also train rows to judge by the holdout",
    }[None if share is None else satisfied]
    return RequirementVerdict(
        name="max_holdout_overlap",
        required=limit,
        seen=share,
        satisfied=satisfied,
        reason=f"{how}; the policy allows a share of {limit:.12g}.",
    )


def _kept_ledger(evidence: RunEvidence) -> RequirementVerdict:
    facts = evidence.ledger
    reason = "The policy requires a ledger of evaluations and none was kept; give --ledger."
    if facts is not None:
        reason = f"The evaluation is entry {facts.entry} of its ledger."
    seen = facts is not None
    return RequirementVerdict(
        name="ledger", required=True, seen=seen, satisfied=seen, reason=reason
    )


def _coverage(
    criterion: Criterion, bound: BoundPolicy, verdicts: tuple[RuleVerdict, ...]
) -> CoverageVerdict:
    names = able_rules(criterion, bound)
    able = [verdict for verdict in verdicts if verdict.id in names]
    met = [verdict.id for verdict in able if verdict.outcome is Outcome.MET]
    name = criterion.value.replace("_", " ")
    reason = (
        f"The criterion {name!r} is not satisfied: no blocking rule that can satisfy it is met."
    )
    if any(verdict.outcome is Outcome.WAIVED for verdict in able):
        reason = f"{reason.removesuffix('.')}, and a waiver shows nothing."
    if met:
        reason = f"The criterion {name!r} is satisfied by {', '.join(map(repr, met))}."
    return CoverageVerdict(
        required=True,
        rules=tuple(verdict.id for verdict in able),
        satisfied=bool(met),
        reason=reason,
    )
