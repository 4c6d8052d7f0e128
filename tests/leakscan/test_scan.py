from __future__ import annotations

import io
import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pypdf
import pytest

from privgate.data import load_release, release_from_arrays, release_from_frames
from privgate.errors import DisclosureError, RenderError
from privgate.leakscan import Finding, require_no_values, scan_outputs


def columns_shown(text, release, name="report.html", **options):
    found = scan_outputs({name: text.encode()}, release, **options)
    assert all(finding.file == name for finding in found)
    return {finding.column for finding in found}


@pytest.mark.parametrize(
    "shown",
    [
        "Nether-Süd Wallop",
        "the village of NETHER SÜD WALLOP.",
        "Nether-Su\u0308d Wallop",
        "Nether-S&uuml;d&nbsp;Wallop",
        "<svg><text>Nether-Süd Wallop</text></svg>",
        "<svg><title>in Nether-Süd Wallop</title></svg>",
        "<img alt='Nether-Süd Wallop'>",
        "<td data-label='Nether-Süd Wallop'></td>",
        "<!-- Nether-Süd Wallop -->",
        "Nether-Süd\u00ad \u200bWallop",
    ],
)
def test_a_village_of_two_people_is_seen_however_it_is_written(planted, shown):
    assert columns_shown(shown, planted) == {"village"}


@pytest.mark.parametrize(
    ("shown", "column"),
    [
        ("98,765,432.14", "income"),
        ("98.765.432,14", "income"),
        ("98\u202f765\u202f432.14", "income"),
        ("98'765'432.1", "income"),
        ("98765432.14", "income"),
        ("at most 98,765,432", "income"),
        ("9.876543214e7", "income"),
        ("−765,432", "income"),
        ("up to 123,457 years", "age"),
        ("12,345,700%", "age"),
        ("from 1931-05-17 on", "since"),
        ("17.05.1931", "since"),
        ("05/17/1931", "since"),
        ("17 May 1931", "since"),
        ("May 17, 1931", "since"),
        ("-1219017600.0", "since"),
        ("P1-00017", "person"),
        ("collects rare stamps from islands far away and hats", "note"),
        ("Only Synthetic", "village"),
    ],
)
def test_values_of_few_people_are_seen_in_any_notation(planted, shown, column):
    assert columns_shown(shown, planted) == {column}


@pytest.mark.parametrize(
    "shown",
    [
        "Großstadt",  # many live there
        "54,321",  # twenty people
        "9,877 and 98.8 and 123,000",  # rounded beyond recognition
        "Nether Wallop",  # another village
        "2031-05-17",
        "<path d='M123457 98765432.14'/>",
        "<link href='data:font/woff2;base64,Nether+Wallop/123457/Q=='>",
        "yes no north f m True poor",
    ],
)
def test_what_points_at_nobody_is_not_seen(planted, shown):
    assert columns_shown(shown, planted) == set()


def test_the_words_of_the_program_and_of_declared_texts_are_no_finding():
    def people(seed, words):
        rng = np.random.default_rng(seed)
        return pd.DataFrame({"x": rng.normal(size=200), "word": [*words, *["often"] * 195]})

    words = ["holdout", "disclosure risk", "Marmelade", "Quittengelee", "Aprikosensaft"]
    release = release_from_frames(
        train=people(1, words),
        synthetic=people(2, ["often"] * 5),
        columns={
            "x": {"type": "numeric", "role": "other"},
            "word": {
                "type": "categorical",
                "role": "other",
                "decided_by": "A. Steward, for Aprikosensaft",
            },
        },
    )
    facts = release.facts.model_copy(update={"context": {"purpose": "a study of\nQuittengelee"}})
    release = replace(release, facts=facts)
    text = " / ".join(words)
    assert columns_shown(text, release) == {"word"}
    assert columns_shown(text, release, declared=["eating marmelade"]) == set()


def test_a_finding_names_file_section_and_column_and_never_the_value(planted):
    page = "<h2>2 <b>Verdict</b></h2><p>x</p><h2>5 Data</h2><p>Nether-Süd Wallop: 98,765,432"
    files = {
        "report.html": page.encode(),
        "note.md": b"# Summary\n\nage 123457\n\n## 98765432\n",
        "rules.csv": b"a,b\n1,98765432.14\n",
        "evidence.json": json.dumps({"m": [{"diagnostics": {"range": [1, 123457.0]}}]}).encode(),
    }
    assert set(scan_outputs(files, planted)) == {
        Finding("report.html", "5 Data", "village"),
        Finding("report.html", "5 Data", "income"),
        Finding("note.md", "Summary", "age"),
        Finding("note.md", "(its title shows the value)", "income"),
        Finding("rules.csv", "line 2", "income"),
        Finding("evidence.json", "m[0].diagnostics", "age"),
    }
    with pytest.raises(DisclosureError) as refused:
        require_no_values(files, planted)
    message = str(refused.value)
    assert "report.html: the section '5 Data' would show a value of column 'village'" in message
    assert refused.value.exit_code == 2
    for value in ("Wallop", "98765432", "98,765,432", "123457"):
        assert value not in message


