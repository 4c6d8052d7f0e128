"""Evidence and verdict → everything a report says, worded and rounded, ready to be laid out."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from privgate.errors import IntegrityError
from privgate.evidence import digest
from privgate.policy.verdict import Outcome
from privgate.report.demand_view import view_demands
from privgate.report.names import short_name
from privgate.report.numbers import count_text
from privgate.report.reasons import deciding_reasons
from privgate.report.redact import Audience, redact_evidence, redact_verdict
from privgate.report.rule_view import view_rule
from privgate.report.sample_words import sample_in_brief
from privgate.report.sections import numbered_sections
from privgate.report.sections.history import history_line
from privgate.report.size import fittings, shortened_text
from privgate.report.subject import Subject
from privgate.report.summary import summarise
from privgate.report.translation import translated_evidence, translated_verdict
from privgate.report.waiver_view import outcome_badge, outcome_words, view_waiver
from privgate.report.wording import load_wording

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from datetime import datetime

    from privgate.evidence import PowerStudy, RunEvidence
    from privgate.policy.verdict import Verdict
    from privgate.report.baseline import Baseline
    from privgate.report.blocks import Badge, Section
    from privgate.report.demand_view import DemandView
    from privgate.report.rule_view import RuleView
    from privgate.report.summary import Summary
    from privgate.report.waiver_view import WaiverView
    from privgate.report.wording import Wording


_LONGEST_RUNNING = 48


@dataclass(frozen=True, kw_only=True)
class ReportView:
    """A report in plain values: no metric, no rounding and no wording is left to decide.

    ``digests`` are those of evidence, verdict and policy, ``files`` name and digest of each file
    that was judged or written beside the report.
    """

    words: Wording
    audience: Audience
    report_id: str
    title: str
    release: str
    policy: str
    running: str
    identity: str
    headline: str
    gate: str
    outcome: str
    badge: Badge
    edition: str
    tool: str
    created: datetime
    status: tuple[tuple[str, str], ...]
    reasons: tuple[str, ...]
    rules: tuple[RuleView, ...]
    demands: tuple[DemandView, ...]
    waivers: tuple[WaiverView, ...]
    summary: Summary
    sections: tuple[Section, ...]
    whole: tuple[Section, ...]
    tables: Mapping[str, bytes]
    digests: Mapping[str, str]
    files: Mapping[str, tuple[str, str]]
    policy_id: str
    policy_version: str
    policy_text: str

    @property
    def contents(self) -> tuple[tuple[tuple[str, str, str], ...], ...]:
        """Return number, anchor and title of every section, in two halves of one length."""
        entries = (
            ("0", "status", self.words("status.title")),
            ("1", "summary", self.words("summary.title")),
            *((str(s.number), s.anchor, s.title) for s in self.sections),
        )
        middle = (len(entries) + 1) // 2
        return entries[:middle], entries[middle:]


def build_view(
    evidence: RunEvidence,
    verdict: Verdict,
    *,
    audience: Audience,
    language: str = "en",
    power: PowerStudy | None = None,
    baseline: Baseline | None = None,
    evidence_sha256: str | None = None,
    verdict_sha256: str | None = None,
) -> ReportView:
    """Return what the report for an audience says.

    Parameters
    ----------
    power
        What a canary test of this release under this policy found.
    baseline
        What an earlier check found, made for this one.
    evidence_sha256, verdict_sha256
        Digests of the files that evidence and verdict were read from. By default those of their
        canonical form, which for files of an older version may hold fewer fields.

    Raises
    ------
    IntegrityError
        If the verdict was not passed on this evidence, or ``power`` or ``baseline`` belong
        to other data or another policy.
    RenderError
        If there is no wording for the language.
    """
    words = load_wording(language)
    evidence_sha256 = evidence_sha256 or digest(evidence)
    if verdict.evidence_sha256 != evidence_sha256:
        raise IntegrityError(
            f"the verdict was passed on other evidence: it names {verdict.evidence_sha256}, "
            f"the evidence has the digest {evidence_sha256}; judge the evidence again"
        )
    if power is not None:
        _require_same(power, evidence, verdict)
    if baseline is not None and baseline.of_evidence_sha256 != evidence_sha256:
        message = "the earlier check was set beside another one; repeat `privgate check --baseline`"
        raise IntegrityError(message)
    verdict_sha256 = verdict_sha256 or digest(verdict)
    report_id = report_identifier(evidence_sha256, verdict_sha256)
    if audience is Audience.SHAREABLE:
        evidence = redact_evidence(evidence)
        verdict = redact_verdict(verdict, evidence, words)
    evidence, verdict = translated_evidence(evidence, words), translated_verdict(verdict, words)
    subject = Subject(
        evidence=evidence,
        verdict=verdict,
        rules=tuple(view_rule(rule, evidence, words) for rule in verdict.rules),
        words=words,
        audience=audience,
        report_id=report_id,
        verdict_sha256=verdict_sha256,
        power=power,
        baseline=baseline,
        waivers=tuple(view_waiver(waiver, words) for waiver in verdict.waivers),
    )
    return next(sizes(_view(subject)))


def sizes(view: ReportView) -> Iterator[ReportView]:
    """Yield the report in ever smaller extents, the largest that is likely to fit first."""
    for fitted in fittings(view.whole, view.words):
        yield replace(view, sections=fitted.sections, tables=fitted.tables)


def _require_same(power: PowerStudy, evidence: RunEvidence, verdict: Verdict) -> None:
    tables = {name: table.content_sha256 for name, table in evidence.release.tables.items()}
    if power.tables != tables or power.policy_sha256 != verdict.policy.sha256:
        raise IntegrityError(
            "the canary test was made on another release or under another policy; repeat it with "
            "`privgate check --power`"
        )


def report_identifier(evidence_sha256: str, verdict_sha256: str) -> str:
    """Return the identifier of the report on a verdict: three groups of four digits.

    Examples
    --------
    >>> report_identifier("0" * 64, "f" * 64)
    'f71f-8ea0-b956'
    """
    number = digest([evidence_sha256, verdict_sha256])
    return "-".join(number[start : start + 4] for start in (0, 4, 8))


def _view(subject: Subject) -> ReportView:
    words, verdict, run = subject.words, subject.verdict, subject.evidence.run
    policy = verdict.policy
    return ReportView(
        words=words,
        audience=subject.audience,
        report_id=subject.report_id,
        title=words("document.title"),
        release=short_name(subject.evidence.release.name),
        policy=words(
            "status.policy_value", title=policy.title, id=policy.id, version=policy.version
        ),
        running=_running(subject),
        identity=words(
            "document.identity",
            report_id=subject.report_id,
            digest=verdict.evidence_sha256[:16],
        ),
        headline=outcome_words("headline", verdict, words),
        gate=outcome_words("gate", verdict, words),
        outcome=str(verdict.outcome),
        badge=outcome_badge(verdict, words),
        edition=words(f"edition.{subject.audience}"),
        tool=run.tool,
        created=run.created,
        status=_status(subject),
        reasons=tuple(shortened_text(reason) for reason in deciding_reasons(subject)),
        rules=subject.rules,
        demands=view_demands(verdict, words),
        waivers=subject.waivers,
        summary=summarise(subject),
        sections=(),
        whole=numbered_sections(subject),
        tables={},
        digests={
            "evidence": verdict.evidence_sha256,
            "verdict": subject.verdict_sha256,
            "policy": policy.sha256,
        },
        files=_files(subject),
        policy_id=policy.id,
        policy_version=policy.version,
        policy_text=policy.text,
    )


def _files(subject: Subject) -> dict[str, tuple[str, str]]:
    tables = subject.evidence.release.tables
    return {
        "evidence": ("evidence.json", subject.verdict.evidence_sha256),
        "verdict": ("verdict.json", subject.verdict_sha256),
        **{name: (table.file, table.sha256) for name, table in sorted(tables.items())},
    }


def _running(subject: Subject) -> str:
    """Return what stands on top of every printed page."""
    name, policy = subject.evidence.release.name, subject.verdict.policy
    short = short_name(name, _LONGEST_RUNNING)
    outcome = outcome_words("outcome", subject.verdict, subject.words)
    return f"{short} · {policy.id} {policy.version} · {outcome}"


def _status(subject: Subject) -> tuple[tuple[str, str], ...]:
    words, policy, run = subject.words, subject.verdict.policy, subject.evidence.run
    edition = words(f"edition.{subject.audience}")
    stated = subject.evidence.release.context.get("classification")
    texts = {
        "policy": words(
            "status.policy_value", title=policy.title, id=policy.id, version=policy.version
        ),
        "policy_digest": policy.sha256,
        "report_id": subject.report_id,
        "date": words.date(run.created),
        "review_by": words.day(subject.stated(policy.review_by)),
        "classification": f"{stated} · {edition}" if stated else edition,
        **_tallies(subject),
        "tool": run.tool,
    }
    if subject.verdict.waivers_file is not None:
        texts["waivers"] = _waivers_told(subject)
    if subject.evidence.ledger is not None:
        texts["ledger"] = history_line(subject.evidence.ledger, words)
    sampled = sample_in_brief(run, subject.evidence.release, words)
    texts |= {"sample": sampled} if sampled else {}
    return tuple((words(f"status.{name}"), shortened_text(text)) for name, text in texts.items())


def _tallies(subject: Subject) -> dict[str, str]:
    """Return the outcomes of the rules that decide, and apart from them those that only advise."""
    found = {}
    for severity in ("blocking", "advisory"):
        rules = [rule.verdict for rule in subject.rules if rule.verdict.severity == severity]
        outcomes = [rule.outcome for rule in rules]
        counts = {
            outcome.value: count_text(outcomes.count(outcome), subject.words.numbers)
            for outcome in Outcome
        }
        if rules:
            found[f"tally_{severity}"] = subject.words("status.tally_value", **counts)
    return found


def _waivers_told(subject: Subject) -> str:
    """Return how many waivers counted; the headline names those of blocking rules only."""
    verdict = subject.verdict
    applied = sum(rule.waiver is not None for rule in verdict.rules)
    counts = {
        "counted": sum(waiver.counted for waiver in subject.waivers),
        "given": len(subject.waivers),
        "advisory": applied - len(verdict.waived),
    }
    name = "waivers_value_advisory" if counts["advisory"] else "waivers_value"
    texts = {key: count_text(count, subject.words.numbers) for key, count in counts.items()}
    return subject.words(f"status.{name}", **texts)
