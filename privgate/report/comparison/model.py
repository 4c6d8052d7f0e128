"""What a comparison says, in the numbers that shareable reports show: ``compare.json``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from pydantic import Field

from privgate.errors import InputError, Problem
from privgate.evidence import Frozen
from privgate.policy.verdict import Outcome, PolicyReference
from privgate.report.comparison.position import Position, counted_places, position
from privgate.report.comparison.ranking import PLACES, ranks, standing
from privgate.report.redact import Audience
from privgate.report.rule_view import margin
from privgate.report.view import build_view

if TYPE_CHECKING:
    from collections.abc import Sequence

    from privgate.evidence import ReleaseFacts, RunEvidence
    from privgate.policy.verdict import Verdict
    from privgate.report.comparison.ranking import Standing
    from privgate.report.rule_view import RuleView
    from privgate.report.view import ReportView

Difference = Literal["train", "holdout", "declaration", "sample", "metrics"]


@dataclass(frozen=True, kw_only=True)
class Candidate:
    """A finished check to be compared: ``place`` is what a message calls it."""

    place: str
    evidence: RunEvidence
    verdict: Verdict
    evidence_sha256: str
    verdict_sha256: str


class RuleResult(Frozen):
    """What became of a rule in one release; numbers are absent where a report withholds them.

    ``margin`` is how far the judged number keeps from the limit, negative beyond it.
    """

    outcome: Outcome
    finding: Outcome
    value: float | int | None
    low: float | None
    high: float | None
    judged: float | int | None
    margin: float | None


class ComparedRule(Frozen):
    """One rule of the policy and its result in each release, by label."""

    id: str
    metric: str
    measure: str
    severity: Literal["blocking", "advisory"]
    require: dict[str, float | int]
    results: dict[str, RuleResult]


class ComparedRelease(Frozen):
    """One release and where it stands; ``rank`` is absent where releases cannot be ranked.

    ``violated``, ``overshoot`` and ``open`` are what the rank rests on, see ``ranked_by``; risk and
    utility are those of :class:`~privgate.report.comparison.position.Position`, and rank nothing.
    """

    label: str
    name: str
    report_id: str
    evidence_sha256: str
    verdict_sha256: str
    synthetic_sha256: str
    outcome: Outcome
    waived: tuple[str, ...]
    rank: int | None
    tied: bool
    violated: int
    overshoot: float | None
    open: int
    risk: float | None
    risk_is_least: bool
    utility: float | None


class Comparison(Frozen):
    """Releases under one policy, the best first, and every rule in each of them.

    ``differences`` names what was not the same for all of them, so that their figures speak of
    other people or of other questions; if there is any, no release has a rank.
    """

    schema_: Literal["privgate/comparison/v1"] = Field(
        default="privgate/comparison/v1", alias="schema"
    )
    policy: PolicyReference
    ranked_by: str
    differences: tuple[Difference, ...]
    releases: tuple[ComparedRelease, ...]
    rules: tuple[ComparedRule, ...]


@dataclass(frozen=True, kw_only=True)
class Shown:
    """A release of a comparison as its shareable report shows it."""

    label: str
    candidate: Candidate
    view: ReportView
    standing: Standing
    position: Position
    rank: int


@dataclass(frozen=True, kw_only=True)
class Compared:
    """The comparison, and the reports that it is worded from, in the same order."""

    comparison: Comparison
    shown: tuple[Shown, ...]


def compare_checks(candidates: Sequence[Candidate], *, language: str = "en") -> Compared:
    """Return releases judged under one policy, the best first, whatever order they come in.

    Raises
    ------
    InputError
        If there are fewer than two, one is there twice, or they were judged under different
        policies: their outcomes then answer different questions.
    """
    _require_comparable(candidates)
    views = [_view(candidate, language) for candidate in candidates]
    standings = [standing(view) for view in views]
    differences = _differences(candidates)
    order = sorted(
        range(len(candidates)),
        key=lambda n: (
            () if differences else standings[n].key,
            candidates[n].evidence.release.name,
            candidates[n].verdict_sha256,
        ),
    )
    places, counted = ranks(standings), counted_places(views)
    shown = tuple(
        Shown(
            label=_label(place),
            candidate=candidates[n],
            view=views[n],
            standing=standings[n],
            position=position(views[n], counted),
            rank=places[n],
        )
        for place, n in enumerate(order)
    )
    policy = candidates[0].verdict.policy
    comparison = Comparison(
        policy=PolicyReference(id=policy.id, version=policy.version, sha256=policy.sha256),
        ranked_by=_RANKED_BY,
        differences=differences,
        releases=tuple(_release(it, shown, ranked=not differences) for it in shown),
        rules=tuple(
            _rule(rules, shown) for rules in zip(*(it.view.rules for it in shown), strict=True)
        ),
    )
    return Compared(comparison=comparison, shown=shown)


_RANKED_BY = (
    "outcome (met, met with waivers, not assessed, violated); then fewer violated blocking rules, "
    "waived ones counted; then a smaller overshoot: the sum over those rules of how far the judged "
    "number is beyond the limit, 1 being the worst value that the figure can have (without a worst "
    f"value d / (d + max(|limit|, 1))), compared to {PLACES} decimals, unknown last; then fewer "
    "blocking rules and demands that could not be shown; equal in all is a shared rank"
)


def _require_comparable(candidates: Sequence[Candidate]) -> None:
    if len(candidates) < 2:
        message = "a comparison needs at least two checks"
        raise InputError(Problem(message, remedy="name two folders that `privgate check` wrote"))
    seen: dict[str, str] = {}
    for it in candidates:
        if it.verdict_sha256 in seen:
            message = f"this is the same check as {seen[it.verdict_sha256]}"
            raise InputError(Problem(message, file=it.place, remedy="name each check once"))
        seen[it.verdict_sha256] = it.place
    if len({it.verdict.policy.sha256 for it in candidates}) > 1:
        remedy = "judge all of them under one policy; `privgate policy diff` tells two apart"
        raise InputError(
            Problem(
                "judged under another policy than the others: "
                f"{it.verdict.policy.id} {it.verdict.policy.version}, "
                f"digest {it.verdict.policy.sha256[:12]}",
                file=it.place,
                remedy=remedy,
            )
            for it in candidates
        )


def _view(candidate: Candidate, language: str) -> ReportView:
    return build_view(
        candidate.evidence,
        candidate.verdict,
        audience=Audience.SHAREABLE,
        language=language,
        evidence_sha256=candidate.evidence_sha256,
        verdict_sha256=candidate.verdict_sha256,
    )


def _differences(candidates: Sequence[Candidate]) -> tuple[Difference, ...]:
    """Return what must be the same for figures to be about the same people and questions."""
    found: dict[Difference, set[object]] = {
        name: set() for name in ("train", "holdout", "declaration", "sample", "metrics")
    }
    for it in candidates:
        evidence = it.evidence
        tables = {name: table.content_sha256 for name, table in evidence.release.tables.items()}
        found["train"].add(tables.get("train"))
        found["holdout"].add(tables.get("holdout"))
        found["declaration"].add(_declared(evidence.release))
        found["sample"].add(evidence.run.sample and evidence.run.sample.asked)
        used = {measurement.metric for measurement in evidence.measurements}
        found["metrics"].add(frozenset((name, evidence.cards[name].version) for name in used))
    return tuple(name for name, values in found.items() if len(values) > 1)


def _declared(release: ReleaseFacts) -> tuple[object, ...]:
    """Return what the figures depend on: a column that is ignored may be in one release only."""
    columns = {(it.name, it.type, it.role) for it in release.columns if it.role != "ignore"}
    return frozenset(columns), release.array and release.array.distance


def _label(place: int) -> str:
    """Return A to Z, then A1 to Z1 and so on."""
    round_, letter = divmod(place, 26)
    return chr(ord("A") + letter) + (str(round_) if round_ else "")


def _release(it: Shown, shown: Sequence[Shown], *, ranked: bool) -> ComparedRelease:
    evidence, verdict = it.candidate.evidence, it.candidate.verdict
    return ComparedRelease(
        label=it.label,
        name=evidence.release.name,
        report_id=it.view.report_id,
        evidence_sha256=it.candidate.evidence_sha256,
        verdict_sha256=it.candidate.verdict_sha256,
        synthetic_sha256=evidence.release.tables["synthetic"].sha256,
        outcome=verdict.outcome,
        waived=verdict.waived,
        rank=it.rank if ranked else None,
        tied=ranked and sum(other.rank == it.rank for other in shown) > 1,
        violated=it.standing.violated,
        overshoot=it.standing.overshoot,
        open=it.standing.open,
        risk=it.position.risk,
        risk_is_least=it.position.risk_is_least,
        utility=it.position.utility,
    )


def _rule(rules: Sequence[RuleView], shown: Sequence[Shown]) -> ComparedRule:
    first = rules[0].verdict
    return ComparedRule(
        id=first.id,
        metric=first.metric,
        measure=first.measure,
        severity=first.severity,
        require={str(name): number for name, number in first.require.items()},
        results={it.label: _result(rule) for it, rule in zip(shown, rules, strict=True)},
    )


def _result(rule: RuleView) -> RuleResult:
    verdict = rule.verdict
    beside = None
    if verdict.judged is not None and verdict.require:
        beside = margin(verdict.judged, verdict.require)
    return RuleResult(
        outcome=verdict.outcome,
        finding=verdict.finding,
        value=verdict.value,
        low=verdict.low,
        high=verdict.high,
        judged=verdict.judged,
        margin=beside,
    )