def pdf_with(metadata="", attached=b""):
    writer = pypdf.PdfWriter()
    writer.add_blank_page(100, 100)
    writer.add_metadata({"/Title": metadata})
    writer.add_outline_item("Begin", 0)
    if attached:
        writer.add_attachment("inner.json", attached)
    found = io.BytesIO()
    writer.write(found)
    return found.getvalue()


def test_metadata_and_attachments_of_a_pdf_are_read(planted):
    assert scan_outputs({"report.pdf": pdf_with()}, planted) == ()
    titled = pdf_with("About Nether-Süd Wallop")
    assert scan_outputs({"report.pdf": titled}, planted) == (
        Finding("report.pdf", "bookmarks, descriptions and metadata", "village"),
    )
    attached = pdf_with(attached=b'{"a": [123457]}')
    assert scan_outputs({"report.pdf": attached}, planted) == (
        Finding("report.pdf", "attached file, a[0]", "age"),
    )


def test_what_cannot_be_read_does_not_go_out(planted):
    for name, content in {"x.bin": b"\xff\xfe\x00", "report.pdf": b"%PDF-1.7 broken"}.items():
        with pytest.raises(RenderError, match="cannot be searched"):
            scan_outputs({name: content}, planted)


def test_scores_by_position_are_left_out(planted):
    assert scan_outputs({"records/rapid-train.csv": b"row,score\n1,123457\n"}, planted) == ()


def test_numbers_of_arrays_are_seen():
    def rows(seed):
        return np.random.default_rng(seed).normal(size=(300, 4))

    train = rows(1)
    release = release_from_arrays(
        train=train, holdout=rows(2), synthetic=rows(3), distance="euclidean"
    )
    assert columns_shown(repr(float(abs(train[5, 2]))), release) == {"dimension 3"}
    assert columns_shown("0.12345678901234", release) == set()


def test_a_release_of_bits_has_nothing_to_look_for():
    def bits(seed):
        return np.random.default_rng(seed).integers(0, 2, (100, 30))

    release = release_from_arrays(
        train=bits(1), holdout=bits(2), synthetic=bits(3), distance="hamming"
    )
    assert columns_shown("0 1 10101 2001-01-01", release) == set()


@pytest.fixture(scope="module")
def numbered():
    """Return a release whose people have row numbers, and incomes that fill their range."""
    rows = 20_000

    def people(seed):
        rng = np.random.default_rng(seed)
        income = rng.integers(20_000, 60_000, rows).astype(float)
        return pd.DataFrame({"number": np.arange(1, rows + 1), "income": income})

    train = people(1)
    train.loc[0, "income"] = 7_654_321
    numeric = {"type": "numeric", "role": "other"}
    return release_from_frames(
        train=train,
        holdout=people(2),
        synthetic=people(3),
        columns={"number": numeric, "income": numeric},
    )


def test_counts_meet_row_numbers_and_dense_columns_by_chance(numbered):
    rng = np.random.default_rng(5)
    counts = " ".join(f"{count:,}" for count in rng.integers(10_001, 19_999, 60))
    figures = " ".join(f"{figure:,}" for figure in rng.integers(30_001, 49_999, 20))
    assert columns_shown(counts, numbered) == set()
    assert columns_shown(figures, numbered) == set()


def test_a_lone_extreme_is_seen_among_many_numbers(numbered):
    counts = " ".join(f"{n:,}" for n in range(12_001, 12_061))
    assert columns_shown(f"{counts} 7,654,321", numbered) == {"income"}


RELEASES = ("aids-ctgan", "census2k-syn_flip30", "hepatitis-smote", "penguins-BN-syn", "wbcd-ctgan")


@pytest.mark.slow
@pytest.mark.parametrize("name", RELEASES)
def test_reports_on_other_people_show_no_value_of_real_ones(shared, name):
    reports = Path(__file__).parents[1] / "golden" / "report"
    files = {path.name: path.read_bytes() for path in reports.iterdir()}
    assert len(files) > 4
    assert scan_outputs(files, load_release(shared / "releases" / f"{name}.yaml")) == ()
