"""Internal evidence and verdict → what may be published.

The result holds aggregates only. Counts from 1 to 10 are gone, and so is what would reveal one:
intervals around them, differences made of them, and the sentences that quote them.
"""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

from privgate.report.chart_redaction import redact_chart
from privgate.report.small_counts import (
    SMALLEST_PUBLISHED,
    Withheld,
    is_small,
    why_withheld,
    withhold_small,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from privgate.evidence import (
        Card,
        Chart,
        ColumnFacts,
        Estimate,
        Measurement,
        Part,
        ReleaseFacts,
        RunEvidence,
        TableFacts,
    )
    from privgate.policy.verdict import RequirementVerdict, RuleVerdict, Verdict
    from privgate.report.wording import Wording


class Audience(StrEnum):
    """Who may read a report."""

    SHAREABLE = "shareable"
    INTERNAL = "internal"


def redact_evidence(evidence: RunEvidence) -> RunEvidence:
    """Return evidence without any count of 1 to 10 people and without diagnostics."""
    sample = evidence.run.sample
    whole = (table.rows for table in evidence.release.tables.values())
    rows = min(whole if sample is None else sample.rows.values())
    measurements = tuple(
        _measurement(measurement, evidence.cards[measurement.metric], rows)
        for measurement in evidence.measurements
    )
    release = _release(evidence.release)
    return evidence.model_copy(update={"release": release, "measurements": measurements})


def judged_figure(rule: RuleVerdict, evidence: RunEvidence) -> Estimate | None:
    """Return the figure that decided a rule, or ``None`` if the evidence does not hold it."""
    for measurement in evidence.measurements:
        if measurement.id == rule.measurement:
            for part in measurement.parts:
                if part.of == rule.part:
                    return part.figures.get(rule.measure)
            return measurement.figures.get(rule.measure)
    return None


def redact_verdict(verdict: Verdict, evidence: RunEvidence, words: Wording) -> Verdict:
    """Return the verdict without the numbers that the redacted ``evidence`` withholds."""
    rules = tuple(_rule(rule, evidence, words) for rule in verdict.rules)
    reasons = verdict.reasons
    demands = tuple(_requirement(item, evidence, words) for item in verdict.requirements)
    if (rules, demands) != (verdict.rules, verdict.requirements):
        reasons = _reasons(verdict.model_copy(update={"requirements": demands}), rules)
    changes = {"rules": rules, "reasons": reasons, "requirements": demands, "salt": None}
    return verdict.model_copy(update=changes)


def _rule(rule: RuleVerdict, evidence: RunEvidence, words: Wording) -> RuleVerdict:
    figure = judged_figure(rule, evidence)
    if figure is None and rule.value is None:
        return rule
    if figure is not None and why_withheld(figure) is None:
        return rule
    nothing = dict.fromkeys(("value", "low", "high", "judged", "needed_n"))
    why = None if figure is None else why_withheld(figure)
    told = words(f"withheld.why_{(why or Withheld.COMPANION).name.lower()}")
    reason = words(f"withheld.reason_{rule.finding.value}", why=told)
    n = None if figure is None else figure.n
    return rule.model_copy(update={**nothing, "n": n, "reason": reason})


def _requirement(
    item: RequirementVerdict, evidence: RunEvidence, words: Wording
) -> RequirementVerdict:
    """Return a demand on the data without a count, or share of a table, of 1 to 10 rows."""
    seen = item.seen
    if seen is None or isinstance(seen, bool | str):
        return item
    rows = [table.rows for table in evidence.release.tables.values()]
    counts = [seen] if isinstance(seen, int) else [seen * n for n in rows]
    if not any(is_small(count) for count in counts):
        return item
    reason = words(f"withheld.demand_{'kept' if item.satisfied else 'not_kept'}")
    return item.model_copy(update={"seen": words("withheld.few_count"), "reason": reason})


def _reasons(verdict: Verdict, rules: tuple[RuleVerdict, ...]) -> tuple[str, ...]:
    """Return what decided, told anew: the original sentences may quote a withheld number."""
    stopping = sorted(
        (r for r in rules if r.severity == "blocking" and r.outcome.value != "met"),
        key=lambda r: r.outcome.value != "violated",
    )
    found = [f"{r.id}: {r.reason}" for r in stopping]
    found += [item.reason for item in verdict.requirements if not item.satisfied]
    found += [c.reason for c in verdict.coverage.values() if c.required and not c.satisfied]
    return tuple(dict.fromkeys(found)) or tuple(r.reason for r in rules)


def _measurement(measurement: Measurement, card: Card, rows: int) -> Measurement:
    figures = withhold_small(measurement.figures, card.figures, rows=rows)
    parts = tuple(_part(part, card, rows) for part in measurement.parts)
    figures = _as_in_parts(figures, parts, measurement)
    hidden = any(why_withheld(f) for f in (*figures.values(), *_figures_of(parts)))
    changes: dict[str, object] = {
        "figures": figures,
        "parts": parts,
        "charts": _charts(measurement.charts, figures),
        "diagnostics": {},
    }
    if hidden:  # raw and risk are made of the figures
        changes |= {"raw": None, "risk": None}
    return measurement.model_copy(update=changes)


def _as_in_parts(
    figures: dict[str, Estimate], parts: tuple[Part, ...], original: Measurement
) -> dict[str, Estimate]:
    """Return the figures of a measurement; those of its worst parts as these parts show them.

    Each comes from a part of its own, so that they say nothing about one another.
    """
    shown: dict[tuple[str, float | None], Estimate] = {}
    for part, before in zip(parts, original.parts, strict=True):
        for name, figure in part.figures.items():
            key = (name, before.figures[name].value)
            if key not in shown or why_withheld(figure) is not None:
                shown[key] = figure
    own = {name: (name, figure.value) for name, figure in original.figures.items()}
    return {name: shown.get(own[name], figure) for name, figure in figures.items()}


def _figures_of(parts: tuple[Part, ...]) -> list[Estimate]:
    return [figure for part in parts for figure in part.figures.values()]


def _part(part: Part, card: Card, rows: int) -> Part:
    figures = withhold_small(part.figures, card.figures, rows=rows)
    charts = _charts(part.charts, figures)
    return part.model_copy(update={"figures": figures, "charts": charts, "diagnostics": {}})


def _charts(charts: tuple[Chart, ...], figures: Mapping[str, Estimate]) -> tuple[Chart, ...]:
    printed = tuple(figures.values())
    return tuple(shown for chart in charts if (shown := redact_chart(chart, printed)) is not None)


def _release(release: ReleaseFacts) -> ReleaseFacts:
    changes: dict[str, object] = {
        "tables": {name: _table(table) for name, table in release.tables.items()},
        "columns": tuple(_column(column, release) for column in release.columns),
    }
    overlap = release.holdout_overlap
    if overlap is not None and is_small(overlap.rows):
        # The floor of the withheld range: the view prints it as "<11".
        changes["holdout_overlap"] = overlap.model_copy(update={"rows": 1, "share": 0.0})
    return release.model_copy(update=changes)


def _table(table: TableFacts) -> TableFacts:
    table = table.model_copy(update={"salt": None})
    repeated = table.rows - table.distinct_rows
    if not is_small(repeated):
        return table
    distinct = max(1, table.rows - SMALLEST_PUBLISHED + 1)
    return table.model_copy(update={"distinct_rows": distinct})


def _column(column: ColumnFacts, release: ReleaseFacts) -> ColumnFacts:
    missing = {
        name: _coarse(share, release.tables[name].rows) if name in release.tables else share
        for name, share in column.missing.items()
    }
    return column.model_copy(update={"missing": missing})


def _coarse(share: float, rows: int) -> float:
    """Return the share in the middle of the withheld range, which the view prints as a range."""
    if is_small(share * rows):
        return min(1.0, 5 / rows)
    if is_small(rows - share * rows):
        return max(0.0, 1 - 5 / rows)
    return share
