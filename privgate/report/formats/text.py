"""The verdict in plain lines, for a pipe or a log."""

from __future__ import annotations

from typing import TYPE_CHECKING

from privgate.report.redact import Audience
from privgate.report.view import build_view

if TYPE_CHECKING:
    from privgate.evidence import RunEvidence
    from privgate.policy.verdict import Verdict
    from privgate.report.rule_view import RuleView
    from privgate.report.waiver_view import WaiverView
    from privgate.report.wording import Wording


def render_text(
    verdict: Verdict,
    evidence: RunEvidence,
    *,
    audience: Audience = Audience.SHAREABLE,
    language: str = "en",
) -> str:
    """Return the verdict as lines: outcome first, then each rule, then what decided.

    Logs are read by many, so small counts are withheld unless the audience is internal.
    """
    view = build_view(evidence, verdict, audience=audience, language=language)
    words = view.words
    lines = [
        f"{view.badge.text.upper()}: {view.headline}",
        f"{words('text.release')}: {view.release}",
        f"{words('text.policy')}: {view.policy}",
        f"{words('text.report')}: {view.report_id}",
        "",
        *(_rule_line(rule, words) for rule in view.rules),
        *(_waiver_line(waiver, words) for waiver in view.waivers),
        "",
        *(f"- {reason}" for reason in view.reasons),
    ]
    return "\n".join(_on_one_line(line) for line in lines).rstrip() + "\n"


def _rule_line(rule: RuleView, words: Wording) -> str:
    outcome = words(f"outcome.{rule.verdict.outcome}").lower()
    judged = "" if rule.verdict.judged is None else f", {words('text.judged')} {rule.judged}"
    severity = words(f"severity.{rule.verdict.severity}")
    interval = "" if rule.interval == words("columns.absent") else f" ({rule.interval})"
    return (
        f"[{outcome}] {rule.verdict.id} ({severity}): {rule.title}: {rule.measured}"
        f"{interval}{judged}; {words('text.limit')} {rule.limit}"
    )


def _waiver_line(waiver: WaiverView, words: Wording) -> str:
    name = words("waivers.of", rule=waiver.rule)
    stated = f" {words('waivers.quote', text=waiver.reason)}" if waiver.counted else ""
    return f"[{waiver.state.lower()}] {name}: {waiver.why}{stated}"


def _on_one_line(text: str) -> str:
    """Return the text without line breaks and control characters, which names may hold."""
    return "".join(sign if sign.isprintable() else " " for sign in text)
