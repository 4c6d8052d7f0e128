"""Whether a PDF alone shows that it was altered: its attachments, its judgement, its pages."""

import io
import json
from dataclasses import replace
from datetime import UTC, date, datetime
from hashlib import sha256

import pytest
from pypdf import PdfReader, PdfWriter
from pypdf.annotations import Rectangle

from privgate.attest.report_pdf import verify_pdf
from privgate.data import release_from_frames
from privgate.engine import assess
from privgate.errors import InputError, IntegrityError
from privgate.evidence import RunEvidence, canonical_bytes, digest
from privgate.metrics import all_metrics
from privgate.policy import Waiver, open_document, policy_from_text
from privgate.policy.check import check
from privgate.policy.verdict import Verdict
from privgate.report import (
    PLAIN,
    Audience,
    attached_files,
    build_view,
    redrawn_reports,
    render_pdf,
)
from privgate.report.html import render_print_html
from privgate.testing.samples import SURVEY_COLUMNS, survey

weasyprint = pytest.importorskip("weasyprint", exc_type=OSError)

CREATED = datetime(2026, 1, 1, tzinfo=UTC)
COPIES = 5  # few enough to be withheld
POLICY = """
privgate: policy/v1
id: attached
version: 1.0.0
title: Attached
requires: {min_rows: {train: 100}}
rules:
  - {id: copies, metric: crp, measure: share, require: {max: 0.05}, rationale: test,
     source: {kind: house, ref: test}}
  - {id: nearness, metric: dcr, measure: share_nearer_train, require: {max: 0.7}, rationale: test,
     source: {kind: house, ref: test}}
"""


def bound(text):
    return open_document(policy_from_text(text).document, all_metrics())


def draw_briefly(view, *, attached, brand=PLAIN):
    """Draw a page that differs where the report does, quickly: looks do not count everywhere."""
    html = render_print_html(view, brand=brand)
    content = {file.name: file.content for file in attached}
    return draw_html(f"<html lang=en-GB><p>{view.report_id}<p>{digest(html)}", content)


def draw_html(html, files):
    attachments = [
        weasyprint.Attachment(string=content, name=name, created=CREATED, modified=CREATED)
        for name, content in sorted(files.items())
    ]
    return weasyprint.HTML(string=html).write_pdf(
        attachments=attachments, pdf_variant="pdf/ua-1", pdf_tags=True, pdf_identifier=b"0" * 16
    )


def report(evidence, verdict, audience=Audience.SHAREABLE):
    """Return a report and what is attached to it."""
    view = build_view(evidence, verdict, audience=audience)
    originals = (canonical_bytes(evidence), canonical_bytes(verdict))
    return view, attached_files(view, evidence, verdict, originals=originals)


def brief(evidence, verdict, audience=Audience.SHAREABLE):
    view, attached = report(evidence, verdict, audience)
    return draw_briefly(view, attached=attached)


@pytest.fixture(scope="module")
def judged():
    train = survey(250, 1)
    synthetic = survey(220, 3)
    synthetic.iloc[:COPIES] = train.iloc[:COPIES]
    release = release_from_frames(
        train=train, holdout=survey(200, 2), synthetic=synthetic, columns=SURVEY_COLUMNS
    )
    found = assess(release, bound(POLICY), created=CREATED)
    # Reports are drawn from what is stored.
    return replace(
        found,
        evidence=RunEvidence.model_validate_json(canonical_bytes(found.evidence)),
        verdict=Verdict.model_validate_json(canonical_bytes(found.verdict)),
    )


@pytest.fixture(scope="module")
def shareable(judged):
    """Return view and attachments of the shareable edition."""
    return report(judged.evidence, judged.verdict)


@pytest.fixture(scope="module")
def files(shareable):
    return {file.name: file.content for file in shareable[1]}


@pytest.fixture(scope="module")
def drawn_before():
    return {}


@pytest.fixture
def verify(monkeypatch, tmp_path, drawn_before):
    """Return a function that verifies a PDF; what was drawn once is not drawn again."""

    def render(view, *, attached, brand):
        key = sha256(repr((view, attached, brand)).encode()).digest()
        if key not in drawn_before:
            drawn_before[key] = draw_briefly(view, attached=attached, brand=brand)
        return drawn_before[key]

    def of(pdf, *, whole=False):
        if not whole:
            monkeypatch.setattr("privgate.report.redraw.render_pdf", render)
        (tmp_path / "report.pdf").write_bytes(pdf)
        return verify_pdf(tmp_path / "report.pdf", all_metrics(), redraw=redrawn_reports)

    return of


