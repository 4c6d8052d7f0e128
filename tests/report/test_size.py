"""No input makes a report too long: it is cut, says so, and the rest is in files beside it."""

from __future__ import annotations

import csv
import io
import re
from functools import cache, partial

import pypdf
import pytest
from hypothesis import given
from hypothesis import strategies as st

from privgate.dossier import Format, dossier_files
from privgate.errors import RenderError
from privgate.evidence import RunEvidence, canonical_bytes
from privgate.policy.verdict import Outcome, Verdict
from privgate.report import (
    MOST_BYTES,
    MOST_PAGES,
    Audience,
    TooLongError,
    build_view,
    pdf,
    render_html,
    render_pdf,
    sizes,
)
from privgate.report.blocks import Cell, Prose, Section, Subheading, Table, table_head
from privgate.report.size import ROOMS, estimated_pages, fittings, shortened_text
from privgate.report.spreadsheet import csv_bytes, inert
from privgate.report.wording import load_wording

WORDS = load_wording("en")


@pytest.fixture(scope="module")
def huge(sample, hard_cases):
    return partial(hard_cases.huge, sample)


@pytest.fixture(scope="module")
def view_of_case(huge):
    """Return a function from the place of a case to its view, which takes seconds to build."""
    return cache(lambda place: build_view(*huge(**CASES[place]), audience=Audience.SHAREABLE))


CASES = [
    {"columns": 2000, "parts": 2000},
    {"columns": 2000, "rules": 400, "parts": 20},
    {"columns": 50, "rules": 40, "parts": 50},
]


@pytest.mark.slow
@pytest.mark.parametrize("place", range(len(CASES)))
def test_html_stays_small_and_the_estimate_of_pages_too(view_of_case, place):
    view = view_of_case(place)
    assert len(render_html(view).encode()) < MOST_BYTES / 4
    assert estimated_pages(view.sections) < MOST_PAGES
    assert [section.number for section in view.sections] == list(range(2, 21))


@pytest.mark.slow
def test_pdf_has_fewer_than_sixty_pages(view_of_case):
    view = view_of_case(1)
    pages = len(pypdf.PdfReader(io.BytesIO(render_pdf(view))).pages)
    assert 10 < pages <= estimated_pages(view.sections) + 4 < MOST_PAGES


def test_a_cut_table_says_so_and_is_whole_in_its_file(huge):
    evidence, verdict = huge(columns=2000)
    view = build_view(evidence, verdict, audience=Audience.SHAREABLE)
    html = render_html(view)
    assert "of 2,000 rows shown; all are in 06-columns-1.csv" in html
    rows = list(csv.reader(io.StringIO(view.tables["06-columns-1.csv"].decode("utf-8-sig"))))
    assert rows[0][0] == "Column"
    assert [row[0] for row in rows[1:]] == [column.name for column in evidence.release.columns]
    assert "x" * 2000 not in html


@pytest.mark.slow
def test_what_is_cut_keeps_the_gravest_rules_and_the_part_that_decided(sample, huge):
    evidence, verdict = huge(rules=200, parts=30)
    met = tuple(rule.model_copy(update={"outcome": Outcome.MET}) for rule in verdict.rules)
    rapid = next(found for found in evidence.measurements if found.parts)
    on_parts = next(rule for rule in verdict.rules if rule.measurement == rapid.id)
    changes = {"id": "grave", "outcome": Outcome.VIOLATED, "part": "column_0029"}
    grave = on_parts.model_copy(update=changes)
    verdict = sample.judge(evidence, verdict.outcome, (*met, grave))
    view = build_view(evidence, verdict, audience=Audience.SHAREABLE)
    table, *_ = view.sections[0].blocks
    assert len(table.rows) < 200
    assert table.rows[-1][0].text == "grave"
    assert "grave" in [
        block.identity for block in view.sections[0].blocks[1:] if block.kind == "rule"
    ]
    parts = next(
        block
        for block in view.sections[7].blocks
        if block.kind == "table" and block.headings[0].text == "Part"
    )
    assert "column_0029" in [row[0].text for row in parts.rows]


def test_small_counts_are_withheld_from_the_files_too(sample, huge):
    evidence, verdict = huge(columns=2000)
    rows = evidence.release.tables["train"].rows
    columns = tuple(
        column.model_copy(update={"missing": {"train": 3 / rows}})
        for column in evidence.release.columns
    )
    release = evidence.release.model_copy(update={"columns": columns})
    evidence = evidence.model_copy(update={"release": release})
    verdict = sample.judge(evidence, verdict.outcome, verdict.rules)
    view = build_view(evidence, verdict, audience=Audience.SHAREABLE)
    cells = view.tables["06-columns-1.csv"].decode("utf-8-sig")
    assert "&" not in cells
    assert "<0.24%" in cells
    assert "0.065%" not in cells


@pytest.mark.slow
def test_a_hundred_thousand_flagged_rows_of_the_internal_edition_are_in_a_file(sample):
    evidence, verdict = sample.sample("violated")
    flagged = [{"row": place, "score": place / 7} for place in range(100_000)]
    first = evidence.measurements[0].model_copy(update={"diagnostics": {"flagged": flagged}})
    evidence = evidence.model_copy(update={"measurements": (first, *evidence.measurements[1:])})
    verdict = sample.judge(evidence, verdict.outcome, verdict.rules)
    view = build_view(evidence, verdict, audience=Audience.INTERNAL)
    assert len(render_html(view).encode()) < 1e6
    (name,) = (name for name, text in view.tables.items() if text.count(b"\n") == 100_001)
    assert f"all are in {name}" in render_html(view)
    outside = build_view(evidence, verdict, audience=Audience.SHAREABLE)
    assert not outside.tables


