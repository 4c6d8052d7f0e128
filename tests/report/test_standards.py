"""The form of the PDF: standards it claims, tags, fonts, and what it carries along."""

from __future__ import annotations

import io
import json
from dataclasses import replace
from hashlib import sha256
from itertools import pairwise
from xml.etree import ElementTree as ET

import pypdf
import pytest

from privgate.errors import RenderError
from privgate.evidence import RunEvidence, canonical_bytes
from privgate.policy.verdict import Verdict
from privgate.report import (
    AttachmentsContents,
    Audience,
    attached_files,
    build_view,
    render_pdf,
    report_identifier,
)
from privgate.report.pdf import FONTS
from privgate.report.standards import claim_accessibility
from privgate.resources import resource_folder

RDF = "{http://www.w3.org/1999/02/22-rdf-syntax-ns#}"
PDFA = "{http://www.aiim.org/pdfa/ns/id/}"
PDFUA = "{http://www.aiim.org/pdfua/ns/id/}"


def carried(sample, audience, name="violated"):
    evidence, verdict = sample.sample(name)
    view = build_view(evidence, verdict, audience=audience)
    originals = (canonical_bytes(evidence), canonical_bytes(verdict))
    return view, attached_files(view, evidence, verdict, originals=originals), originals


def by_name(files):
    return {file.name: file.content for file in files}


@pytest.fixture(scope="module")
def document(sample):
    """Return a short PDF, with the view and the files that it was made from."""
    view, files, _ = carried(sample, Audience.SHAREABLE)
    view = replace(view, sections=view.sections[:3])
    return pypdf.PdfReader(io.BytesIO(render_pdf(view, attached=files))), view, files


def test_metadata_claim_both_standards_and_define_the_second(document):
    reader, view, _ = document
    packet = reader.trailer["/Root"]["/Metadata"].get_object().get_data()
    root = ET.fromstring(packet)  # noqa: S314 - written by us
    assert [node.tag for node in root] == [f"{RDF}RDF"]
    claims = {name: value for node in root.iter() for name, value in node.attrib.items()}
    assert (claims[f"{PDFA}part"], claims[f"{PDFA}conformance"]) == ("3", "U")
    assert [node.text for node in root.iter(f"{PDFUA}part")] == ["1"]
    texts = [node.text for node in root.iter()]
    assert "http://www.aiim.org/pdfua/ns/id/" in texts
    assert f"{view.title}: {view.release} ({view.badge.text})" in texts


def test_the_file_is_described_tagged_and_self_contained(document):
    reader, view, _ = document
    root = reader.trailer["/Root"]
    assert root["/MarkInfo"]["/Marked"]
    assert root["/Lang"] == "en-GB"
    assert root["/ViewerPreferences"]["/DisplayDocTitle"]
    assert root["/OutputIntents"][0]["/S"] == "/GTS_PDFA1"
    assert reader.trailer["/ID"]
    assert not reader.is_encrypted
    assert all(page["/Tabs"] == "/S" for page in reader.pages)
    assert reader.metadata.creation_date == reader.metadata.modification_date == view.created
    actions = {entry for page in reader.pages for entry in page if entry == "/AA"}
    assert not actions
    assert "/JavaScript" not in root["/Names"]


def kinds_of(node, found):
    node = node.get_object()
    if isinstance(node, pypdf.generic.DictionaryObject) and "/S" in node:
        found.append((node["/S"], node))
    children = node.get("/K", []) if isinstance(node, pypdf.generic.DictionaryObject) else []
    children = children if isinstance(children, list) else [children]
    for child in children:
        if not isinstance(child.get_object(), int):
            kinds_of(child, found)
    return found


def test_headings_tables_links_and_pictures_are_tagged(document):
    reader, _, _ = document
    found = kinds_of(reader.trailer["/Root"]["/StructTreeRoot"], [])
    kinds = [kind for kind, _ in found]
    headings = [int(kind[2:]) for kind in kinds if kind[:2] == "/H" and kind[2:].isdigit()]
    assert headings[0] == 1
    assert all(after - before <= 1 for before, after in pairwise(headings))
    assert {"/Table", "/TR", "/TH", "/TD", "/Link", "/L", "/LI"} <= set(kinds)
    figures = [node for kind, node in found if kind == "/Figure"]
    assert figures
    assert all(node.get("/Alt") for node in figures)
    links = [
        link.get_object()
        for page in reader.pages
        for link in page.get("/Annots", [])
        if link.get_object()["/Subtype"] == "/Link"
    ]
    assert links
    assert all(link.get("/Contents") and "/StructParent" in link for link in links)


def test_every_font_is_one_of_the_shipped_and_embedded(document):
    reader, _, _ = document
    names = set()
    for page in reader.pages:
        for font in page["/Resources"]["/Font"].values():
            below = font.get_object()["/DescendantFonts"][0].get_object()
            assert "/FontFile2" in below["/FontDescriptor"]
            assert "/ToUnicode" in font.get_object()
            names.add(str(below["/BaseFont"]).partition("+")[2])
    assert names == {"Report-Sans", "Report-Sans-Bold", "Report-Serif-Bold", "Report-Mono"}


