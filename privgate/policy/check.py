"""What a policy makes of evidence: a pure function of both."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from privgate.evidence import Status, canonical_bytes, digest, document, unknown
from privgate.policy.coverage import coverage_verdicts, requirement_verdicts
from privgate.policy.judge import Judgement, judge_figure, unassessed
from privgate.policy.sampled import on_sample
from privgate.policy.verdict import Outcome, PolicyFacts, RuleVerdict, Verdict
from privgate.policy.waivers import Waivers, waivers_of
from privgate.policy.waiving import apply_waivers, run_day, waivers_facts

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from typing import Literal

    from privgate.evidence import Estimate, Measurement, Part, RunEvidence
    from privgate.policy.bind import BoundPolicy, BoundRule
    from privgate.policy.verdict import CoverageVerdict, RequirementVerdict
    from privgate.policy.waivers import Waiver

    ReleaseOutcome = Literal[Outcome.MET, Outcome.VIOLATED, Outcome.NOT_ASSESSED]

_Judged = tuple[
    Judgement, str | None, "Estimate | None"
]  # with the part that decided and its figure


def check(
    bound: BoundPolicy,
    evidence: RunEvidence,
    *,
    evidence_sha256: str | None = None,
    waivers: Waivers | Iterable[Waiver] | None = None,
) -> Verdict:
    """Return the verdict of a policy on evidence.

    Violated if any blocking rule is; else not assessed if any blocking rule, requirement or
    coverage item is not met; else met. Advisory rules never change the outcome. A waived rule stops
    nothing and satisfies nothing.

    Parameters
    ----------
    evidence_sha256
        Digest of the file the evidence was read from; by default that of its canonical form.
    waivers
        Findings that may stand, judged for the day of the run. Those that do not count change no
        outcome; the verdict lists them with the reason.
    """
    found = tuple(_rule_verdict(rule, bound, evidence) for rule in bound.rules)
    given = waivers if isinstance(waivers, Waivers | None) else waivers_of(waivers)
    rules, told = apply_waivers(given, found, bound, evidence)
    requirements = requirement_verdicts(bound.policy.requires, evidence)
    coverage = coverage_verdicts(bound, rules)
    outcome = release_outcome(rules, requirements, coverage)
    return Verdict(
        outcome=outcome,
        exit_code=cast("Literal[0, 1, 3]", int(outcome.exit_code)),
        reasons=tuple(_reasons(outcome, rules, requirements, coverage)),
        policy=policy_facts(bound),
        evidence_sha256=evidence_sha256 or digest(evidence),
        rules=rules,
        requirements=requirements,
        coverage=coverage,
        waivers=told,
        waivers_file=waivers_facts(given, run_day(evidence)),
        salt=_salt(evidence),
    )


def _salt(evidence: RunEvidence) -> str | None:
    """Return what keeps a verdict from being guessed by its digest, if the evidence has such."""
    salts = [table.salt for _, table in sorted(evidence.release.tables.items())]
    return None if None in salts else digest(["verdict", *salts])


def policy_facts(bound: BoundPolicy) -> PolicyFacts:
    """Return what a verdict keeps of the policy that judged."""
    policy = bound.policy
    content = document(policy)
    return PolicyFacts(
        id=policy.id,
        version=policy.version,
        title=policy.title,
        owner=policy.owner,
        review_by=policy.review_by.isoformat() if policy.review_by else None,
        sha256=digest(content),
        text=bound.text,
        document=content,
        parents=bound.parents,
        resolved=bound.resolved,
    )


def _rule_verdict(bound: BoundRule, policy: BoundPolicy, evidence: RunEvidence) -> RuleVerdict:
    rule = bound.rule
    judgement, part, figure = _judged(bound, policy.policy.confidence, evidence)
    if evidence.run.sample is not None:
        judgement = on_sample(judgement, figure, limit=rule.require, spec=bound.figure)
    return RuleVerdict(
        id=rule.id,
        metric=bound.metric.name,
        measure=bound.measure,
        measurement=bound.measurement_id,
        part=part,
        outcome=judgement.outcome,
        severity=rule.severity.value,
        value=figure.value if figure else None,
        low=figure.low if figure else None,
        high=figure.high if figure else None,
        level=figure.level if figure else None,
        n=figure.n if figure else None,
        judge=rule.judge.value,
        judged=judgement.judged,
        require=dict(rule.require.stated),
        source={"kind": rule.source.kind.value, "ref": rule.source.ref},
        rationale=rule.rationale,
        reason=judgement.reason,
        needed_n=judgement.needed_n,
    )


def _judged(bound: BoundRule, confidence: float, evidence: RunEvidence) -> _Judged:
    found = {measurement.id: measurement for measurement in evidence.measurements}
    measurement = found.get(bound.measurement_id)
    if measurement is None:
        return unassessed("The evidence holds no such measurement."), None, None
    if reason := _misfit(bound, measurement, evidence.run.confidence, confidence):
        return unassessed(reason), None, None
    if measurement.status is not Status.MEASURED:
        return unassessed(_not_measured("metric", measurement)), None, None
    judged: list[_Judged] = [
        (_judgement(bound, figure, confidence), part, figure)
        for part, figure in _figures(measurement, bound.measure)
    ]
    return min(judged, key=lambda found: (*found[0].rank, found[1] or ""))


def _judgement(bound: BoundRule, figure: Estimate, confidence: float) -> Judgement:
    return judge_figure(
        figure,
        limit=bound.rule.require,
        spec=bound.figure,
        judge=bound.rule.judge,
        confidence=confidence,
    )


def _figures(measurement: Measurement, measure: str) -> Iterator[tuple[str | None, Estimate]]:
    """Yield the figure of each part, or that of the whole if no part has or could have had it."""
    absent = unknown(f"the measurement has no figure {measure!r}")
    of_parts = any(
        part.status is not Status.MEASURED or measure in part.figures for part in measurement.parts
    )
    if not of_parts:
        yield None, measurement.figures.get(measure, absent)
        return
    for part in measurement.parts:
        if part.status is not Status.MEASURED:
            yield part.of, unknown(_not_measured("part", part))
        else:
            yield part.of, part.figures.get(measure, absent)


def _not_measured(what: str, item: Measurement | Part) -> str:
    how = "failed" if item.status is Status.FAILED else "could not be computed"
    return f"The {what} {how}: {(item.reason or 'no reason is given').strip().rstrip('.')}."


def _misfit(
    bound: BoundRule, measurement: Measurement, measured_at: float, confidence: float
) -> str | None:
    """Return why a measurement is not the one that the rule speaks about."""
    card = bound.metric.card
    if measured_at != confidence:
        return "The evidence was made with another confidence than the policy asks for."
    if (measurement.metric, measurement.version) != (card.name, card.version):
        return "The measurement was made by another metric or another version of it."
    if canonical_bytes(measurement.params) != canonical_bytes(bound.params):
        return "The measurement was made with other parameters than the rule asks for."
    return None


def release_outcome(
    rules: tuple[RuleVerdict, ...],
    requirements: tuple[RequirementVerdict, ...],
    coverage: Mapping[str, CoverageVerdict],
) -> ReleaseOutcome:
    """Return what the outcomes of rules, requirements and coverage come to for the release."""
    blocking = [rule.outcome for rule in rules if rule.severity == "blocking"]
    if Outcome.VIOLATED in blocking:
        return Outcome.VIOLATED
    kept = (
        bool(blocking)
        and all(outcome in {Outcome.MET, Outcome.WAIVED} for outcome in blocking)
        and all(requirement.satisfied for requirement in requirements)
        and all(item.satisfied for item in coverage.values())
    )
    return Outcome.MET if kept else Outcome.NOT_ASSESSED


def _reasons(
    outcome: Outcome,
    rules: tuple[RuleVerdict, ...],
    requirements: tuple[RequirementVerdict, ...],
    coverage: Mapping[str, CoverageVerdict],
) -> Iterator[str]:
    """Yield what decided, the gravest first, and what an advisory rule has to say last."""
    blocking = [rule for rule in rules if rule.severity == "blocking"]
    yield from (_sentence(rule) for rule in blocking if rule.outcome is Outcome.VIOLATED)
    yield from (_sentence(rule) for rule in blocking if rule.outcome is Outcome.NOT_ASSESSED)
    yield from (item.reason for item in requirements if not item.satisfied)
    yield from (item.reason for item in coverage.values() if not item.satisfied)
    waived = [rule for rule in blocking if rule.outcome is Outcome.WAIVED]
    yield from (f"{_sentence(rule)} A waiver covers this finding." for rule in waived)
    if outcome is Outcome.MET:
        yield _nothing_against(blocking, len(requirements), len(coverage))
    yield from (
        f"{_sentence(rule)} Advisory rules do not change the outcome."
        for rule in rules
        if rule.severity == "advisory" and rule.outcome is not Outcome.MET
    )


def _sentence(rule: RuleVerdict) -> str:
    where = f" for {rule.part!r}" if rule.part else ""
    state = {Outcome.VIOLATED: "is violated", Outcome.NOT_ASSESSED: "could not be assessed"}
    kind = rule.severity.capitalize()
    return f"{kind} rule {rule.id!r} {state[rule.finding]}{where}. {rule.reason}"


def _nothing_against(blocking: list[RuleVerdict], requirements: int, criteria: int) -> str:
    waived = sum(rule.outcome is Outcome.WAIVED for rule in blocking)
    rules = len(blocking) - waived
    counted = [f"{rules} blocking rule{'' if rules == 1 else 's'} met"]
    if waived:
        counted.append(f"{waived} not met and waived")
    if requirements:
        counted.append(f"{requirements} requirement{'s' if requirements > 1 else ''} kept")
    if criteria:
        counted.append(f"{criteria} criteri{'a' if criteria > 1 else 'on'} covered")
    head = "Only waived findings stand" if waived else "Nothing stands"
    return f"{head} against the release under this policy: {', '.join(counted)}."
