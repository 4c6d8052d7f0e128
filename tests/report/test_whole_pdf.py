"""Whole PDFs of judged releases, read with other libraries than the product's own."""

from __future__ import annotations

import io
import json
import shutil
import subprocess

import pikepdf
import pytest

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module", params=["violated", "not_assessed"])
def report(request, drawn):
    return drawn(request.param)


@pytest.fixture(scope="module")
def nasty(drawn):
    return drawn("nasty")


def numbers_of(view):
    """Return, by rule, every text with a number that a verdict rests on."""
    for rule in view.rules:
        said = (rule.measured, rule.interval, rule.judged, rule.limit, rule.margin)
        yield from ((rule.verdict.id, text) for text in said if any(map(str.isdigit, text)))


def test_every_number_that_decided_is_in_the_text_of_the_pages(report):
    told = list(numbers_of(report.view))
    assert len(told) > 15
    assert [(rule, text) for rule, text in told if text not in report.plain] == []
    assert [reason for reason in report.view.reasons if reason not in report.plain] == []


@pytest.mark.skipif(shutil.which("pdftotext") is None, reason="pdftotext is not installed")
def test_another_reader_finds_the_same_numbers(report, tmp_path):
    file = tmp_path / "report.pdf"
    file.write_bytes(report.content)
    command = ["pdftotext", "-layout", str(file), "-"]
    done = subprocess.run(command, capture_output=True, text=True, check=True, encoding="utf-8")
    plain = " ".join(done.stdout.split())
    # Columns stand side by side in this reader's lines, so long texts are broken there.
    assert [(r, t) for r, t in numbers_of(report.view) if len(t) < 12 and t not in plain] == []


def elements(node):
    """Yield every element of a structure tree."""
    yield node
    below = node.get("/K", [])
    for child in below if isinstance(below, pikepdf.Array) else [below]:
        if isinstance(child, pikepdf.Dictionary) and "/S" in child:
            yield from elements(child)


def test_the_file_is_sound_titled_and_in_a_language(report):
    with pikepdf.open(io.BytesIO(report.content)) as pdf:
        assert pdf.check_pdf_syntax() == []
        assert pdf.Root.Lang == "en-GB"
        assert pdf.Root.MarkInfo.Marked
        assert pdf.Root.ViewerPreferences.DisplayDocTitle
        with pdf.open_metadata() as metadata:
            assert metadata["dc:title"] == str(pdf.docinfo["/Title"])
            assert metadata["dc:title"].endswith(f"({report.view.badge.text})")
            assert (metadata["pdfaid:part"], metadata["pdfaid:conformance"]) == ("3", "U")
            assert metadata["pdfuaid:part"] == "1"
        assert all(map(bytes, pdf.trailer.ID))


def test_all_is_tagged_and_pictures_have_words(report):
    with pikepdf.open(io.BytesIO(report.content)) as pdf:
        found = list(elements(pdf.Root.StructTreeRoot.K[0]))
        kinds = {str(element.S) for element in found}
        assert {"/H1", "/H2", "/Table", "/TH", "/TD", "/Figure", "/Link", "/LI"} <= kinds
        figures = [element for element in found if element.S == "/Figure"]
        assert len(figures) >= 5
        assert [str(figure) for figure in figures if not str(figure.get("/Alt", "")).strip()] == []
        heads = {bytes(head.ID) for head in found if head.S == "/TH"}
        cells = [bytes(name) for cell in found if cell.S == "/TD" for name in cell.A.Headers]
        assert len(heads) > 100
        assert set(cells) <= heads
        listed = list(pdf.Root.StructTreeRoot.IDTree.Names)
        assert [bytes(name) for name in listed[::2]] == sorted(heads)
        assert all(bytes(listed[i]) == bytes(listed[i + 1].ID) for i in range(0, len(listed), 2))
        assert all(len(cell.A.Headers) == 2 for cell in found if cell.S == "/TD")
        assert all("/StructParents" in page and page.Tabs == "/S" for page in pdf.pages)


def test_what_is_attached_is_listed_once_with_its_relation(report):
    with pikepdf.open(io.BytesIO(report.content)) as pdf:
        names = set(pdf.attachments)
        assert {"evidence.json", "verdict.json", "policy.yaml", "attachments.json"} <= names
        assert sorted(str(spec.UF) for spec in pdf.Root.AF) == sorted(names)
        assert all("/AFRelationship" in spec for spec in pdf.Root.AF)
        inside = json.loads(pdf.attachments["attachments.json"].get_file().read_bytes())
        assert inside["report_id"] == report.view.report_id
        assert set(inside["files"]) == names - {"attachments.json"}


def test_hostile_names_are_text_in_the_pdf_and_nothing_else(nasty, hard_cases):
    plain = nasty.plain
    for name in hard_cases.HOSTILE[:4]:
        assert name in plain
    assert "\\u202eabc" in plain
    assert "two lines and a tab" in plain
    assert "a" * 200 not in nasty.text
    assert "49" not in plain.split()
    with pikepdf.open(io.BytesIO(nasty.content)) as pdf:
        assert pdf.check_pdf_syntax() == []
        assert len(pdf.pages) < 40
        kinds = [type(it) for it in pdf.objects]
        assert kinds
        dictionaries = [it for it in pdf.objects if isinstance(it, pikepdf.Dictionary)]
        active = {"/JavaScript", "/JS", "/Launch", "/SubmitForm", "/GoToR", "/URI"}
        assert [
            it for it in dictionaries if active & {*map(str, it.keys()), str(it.get("/S"))}
        ] == []
        assert "<h1>{{x}}</h1>" in str(pdf.docinfo["/Title"])
