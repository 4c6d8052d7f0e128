"""The verdict as a table for a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.console import Group
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from privgate.report.redact import Audience
from privgate.report.view import build_view

if TYPE_CHECKING:
    from rich.console import RenderableType

    from privgate.evidence import RunEvidence
    from privgate.policy.verdict import Verdict
    from privgate.report.rule_view import RuleView
    from privgate.report.view import ReportView
    from privgate.report.wording import Wording

_STYLES = {"met": "green", "violated": "bold red", "not_assessed": "yellow", "waived": "magenta"}


def verdict_table(
    verdict: Verdict,
    evidence: RunEvidence,
    *,
    audience: Audience = Audience.SHAREABLE,
    language: str = "en",
) -> RenderableType:
    """Return the verdict as something a rich console prints; names are never read as markup."""
    view = build_view(evidence, verdict, audience=audience, language=language)
    return Group(_headline(view), _rules(view), _waivers(view), _reasons(view))


def _headline(view: ReportView) -> Panel:
    outcome = view.badge.outcome
    sign = view.words(f"symbols.{outcome}")
    text = Text(f"{sign} {view.headline}", style=_STYLES[outcome])
    text.append(f"\n{view.release} · {view.policy}", style="default")
    return Panel(text, border_style=_STYLES[outcome], expand=False)


def _rules(view: ReportView) -> Table:
    words = view.words
    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in ("outcome", "rule"):
        table.add_column(words(f"verdict.{name}"), overflow="fold")
    for name in ("measured", "judged", "limit"):
        table.add_column(words(f"verdict.{name}"), justify="right", overflow="fold")
    for rule in view.rules:
        table.add_row(*_cells(rule, words))
    return table


def _cells(rule: RuleView, words: Wording) -> tuple[Text, ...]:
    outcome = rule.verdict.outcome.value
    shown = Text(f"{words(f'symbols.{outcome}')} {words(f'outcome.{outcome}')}", _STYLES[outcome])
    name = Text(rule.verdict.id)
    if rule.verdict.severity == "advisory":
        name.append(f" ({words('severity.advisory')})", style="dim")
    return (shown, name, Text(rule.measured), Text(rule.judged), Text(rule.limit))


def _waivers(view: ReportView) -> Text:
    lines = (
        Text(
            f"{view.words('waivers.of', rule=waiver.rule)}: {waiver.state.lower()}: {waiver.why}",
            _STYLES["waived" if waiver.counted else "not_assessed"],
        )
        for waiver in view.waivers
    )
    return Text("\n").join([Text(""), *lines]) if view.waivers else Text("")


def _reasons(view: ReportView) -> Text:
    return Text("\n").join([Text(""), *(Text(f"• {reason}") for reason in view.reasons)])
