"""Whether a report can be drawn from its own attachments, with nothing else at hand."""

from __future__ import annotations

import pytest

from privgate.evidence import RunEvidence, canonical_bytes, digest
from privgate.policy.verdict import Verdict
from privgate.report import (
    Audience,
    build_view,
    redact_evidence,
    redact_verdict,
    redrawn_reports,
    render_html,
)
from privgate.report.wording import load_wording


def stored(model):
    return type(model).model_validate_json(canonical_bytes(model))


@pytest.fixture(params=["met", "violated", "not_assessed", "waived"])
def documents(request, sample):
    name = request.param
    found = sample.sample_waived() if name == "waived" else sample.sample(name)
    evidence, verdict = map(stored, found[:2])
    return evidence, verdict


@pytest.fixture
def drawn(monkeypatch):
    """Draw HTML in place of PDF: the pages are the same, and it takes a tenth of the time."""
    monkeypatch.setattr(
        "privgate.report.redraw.render_pdf", lambda view: render_html(view).encode()
    )


@pytest.mark.usefixtures("drawn")
def test_the_shareable_edition_is_drawn_from_what_is_redacted(documents):
    evidence, verdict = documents
    html = render_html(build_view(evidence, verdict, audience=Audience.SHAREABLE)).encode()
    few = redact_evidence(evidence)
    files = {
        "evidence.json": canonical_bytes(few),
        "verdict.json": canonical_bytes(redact_verdict(verdict, few, load_wording("en"))),
    }
    assert files["evidence.json"] != canonical_bytes(evidence)
    again = redrawn_reports(files, pages=[html.decode()], language="en-GB")
    assert list(again) == [html]


@pytest.mark.usefixtures("drawn")
def test_exact_documents_are_drawn_in_both_editions(documents):
    evidence, verdict = documents
    files = {"evidence.json": canonical_bytes(evidence), "verdict.json": canonical_bytes(verdict)}
    again = list(redrawn_reports(files, pages=[], language="en"))
    assert again == [
        render_html(build_view(evidence, verdict, audience=audience)).encode()
        for audience in (Audience.INTERNAL, Audience.SHAREABLE)
    ]
    assert again[0] != again[1]


def test_without_the_printed_digest_nothing_is_drawn(documents):
    evidence, verdict = documents
    files = {
        "evidence.json": canonical_bytes(redact_evidence(evidence)),
        "verdict.json": canonical_bytes(verdict),
    }
    pages = [digest(verdict)]  # but not the report id that is made of it
    assert list(redrawn_reports(files, pages=pages, language="en")) == []
    assert RunEvidence.model_validate_json(files["evidence.json"]) != evidence
    assert Verdict.model_validate_json(files["verdict.json"]) == verdict