def test_the_next_smaller_extent_is_drawn_where_one_does_not_fit(huge, monkeypatch):
    evidence, verdict = huge(columns=300)
    # Stored evidence has its names in alphabetical order.
    evidence = RunEvidence.model_validate_json(canonical_bytes(evidence))
    verdict = Verdict.model_validate_json(canonical_bytes(verdict))
    view = build_view(evidence, verdict, audience=Audience.SHAREABLE)
    extents = list(sizes(view))
    assert len(extents) > 1
    lengths = [len(render_html(extent)) for extent in extents]
    assert lengths == sorted(lengths, reverse=True)
    monkeypatch.setattr("privgate.report.extent.MOST_BYTES", lengths[0] - 1)
    files = dossier_files(evidence, verdict, formats={Format.HTML}, audience=Audience.SHAREABLE)
    assert files["report.html"].decode() == render_html(extents[1])
    assert {n for n in files if n.startswith("tables/")} == {
        f"tables/{n}" for n in extents[1].tables
    }
    monkeypatch.setattr("privgate.report.extent.MOST_BYTES", 1)
    with pytest.raises(RenderError, match="too long in every extent"):
        dossier_files(evidence, verdict, formats={Format.HTML}, audience=Audience.SHAREABLE)


def test_too_many_pages_are_refused(sample, monkeypatch):
    view = build_view(*sample.sample("met"), audience=Audience.SHAREABLE)
    monkeypatch.setattr(pdf, "MOST_PAGES", 1)
    with pytest.raises(TooLongError, match="would have"):
        render_pdf(view)


def test_parts_and_tables_beyond_the_limit_leave_a_note():
    room = ROOMS[0]
    table = Table(caption="t", headings=table_head("a"), rows=((Cell("1"),),))
    named = [Subheading("check", "id"), *[table] * (room.tables + 3)]
    blocks = (*named * (room.parts + 2), Subheading("plain"), Prose(("kept",)))
    section = Section(number=9, anchor="results", title="t", blocks=blocks)
    first = next(fittings((section,), WORDS))
    (fitted,) = first.sections
    texts = [block.paragraphs[0] for block in fitted.blocks if isinstance(block, Prose)]
    assert texts[-1] == "kept"
    assert texts[-2].startswith("Checks left out here for length: ")
    assert texts[0].startswith("Tables left out here for length: ")
    assert sum(isinstance(block, Subheading) for block in fitted.blocks) <= room.parts + 1
    assert first.tables
    assert all(content.endswith(b"a\n1\n") for content in first.tables.values())


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("=1+1", "'=1+1"),
        ("+cmd|' /C calc'!A0", "'+cmd|' /C calc'!A0"),
        ("-1.5%", "-1.5%"),
        ("+3.3 pp", "+3.3 pp"),
        ("@SUM(A1)", "'@SUM(A1)"),
        ("  =1", "'=1"),
        ("\t=1", "'=1"),
        ("a\r\n=1", "a =1"),
        ("\x00=1", "'=1"),
        ("\uff1d1", "'\uff1d1"),
        ("-2+3", "'-2+3"),
        ("<11", "<11"),
    ],
)
def test_no_cell_is_a_formula(text, written):
    assert inert(text) == written


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"]), max_size=20), min_size=1))
def test_csv_gives_back_its_cells(texts):
    rows = tuple((Cell(text),) for text in texts)
    table = Table(caption="t", headings=table_head("name"), rows=rows)
    text = csv_bytes(table).decode("utf-8-sig")
    found = [row[0] if row else "" for row in csv.reader(io.StringIO(text, newline=""))]
    assert found == ["name", *(inert(text) for text in texts)]
    assert not any(it.lstrip()[:1] in {"=", "@"} for it in found)


def test_a_text_is_cut_only_where_it_is_too_long():
    assert shortened_text("abc", 3) == "abc"
    assert shortened_text("abcd", 3) == "ab…"


def test_nothing_left_out_is_not_counted_as_left_out(case):
    for language, zero in (("en", r"left out here for length: 0\b"), ("de", r"weggelassen: 0\b")):
        html = render_html(
            build_view(*case("nasty"), audience=Audience.SHAREABLE, language=language)
        )
        assert not re.search(zero, html, re.IGNORECASE)
        assert load_wording(language)("document.shortened") in html
        assert load_wording(language)("document.shortened_lines") in html


@pytest.mark.slow
def test_what_no_input_adds_to_is_never_left_out(case, view_of):
    _, verdict = case("huge")
    view = view_of("huge")
    shown = {section.anchor: section for section in list(sizes(view))[-1].sections}
    (glossary,) = shown["glossary"].blocks
    assert len(glossary.items) == len(view.words.entries("glossary.items"))
    identity = next(block for block in shown["annex"].blocks if block.kind == "facts")
    assert identity.items[-1][1] == verdict.policy.sha256


@pytest.mark.slow
def test_a_check_made_often_is_pointed_to_once(view_of):
    view = view_of("huge")
    results = next(section for section in view.whole if section.anchor == "results")
    told = [block for block in results.blocks if block.kind == "prose"]
    pointers = [it for it in told if "speaks to this criterion, too" in it.paragraphs[0]]
    assert len(pointers) == 1
