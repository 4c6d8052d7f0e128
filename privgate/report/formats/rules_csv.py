"""All rules with their figures as CSV, as the report prints them."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from privgate.report.rule_view import RuleView
    from privgate.report.view import ReportView

COLUMNS = (
    "rule", "figure", "metric", "measure", "part", "severity", "outcome", "finding", "measured",
    "interval", "interval_method", "judged", "limit", "margin", "criteria", "source_kind",
    "source", "reason", "waived_by", "waived_until",
)  # fmt: skip
# What a spreadsheet takes for the beginning of a formula, full-width forms among them.
_FORMULA = ("=", "+", "-", "@", "\N{FULLWIDTH EQUALS SIGN}", "\N{FULLWIDTH PLUS SIGN}",
            "\N{FULLWIDTH HYPHEN-MINUS}", "\N{FULLWIDTH COMMERCIAL AT}")  # fmt: skip


def render_rules_csv(view: ReportView) -> str:
    """Return one line per rule; figures are words of the report's language, columns are English.

    Cells that a spreadsheet would take for formulas begin with an apostrophe.
    """
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    for rule in view.rules:
        row = _row(rule, view)
        writer.writerow([neutral(row[name]) for name in COLUMNS])
    return text.getvalue()


def neutral(cell: str) -> str:
    """Return a cell on one line that no spreadsheet takes for a formula.

    Examples
    --------
    >>> neutral("=cmd|' /C calc'!A0"), neutral("5%"), neutral("+3.3 pp")
    ("'=cmd|' /C calc'!A0", '5%', "'+3.3 pp")
    """
    line = "".join(sign if sign.isprintable() else " " for sign in cell)
    return f"'{line}" if line.lstrip().startswith(_FORMULA) else line


def _row(rule: RuleView, view: ReportView) -> dict[str, str]:
    words, verdict = view.words, rule.verdict
    waiver = verdict.waiver
    return {
        "rule": verdict.id,
        "figure": rule.title,
        "metric": verdict.metric,
        "measure": verdict.measure,
        "part": verdict.part or "",
        "severity": verdict.severity,
        "outcome": verdict.outcome.value,
        "finding": verdict.finding.value,
        "measured": rule.measured,
        "interval": rule.interval,
        "interval_method": rule.method,
        "judged": rule.judged,
        "limit": rule.limit,
        "margin": rule.margin,
        "criteria": ", ".join(words(f"criterion.{criterion}") for criterion in rule.criteria),
        "source_kind": rule.source_kind,
        "source": rule.source_ref,
        "reason": rule.reason,
        "waived_by": "" if waiver is None else waiver.approved_by,
        "waived_until": "" if waiver is None else waiver.expires.isoformat(),
    }
