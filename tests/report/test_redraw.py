"""Whether a report can be drawn from its own attachments, with nothing else at hand."""

from __future__ import annotations

import pytest

from privgate.errors import IntegrityError
from privgate.evidence import PlantedLeak, PowerStudy, canonical_bytes, digest
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
    evidence, verdict = sample.sample_waived() if name == "waived" else sample.sample(name)
    tables = {
        name: table.model_copy(update={"salt": "0" * 64})
        for name, table in evidence.release.tables.items()
    }
    release = evidence.release.model_copy(update={"tables": tables})
    evidence = stored(evidence.model_copy(update={"release": release}))
    changes = {"salt": "1" * 64, "evidence_sha256": digest(evidence)}
    return evidence, stored(verdict.model_copy(update=changes))


def attachments(evidence, verdict, audience, power=None):
    view = build_view(evidence, verdict, audience=audience, power=power)
    originals = (canonical_bytes(evidence), canonical_bytes(verdict))
    stored_power = power and canonical_bytes(power)
    return view, attached_files(view, evidence, verdict, originals=originals, power=stored_power)


def draw(view, *, attached, brand=PLAIN):
    """Draw HTML, which stands for PDF: the same is said, and it takes a tenth of the time."""
    return render_html(view, brand=brand).encode(), sorted(attached, key=lambda it: it.name)


@pytest.fixture
def drawn_again(monkeypatch):
    """Return a function that draws a report from its attachments, the likeliest extent first."""
    monkeypatch.setattr("privgate.report.redraw.render_pdf", draw)

    def again(attached):
        files = {file.name: file.content for file in attached}
        return next(redrawn_reports(files, language="en-GB"))

    return again


@pytest.mark.parametrize("audience", Audience)
def test_a_report_is_drawn_from_what_is_attached_to_it(documents, audience, drawn_again):
    view, attached = attachments(*documents, audience)
    assert drawn_again(attached) == draw(view, attached=attached)


def test_tables_that_are_shown_in_part_are_drawn_again(documents, drawn_again):
    evidence, verdict = documents
    column = evidence.release.columns[0]
    columns = tuple(column.model_copy(update={"name": f"column_{i}"}) for i in range(700))
    release = evidence.release.model_copy(update={"columns": columns})
    evidence = evidence.model_copy(update={"release": release})
    verdict = verdict.model_copy(update={"evidence_sha256": digest(evidence)})
    view, attached = attachments(evidence, verdict, Audience.SHAREABLE)
    assert view.tables
    assert drawn_again(attached) == draw(view, attached=attached)


def test_a_canary_test_is_drawn_again(documents, drawn_again):
    evidence, verdict = documents
    leak = {"fields": 1.0, "perturbed": False, "trials": 20}
    study = PowerStudy(
        release="r",
        tables={name: t.content_sha256 for name, t in evidence.release.tables.items()},
        policy="p",
        policy_version="1.0.0",
        policy_sha256=verdict.policy.sha256,
        seed=1,
        seed_source="derived",
        tool="privgate",
        rules={"copies": "blocking"},
        unplanted=PlantedLeak(share=0, records=0, caught={"copies": 0}, stopped=0, **leak),
        planted=(PlantedLeak(share=0.05, records=50, caught={"copies": 20}, stopped=20, **leak),),
    )
    view, attached = attachments(evidence, verdict, Audience.SHAREABLE, study)
    assert "power.json" in {file.name for file in attached}
    again = drawn_again(attached)
    assert again == draw(view, attached=attached)
    assert b"from 5% of the records on" in again[0]


def test_a_report_without_a_list_of_attachments_is_not_drawn(documents):
    _, attached = attachments(*documents, Audience.SHAREABLE)
    files = {file.name: file.content for file in attached if file.name != "attachments.json"}
    with pytest.raises(IntegrityError, match=r"attachments\.json: the attachment is missing"):
        list(redrawn_reports(files, language="en"))
