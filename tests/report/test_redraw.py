"""Whether a report can be drawn from its own attachments, with nothing else at hand."""

from __future__ import annotations

import pytest

from privgate.errors import IntegrityError
from privgate.evidence import canonical_bytes, digest
from privgate.report import (
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
    evidence, verdict = sample.sample_waived() if name == "waived" else sample.sample(name)
    tables = {
        name: table.model_copy(update={"salt": "0" * 64})
        for name, table in evidence.release.tables.items()
    }
    release = evidence.release.model_copy(update={"tables": tables})
    evidence = stored(evidence.model_copy(update={"release": release}))
    changes = {"salt": "1" * 64, "evidence_sha256": digest(evidence)}
    return evidence, stored(verdict.model_copy(update=changes))


def attachments(evidence, verdict, audience):
    view = build_view(evidence, verdict, audience=audience)
    originals = (canonical_bytes(evidence), canonical_bytes(verdict))
    return view, attached_files(view, evidence, verdict, originals=originals)


@pytest.mark.parametrize("audience", Audience)
def test_a_report_is_drawn_from_what_is_attached_to_it(documents, audience, monkeypatch):
    """HTML stands for PDF: the pages are the same, and it takes a tenth of the time."""

    def draw(view, *, attached, brand):
        return render_html(view, brand=brand).encode(), sorted(attached, key=lambda it: it.name)

    monkeypatch.setattr("privgate.report.redraw.render_pdf", draw)
    view, attached = attachments(*documents, audience)
    files = {file.name: file.content for file in attached}
    again = list(redrawn_reports(files, language="en-GB"))
    assert again[0] == (
        render_html(view).encode(),
        sorted(attached, key=lambda file: file.name),
    )


def test_a_report_without_a_list_of_attachments_is_not_drawn(documents):
    _, attached = attachments(*documents, Audience.SHAREABLE)
    files = {file.name: file.content for file in attached if file.name != "attachments.json"}
    with pytest.raises(IntegrityError, match=r"attachments\.json: the attachment is missing"):
        list(redrawn_reports(files, language="en"))
