"""What an earlier check found, kept beside a later one as far as a report may show it."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Literal

from pydantic import Field

from privgate.evidence import Estimate, FigureKind, TableName
from privgate.evidence.base import Frozen
from privgate.policy.difference import PolicyDifference
from privgate.policy.verdict import Outcome
from privgate.report.figure_words import kind_of, title_of
from privgate.report.redact import redact_evidence, redact_verdict
from privgate.report.rule_view import shown_figure
from privgate.report.wording import load_wording

if TYPE_CHECKING:
    from privgate.evidence import RunEvidence
    from privgate.policy.verdict import RuleVerdict, Verdict

BASELINE = "baseline.json"


class RuleBefore(Frozen):
    """What became of one rule in the earlier check, small counts withheld."""

    id: str
    title: str
    kind: FigureKind
    metric: str
    metric_version: int
    measure: str
    severity: Literal["blocking", "advisory"]
    require: dict[Literal["max", "min", "equals", "below", "above"], float | int]
    outcome: Outcome
    figure: Estimate
    judged: float | int | None


class Baseline(Frozen):
    """The earlier check that a later one is compared with: ``baseline.json``.

    It holds nothing that the earlier check's shareable report does not. ``of_evidence_sha256`` is
    the evidence of the later check, which it was made for.
    """

    schema_: Literal["privgate/baseline/v1"] = Field(default="privgate/baseline/v1", alias="schema")
    of_evidence_sha256: str
    evidence_sha256: str
    verdict_sha256: str
    release: str
    created: datetime
    outcome: Outcome
    waived: tuple[str, ...]
    tables: dict[TableName, str]  # digests of the content
    declaration_sha256: str
    seed: int
    tool: str
    python: str
    packages: dict[str, str]
    policy: PolicyDifference
    rules: tuple[RuleBefore, ...]


def baseline_facts(
    evidence: RunEvidence,
    verdict: Verdict,
    difference: PolicyDifference,
    *,
    digests: tuple[str, str],
    of_evidence_sha256: str,
) -> Baseline:
    """Return what is kept of an earlier check, whose files have the ``digests``."""
    public = redact_evidence(evidence)
    judged = redact_verdict(verdict, public, load_wording("en"))
    run, release = public.run, public.release
    return Baseline(
        of_evidence_sha256=of_evidence_sha256,
        evidence_sha256=digests[0],
        verdict_sha256=digests[1],
        release=release.name,
        created=run.created,
        outcome=judged.outcome,
        waived=judged.waived,
        tables={name: table.content_sha256 for name, table in release.tables.items()},
        declaration_sha256=release.declaration_sha256,
        seed=run.seed,
        tool=run.tool,
        python=run.python,
        packages=dict(run.packages),
        policy=difference,
        rules=tuple(_before(rule, public) for rule in judged.rules),
    )


def _before(rule: RuleVerdict, evidence: RunEvidence) -> RuleBefore:
    card = evidence.cards[rule.metric]
    return RuleBefore(
        id=rule.id,
        title=title_of(card, rule.measure),
        kind=kind_of(card, rule.measure),
        metric=rule.metric,
        metric_version=card.version,
        measure=rule.measure,
        severity=rule.severity,
        require=rule.require,
        outcome=rule.outcome,
        figure=shown_figure(rule, evidence, load_wording("en")),
        judged=rule.judged,
    )