@pytest.fixture
def refused(verify, files):
    """Return a function that verifies the PDF of a forged verdict or evidence, not drawn again."""

    def reasons(**forged):
        with pytest.raises(IntegrityError) as raised:
            verify(draw_html("<p>page</p>", files | forged))
        return str(raised.value)

    return reasons


def edited(files, name, change):
    content = json.loads(files[name])
    change(content)
    return canonical_bytes(content)


@pytest.mark.slow
def test_a_shareable_report_holds_and_says_what_it_does_not_show(verify, shareable, judged):
    view, attached = shareable
    found = verify(render_pdf(view, attached=attached), whole=True)
    assert not found.exact
    assert found.unjudged == ("copies",)  # its share stands for 5 people
    assert found.verdict.evidence_sha256 == digest(judged.evidence)
    text = "\n".join(found.sentences)
    assert "the attached verdict is met" in text
    assert "rules judged again with the same result: 1 of 2; not copies" in text
    assert "same bytes" in text
    assert "internal edition" in text


def test_an_internal_report_is_judged_again_whole(verify, judged):
    found = verify(brief(judged.evidence, judged.verdict, Audience.INTERNAL))
    assert (found.exact, found.unjudged) == (True, ())
    assert "judging the attached evidence again gives the same verdict: met" in found.sentences


def test_a_waived_finding_is_judged_again_without_the_text_of_the_waivers(verify, judged):
    strict = bound(POLICY.replace("0.7", "0.1"))
    waiver = Waiver(
        rule="nearness",
        reason="a test",
        approved_by="A. Example",
        granted=date(2025, 12, 1),
        expires=date(2026, 2, 1),
        release_sha256=judged.evidence.release.tables["synthetic"].sha256,
    )
    verdict = check(strict, judged.evidence, waivers=[waiver])
    assert verdict.waived == ("nearness",)
    found = verify(brief(judged.evidence, verdict))
    assert found.unjudged == ("copies",)
    assert "met, with waivers for nearness" in found.sentences[0]


def test_an_altered_page_is_found_and_named(verify, shareable):
    view, attached = shareable
    forged = replace(view, headline="No copying at all")
    with pytest.raises(
        IntegrityError, match="other text than evidence and verdict give, on pages: 1"
    ):
        verify(draw_briefly(forged, attached=attached))


def test_a_hidden_alteration_is_found(verify, shareable):
    """A white rectangle over a page changes none of its text; the bytes show it."""
    writer = PdfWriter(
        clone_from=PdfReader(io.BytesIO(draw_briefly(shareable[0], attached=shareable[1])))
    )
    writer.add_annotation(0, Rectangle(rect=(0, 0, 600, 800), interior_color="ffffff"))
    pdf = io.BytesIO()
    writer.write(pdf)
    with pytest.raises(IntegrityError, match="gives other bytes"):
        verify(pdf.getvalue())