def test_attachments_have_dates_types_relations_and_descriptions(document):
    reader, view, files = document
    moment = view.created.strftime("D:%Y%m%d%H%M%SZ")
    specs = [spec.get_object() for spec in reader.trailer["/Root"]["/AF"]]
    assert sorted(spec["/UF"] for spec in specs) == sorted(file.name for file in files)
    assert {"evidence.json", "verdict.json", "policy.yaml"} <= {spec["/UF"] for spec in specs}
    named = reader.trailer["/Root"]["/Names"]["/EmbeddedFiles"]["/Names"][::2]
    assert named == sorted(named)
    wanted = {file.name: file for file in files}
    for spec in specs:
        file, stream = wanted[spec["/UF"]], spec["/EF"]["/F"].get_object()
        assert stream.get_data() == file.content
        assert stream["/Subtype"] == f"/{file.media_type}"
        assert {stream["/Params"][name] for name in ("/CreationDate", "/ModDate")} == {moment}
        assert spec["/AFRelationship"] == f"/{file.relationship}"
        assert spec["/Desc"].endswith(view.edition)
        assert spec["/F"] == spec["/UF"]


@pytest.mark.parametrize("audience", list(Audience))
def test_what_is_attached_says_which_edition_it_is_and_holds_together(sample, audience):
    view, files, originals = carried(sample, audience)
    found = by_name(files)
    contents = AttachmentsContents.model_validate_json(found.pop("attachments.json"))
    assert contents.edition is audience
    assert contents.files == {name: sha256(text).hexdigest() for name, text in found.items()}
    digests = (contents.evidence_sha256, contents.verdict_sha256)
    assert report_identifier(*digests) == contents.report_id == view.report_id
    assert digests == tuple(sha256(text).hexdigest() for text in originals)
    verdict = Verdict.model_validate_json(found["verdict.json"])
    assert verdict.evidence_sha256 == contents.evidence_sha256
    assert found["policy.yaml"].decode() == verdict.policy.text
    RunEvidence.model_validate_json(found["evidence.json"])
    are_the_originals = (found["evidence.json"], found["verdict.json"]) == originals
    assert are_the_originals == (audience is Audience.INTERNAL) == (not contents.withheld)


def test_small_counts_are_not_attached_to_the_shareable_edition(sample):
    _, files, originals = carried(sample, Audience.SHAREABLE)
    found = by_name(files)
    contents = json.loads(found["attachments.json"])
    for name, original in zip(("evidence.json", "verdict.json"), originals, strict=True):
        public, whole = json.loads(found[name]), json.loads(original)
        assert contents["withheld"][name]
        for pointer in contents["withheld"][name]:
            steps = pointer.split("/")[1:]
            before, after = whole, public
            for step in steps:
                key = int(step) if isinstance(before, list) else step
                before, after = before[key], after[key]
            assert before != after
    privet = {
        kind: next(m for m in json.loads(text)["measurements"] if m["metric"] == "privet")
        for kind, text in (("whole", originals[0]), ("public", found["evidence.json"]))
    }
    few = [name for name, it in privet["whole"]["figures"].items() if 1 <= (it["value"] or 0) < 11]
    assert few
    assert all(privet["public"]["figures"][name]["value"] is None for name in few)
    assert all(not m["diagnostics"] for m in json.loads(found["evidence.json"])["measurements"])


def test_salts_stay_inside_and_without_them_no_redacted_form_leaves(sample):
    evidence, verdict = sample.sample("violated")
    view, files, originals = carried(sample, Audience.SHAREABLE)
    salts = [verdict.salt, *(table.salt for table in evidence.release.tables.values())]
    assert all(salt in b"".join(originals).decode() for salt in salts)
    assert not any(salt.encode() in file.content for salt in salts for file in files)
    old = verdict.model_copy(update={"salt": None})
    left = by_name(attached_files(view, evidence, old, originals=originals))
    assert sorted(left) == ["attachments.json", "policy.yaml"]


def test_comments_of_a_waivers_file_stay_inside(sample):
    evidence, verdict = sample.sample_waived()
    view = build_view(evidence, verdict, audience=Audience.SHAREABLE)
    originals = (canonical_bytes(evidence), canonical_bytes(verdict))
    found = by_name(attached_files(view, evidence, verdict, originals=originals))
    assert verdict.waivers_file.text
    assert json.loads(found["verdict.json"])["waivers_file"]["text"] == ""


def test_fonts_ship_with_their_licences():
    folder = resource_folder("templates") / "fonts"
    assert sorted(path.name for path in folder.glob("*.ttf")) == list(FONTS)
    assert "SIL OPEN FONT LICENSE" in (folder / "LICENSE-Liberation.txt").read_text("utf-8")
    assert "Bitstream Vera" in (folder / "LICENSE-DejaVu.txt").read_text("utf-8")
    assert sum(path.stat().st_size for path in folder.iterdir()) < 1.6e6


def test_metadata_of_another_form_are_refused():
    class Stream:
        stream = (b"<rdf:RDF/>",)

    class Pdf:
        catalog = {"Metadata": "0 0 R"}  # noqa: RUF012
        objects = (Stream(),)

    with pytest.raises(RenderError, match="PDF/UA"):
        claim_accessibility(None, Pdf())
