"""What evidence and verdict repeat of texts that people and the program wrote."""

from __future__ import annotations

from typing import TYPE_CHECKING

from privgate.evidence import digest, document
from privgate.leakscan.passages import json_texts
from privgate.report.view import report_identifier

if TYPE_CHECKING:
    from collections.abc import Iterator

    from privgate.evidence import Estimate, Measurement, RunEvidence
    from privgate.policy.verdict import Verdict


def declared_texts(evidence: RunEvidence, verdict: Verdict) -> tuple[str, ...]:
    """Return the texts of policy, waivers, cards and run, and the numbers that count records.

    Nothing that a metric wrote about the data is among them.
    """
    return (*_of_evidence(evidence), *_of_verdict(verdict))


def _of_evidence(evidence: RunEvidence) -> Iterator[str]:
    yield from json_texts(document(evidence.run))
    for card in evidence.cards.values():
        yield from json_texts(document(card))
    if evidence.ledger is not None:
        yield from json_texts(document(evidence.ledger))
    for measurement in evidence.measurements:
        yield measurement.id
        yield from json_texts(measurement.params)
        yield from (str(figure.n) for figure in _figures(measurement))


def _figures(measurement: Measurement) -> Iterator[Estimate]:
    yield from measurement.figures.values()
    for part in measurement.parts:
        yield from part.figures.values()


def _of_verdict(verdict: Verdict) -> Iterator[str]:
    yield from (verdict.policy.text, verdict.evidence_sha256)
    yield from json_texts(document(verdict.policy))
    yield report_identifier(verdict.evidence_sha256, digest(verdict))
    if verdict.waivers_file is not None:
        yield verdict.waivers_file.text
        yield from json_texts(document(verdict.waivers_file))
    for waiver in verdict.waivers:
        yield from json_texts(document(waiver))
    for rule in verdict.rules:
        yield rule.id
        yield str(rule.needed_n)