def test_any_flipped_byte_is_found(verify, shareable):
    whole = draw_briefly(shareable[0], attached=shareable[1])
    assert not verify(whole).exact
    for place in range(7, len(whole), len(whole) // 60):
        altered = bytearray(whole)
        altered[place] ^= 1
        with pytest.raises((IntegrityError, InputError)):
            verify(bytes(altered))
    for changed in (whole + b"\n", whole[:-1]):
        with pytest.raises((IntegrityError, InputError)):
            verify(changed)


def test_another_policy_beside_the_verdict_is_found(refused, files):
    text = POLICY.replace("0.7", "0.9").encode()
    reasons = refused(**{"policy.yaml": text})
    assert "policy.yaml: this is not the policy that the verdict holds" in reasons
    swapped = edited(
        files, "verdict.json", lambda verdict: verdict["policy"].update(text=text.decode())
    )
    reasons = refused(**{"policy.yaml": text, "verdict.json": swapped})
    assert "the policy is not the one that the verdict names" in reasons
    assert "rule 'nearness' is not as in the policy" in reasons


def set_outcome(outcome, code):
    return lambda verdict: verdict.update(outcome=outcome, exit_code=code)


def set_rule(number, **changes):
    return lambda verdict: verdict["rules"][number].update(changes)


VERDICTS = {
    "the outcome does not follow from the rules": set_outcome("violated", 1),
    "judging rule 'nearness' again gives another result": set_rule(1, value=0.1),
    "rule 'copies' is not as in the policy": set_rule(0, severity="advisory"),
    "the verdict has other rules than the policy": lambda verdict: verdict["rules"].pop(),
    "requirement 'min_rows.train' does not follow": lambda verdict: verdict["requirements"][
        0
    ].update(seen=1000),
    "the verdict has other requirements": lambda verdict: verdict["requirements"].pop(),
    "the coverage does not follow": lambda verdict: verdict["coverage"].update(
        inference={"required": True, "rules": [], "satisfied": True, "reason": "x"}
    ),
}


def waive(verdict):
    verdict["rules"][0].update(
        outcome="waived",
        waiver={
            "finding": "violated",
            "reason": "x",
            "approved_by": "x",
            "granted": "2026-01-01",
            "expires": "2026-02-01",
        },
    )


VERDICTS["rule 'copies' is waived, but no waiver of it can count"] = waive


@pytest.mark.parametrize("words", VERDICTS)
def test_a_forged_verdict_without_counts_is_found(refused, files, words):
    forged = edited(files, "verdict.json", VERDICTS[words])
    assert words in refused(**{"verdict.json": forged})


def test_an_edited_number_in_evidence_without_counts_is_found(refused, files):
    def edit(evidence):
        found = next(m for m in evidence["measurements"] if m["metric"] == "dcr")
        found["figures"]["share_nearer_train"]["value"] = 0.501

    forged = edited(files, "evidence.json", edit)
    assert "judging rule 'nearness' again gives another" in refused(**{"evidence.json": forged})


def test_an_edited_number_with_its_digest_mended_is_found(refused, judged):
    evidence = json.loads(canonical_bytes(judged.evidence))
    found = next(m for m in evidence["measurements"] if m["metric"] == "dcr")
    found["figures"]["share_nearer_train"]["value"] = 0.501
    forged = RunEvidence.model_validate(evidence)
    verdict = judged.verdict.model_copy(update={"evidence_sha256": digest(forged)})
    documents = {"evidence.json": canonical_bytes(forged), "verdict.json": canonical_bytes(verdict)}
    assert "gives another verdict" in refused(**documents)


def test_missing_attachments_are_named_and_none_at_all_is_no_report(verify, files):
    for name in files:
        some = {other: content for other, content in files.items() if other != name}
        with pytest.raises(IntegrityError, match=f"{name}: the attachment is missing"):
            verify(draw_html("<p>page</p>", some))
    bare = {"policy.yaml": files["policy.yaml"]}
    with pytest.raises(InputError, match="carries no evidence"):
        verify(draw_html("<p>page</p>", bare))
    with pytest.raises(InputError, match="carries no evidence"):
        verify(draw_html("<p>page</p>", {}))
    for content in (b"", b"hello", b"%PDF-1.7\n"):
        with pytest.raises(InputError, match="the PDF cannot be read"):
            verify(content)


def test_attachments_that_are_no_documents_are_named(refused):
    for name in ("evidence.json", "verdict.json"):
        assert f"{name}: the file cannot be read" in refused(**{name: b"{}"})


@pytest.mark.parametrize("name", ["power.json", "attachments.json"])
def test_a_spoilt_attachment_is_named(verify, files, name):
    with pytest.raises(IntegrityError, match=f"{name}: the attachment cannot be read"):
        verify(draw_html("<p>page</p>", files | {name: b"{}"}))


LISTS = {
    "not about this report": lambda found: found.update(report_id="0000-0000-0000"),
    "evidence.json: the list of attachments": lambda found: found["files"].pop("evidence.json"),
    "more.csv: the list of attachments": lambda found: found["files"].update({"more.csv": "0"}),
    "not the files of the check": lambda found: found.update(edition="internal"),
}


@pytest.mark.parametrize("words", LISTS)
def test_a_forged_list_of_attachments_is_found(verify, files, words):
    forged = files | {"attachments.json": edited(files, "attachments.json", LISTS[words])}
    with pytest.raises(IntegrityError, match=words):
        verify(draw_html("<p>page</p>", forged))


@pytest.mark.parametrize("language", ["eo", "../../../x", ""])
def test_a_language_that_no_report_has_leads_to_another_report(verify, files, language):
    with pytest.raises(IntegrityError, match="other text"):
        verify(draw_html(f"<html lang='{language}'><p>page", files))


def test_whoever_forges_all_is_not_found_by_the_pdf_alone(verify, judged):
    """What the page on verification says: this takes a signature or the folder."""
    evidence = json.loads(canonical_bytes(judged.evidence))
    found = next(m for m in evidence["measurements"] if m["metric"] == "dcr")
    found["figures"]["share_nearer_train"].update(value=0.501)
    forged = RunEvidence.model_validate(evidence)
    verdict = check(bound(POLICY), forged)
    assert verify(brief(forged, verdict)).verdict.outcome == "met"
