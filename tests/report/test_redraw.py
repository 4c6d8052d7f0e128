"""Whether a report can be drawn from its own attachments, with nothing else at hand."""

from __future__ import annotations

import pytest

from privgate.errors import IntegrityError
from privgate.evidence import canonical_bytes
from privgate.report import (
    PLAIN,
    Audience,
    attached_files,
    build_view,
    redrawn_reports,
    render_html,
)


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

    def draw(view, *, attached, brand=PLAIN):
        assert brand is PLAIN
        carried = "".join(f"{file.name} {file.content!r}" for file in attached)
        return (render_html(view) + carried).encode()

    monkeypatch.setattr("privgate.report.redraw.render_pdf", draw)
    return draw


@pytest.mark.parametrize("audience", Audience)
@pytest.mark.parametrize("language", ["en", "de"])
def test_every_edition_is_drawn_again_from_what_it_carries(documents, drawn, audience, language):
    evidence, verdict = documents
    view = build_view(evidence, verdict, audience=audience, language=language)
    originals = (canonical_bytes(evidence), canonical_bytes(verdict))
    attached = attached_files(view, evidence, verdict, originals=originals)
    files = {file.name: file.content for file in attached}
    is_exact = files["evidence.json"] == originals[0]
    assert is_exact == (audience is Audience.INTERNAL)
    again = redrawn_reports(files, language={"en": "en-GB", "de": "de-DE"}[language])
    assert next(again) == drawn(view, attached=attached)


def test_without_the_list_of_attachments_nothing_is_drawn(documents):
    evidence, verdict = documents
    files = {"evidence.json": canonical_bytes(evidence), "verdict.json": canonical_bytes(verdict)}
    with pytest.raises(IntegrityError, match=r"attachments\.json: the attachment is missing"):
        next(redrawn_reports(files, language="en"))
