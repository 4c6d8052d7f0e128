"""What a ledger keeps of an evaluation, and what it tells about earlier ones."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, cast, get_args

from privgate.evidence import digest
from privgate.evidence.history import EarlierTries, Judged, LedgerFacts
from privgate.ledger.lines import Evaluation, PolicyIdentity, RuleResult, TableDigests

if TYPE_CHECKING:
    from collections.abc import Iterable

    from privgate.evidence import RunEvidence, TableFacts
    from privgate.ledger.chain import Chain, Head
    from privgate.policy.verdict import Verdict


def evaluation(evidence: RunEvidence, verdict: Verdict, *, after: Head) -> Evaluation:
    """Return the entry of an evaluation that follows the line ``after``."""
    run, policy = evidence.run, verdict.policy
    return Evaluation(
        n=after.n + 1,
        previous=after.sha256,
        created=run.created,
        tool=run.tool,
        release=evidence.release.name,
        tables={
            name: TableDigests(sha256=table.sha256, content_sha256=table.content_sha256)
            for name, table in evidence.release.tables.items()
        },
        declaration_sha256=evidence.release.declaration_sha256,
        policy=PolicyIdentity(id=policy.id, version=policy.version, sha256=policy.sha256),
        seed=run.seed,
        seed_source=run.seed_source,
        outcome=cast("Judged", str(verdict.outcome)),
        rules=tuple(
            RuleResult(**rule.model_dump(mode="json", include=set(RuleResult.model_fields)))
            for rule in verdict.rules
        ),
        evidence_sha256=digest(evidence),
        verdict_sha256=digest(verdict),
    )


def history(chain: Chain, evidence: RunEvidence, *, after: Head) -> LedgerFacts:
    """Return what a ledger tells about evaluations before the one of this evidence.

    A table is the same if its bytes or its content are.
    """
    train, candidate = (evidence.release.tables[name] for name in ("train", "synthetic"))
    before = [entry for entry in chain.evaluations if _same(entry.tables["train"], train)]
    own = [entry for entry in before if _same(entry.tables["synthetic"], candidate)]
    others = {entry.tables["synthetic"].content_sha256 for entry in before}
    others -= {entry.tables["synthetic"].content_sha256 for entry in own}
    return LedgerFacts(
        entry=after.n + 1,
        previous=after.sha256,
        interrupted=chain.interrupted,
        outcomes=_outcomes(before),
        other_candidates=len(others),
        policies=len({entry.policy.sha256 for entry in before}),
        seeds=len({entry.seed for entry in before}),
        declarations=len({entry.declaration_sha256 for entry in before}),
        seeds_given=sum(entry.seed_source == "given" for entry in before),
        tries=tuple(_tries(own)),
    )


def _same(earlier: TableDigests, now: TableFacts) -> bool:
    return earlier.content_sha256 == now.content_sha256 or earlier.sha256 == now.sha256


def _outcomes(entries: Iterable[Evaluation]) -> dict[Judged, int]:
    counts = Counter(entry.outcome for entry in entries)
    return {outcome: counts[outcome] for outcome in get_args(Judged)}


def _tries(entries: Iterable[Evaluation]) -> Iterable[EarlierTries]:
    """Yield evaluations that agree in policy, seed and declaration together, oldest first."""
    alike: dict[object, list[Evaluation]] = {}
    for entry in entries:
        key = (entry.policy.sha256, entry.seed, entry.seed_source, entry.declaration_sha256)
        alike.setdefault(key, []).append(entry)
    for first, *more in alike.values():
        yield EarlierTries(
            policy=f"{first.policy.id} {first.policy.version}",
            policy_sha256=first.policy.sha256,
            seed=first.seed,
            seed_source=first.seed_source,
            declaration_sha256=first.declaration_sha256,
            outcomes=_outcomes([first, *more]),
        )
