"""Evidence and verdict with the texts of metrics and rules in the language of the report.

Nothing but sentences changes: names, figures and what people wrote stay as they are. A text that
the catalogue does not know, such as one of a plug-in, stays English.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from privgate.evidence import (
        CalibrationStudy,
        Card,
        Chart,
        Estimate,
        JsonValue,
        Measurement,
        Part,
        ReleaseFacts,
        RunEvidence,
    )
    from privgate.policy.verdict import RuleVerdict, Verdict
    from privgate.report.wording import Wording

_USUAL_UNIT = "person"  # what a release file means that names no unit
# Between two clauses as many quotes are closed as were opened: a semicolon inside a name is no end.
_NEXT_CLAUSE = re.compile(r"; (?=(?:[^']*'[^']*')*[^']*\Z)")
_FIELD = re.compile(r"(?P<field>(?!known:)[a-z_0-9]+: )?(?P<said>.*)", re.DOTALL)
_Measured = TypeVar("_Measured", "Measurement", "Part")


def translated_evidence(evidence: RunEvidence, words: Wording) -> RunEvidence:
    """Return the evidence with the texts of cards, measurements and release translated."""
    return evidence.model_copy(
        update={
            "cards": {name: _card(card, words) for name, card in evidence.cards.items()},
            "measurements": tuple(_measurement(m, words) for m in evidence.measurements),
            "release": _release(evidence.release, words),
        }
    )


def translated_verdict(verdict: Verdict, words: Wording) -> Verdict:
    """Return the verdict with its own sentences translated; what people wrote stays."""
    coverage = {
        name: item.model_copy(update={"reason": words.said(item.reason)})
        for name, item in verdict.coverage.items()
    }
    demands = tuple(
        item.model_copy(update={"reason": words.said(item.reason)}) for item in verdict.requirements
    )
    waivers = tuple(
        item.model_copy(update={"why": _clauses(item.why, words)}) for item in verdict.waivers
    )
    return verdict.model_copy(
        update={
            "rules": tuple(_rule(rule, words) for rule in verdict.rules),
            "reasons": tuple(words.said(reason) for reason in verdict.reasons),
            "coverage": coverage,
            "requirements": demands,
            "waivers": waivers,
        }
    )


def _clauses(why: str, words: Wording) -> str:
    """Return why a waiver does not count, each clause translated by itself.

    A clause may begin with the field that it is about.
    """
    found = (_FIELD.fullmatch(clause) for clause in _NEXT_CLAUSE.split(why))
    return "; ".join(
        f"{clause['field'] or ''}{words.said(clause['said'])}" for clause in found if clause
    )


def translated_calibration(study: CalibrationStudy, words: Wording) -> CalibrationStudy:
    """Return the calibration with titles, scenarios and reasons of its rules translated."""
    rules = tuple(
        rule.model_copy(
            update={
                "title": words.said(rule.title),
                "reason": words.said(rule.reason),
                "draws": tuple(
                    it.model_copy(update={"scenario": words.said(it.scenario)}) for it in rule.draws
                ),
            }
        )
        for rule in study.rules
    )
    return study.model_copy(update={"rules": rules})


def _rule(rule: RuleVerdict, words: Wording) -> RuleVerdict:
    return rule.model_copy(update={"reason": words.said(rule.reason)})


def _card(card: Card, words: Wording) -> Card:
    figures = {
        name: spec.model_copy(
            update={"title": words.said(spec.title), "meaning": words.said(spec.meaning)}
        )
        for name, spec in card.figures.items()
    }
    model = card.threat_model
    if model is not None:
        told = {name: words.said(text) for name, text in model}
        model = model.model_copy(update=told)
    return card.model_copy(
        update={
            "title": words.said(card.title),
            "question": words.said(card.question),
            "threat_model": model,
            "formula": words.said(card.formula),
            "figures": figures,
            "limits": tuple(words.said(text) for text in card.limits),
        }
    )


def _measurement(measurement: Measurement, words: Wording) -> Measurement:
    notes = tuple(words.said(note) for note in measurement.notes)
    parts = tuple(_measured(part, words) for part in measurement.parts)
    return _measured(measurement, words).model_copy(update={"notes": notes, "parts": parts})


def _measured(found: _Measured, words: Wording) -> _Measured:
    """Return a measurement or part with reason, figures, charts and names of diagnostics."""
    reason = None if found.reason is None else words.said(found.reason)
    figures = {name: _figure(figure, words) for name, figure in found.figures.items()}
    return found.model_copy(
        update={
            "reason": reason,
            "figures": figures,
            "charts": tuple(_chart(chart, words) for chart in found.charts),
            "diagnostics": {
                words.said(name): words.said(value)
                if name == "reason" and isinstance(value, str)
                else _named(value, words)
                for name, value in found.diagnostics.items()
            },
        }
    )


def _named(value: JsonValue, words: Wording) -> JsonValue:
    """Return a diagnostic with the names of its columns translated."""
    if isinstance(value, list):
        return [_named(item, words) for item in value]
    if isinstance(value, dict):
        return {words.said(name): _named(item, words) for name, item in value.items()}
    return value


def _figure(figure: Estimate, words: Wording) -> Estimate:
    texts = {"reason": figure.reason, "method": figure.method}
    changes = {name: words.said(text) for name, text in texts.items() if text is not None}
    return figure.model_copy(update=changes)


def _chart(chart: Chart, words: Wording) -> Chart:
    texts = {name: getattr(chart, name) for name in ("title", "x_label", "y_label", "caption")}
    return chart.model_copy(
        update={
            **{name: words.said(text) for name, text in texts.items()},
            "series": tuple(
                line.model_copy(update={"name": words.said(line.name)}) for line in chart.series
            ),
            "marks": {words.said(name): number for name, number in chart.marks.items()},
        }
    )


def _release(release: ReleaseFacts, words: Wording) -> ReleaseFacts:
    columns = tuple(
        column.model_copy(update={"treatment": words.said(column.treatment)})
        for column in release.columns
    )
    changes: dict[str, object] = {
        "columns": columns,
        "notes": tuple(words.said(note) for note in release.notes),
    }
    if release.unit == _USUAL_UNIT:
        changes["unit"] = words.said(release.unit)
    if release.array is not None:
        treatment = words.said(release.array.treatment)
        changes["array"] = release.array.model_copy(update={"treatment": treatment})
    return release.model_copy(update=changes)
