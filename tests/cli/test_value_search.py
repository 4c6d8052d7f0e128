"""No output shows the value of a record: planted ones are absent, and a leaking text stops all."""

from __future__ import annotations

import io
import json

import pypdf
import pytest

from privgate.cli.files import require_study_searched
from privgate.data import load_release
from privgate.errors import DisclosureError
from privgate.metrics import all_metrics
from privgate.policy import open_policy
from privgate.testing.samples import SURVEY_COLUMNS

pytestmark = pytest.mark.slow

OUT = ("--out", "out")

COLUMNS = SURVEY_COLUMNS | {
    "health": {
        "type": "ordinal",
        "role": "other",
        "levels": ["poor", "fair", "good", "terminalis"],
    },
    "village": {"type": "categorical", "role": "quasi_identifier"},
    "person": {"type": "categorical", "role": "identifier"},
}
PLANTED = {
    "age": 98.7654,
    "sex": "Zwischenform",
    "region": "Hinterwinkeltal",
    "health": "terminalis",
    "since": "1907-03-14",
    "income": 87654321.12,
    "smoker": "pfeifenraucher",
    "person": "ID-00007-XK",
    "village": "Oberwintersheim am Berg",
}
TRACES = (
    *("98.7654", "98,7654", "zwischenform", "hinterwinkeltal", "terminalis", "pfeifenraucher"),
    *("1907-03", "march 1907", "1982102400", "87654321", "87,654,321", "87.654.321"),
    *("00007-xk", "id-0000", "oberwintersheim"),
)


@pytest.fixture
def check(privgate, policy):
    """Return a function that checks a release with all reports, into the folder ``out``."""
    return lambda release, *options: privgate("check", release, "-p", policy, *OUT, *options)


@pytest.fixture
def planted(frames):
    """Return tables in which one person, or two of one village, has each planted value."""
    tables = {
        name: frame.assign(
            village="Großstadt", person=[f"ID-{i:05d}-{name[0]}" for i in range(len(frame))]
        )
        for name, frame in frames.items()
    }
    train = tables["train"].astype({"age": float, "since": object})
    for column, value in PLANTED.items():
        train.loc[5, column] = value
    train.loc[6, "village"] = PLANTED["village"]
    return tables | {"train": train.assign(since=train["since"].astype(str).str[:10])}


def texts_of(name, content):
    """Return the texts of a file, read without the program's own reader."""
    if not name.endswith(".pdf"):
        return content.decode()
    reader = pypdf.PdfReader(io.BytesIO(content))
    pages = [page.extract_text() for page in reader.pages]
    attached = [
        texts_of(inner, item) for inner, found in reader.attachments.items() for item in found
    ]
    return "\n".join([*pages, *attached, *map(str, (reader.metadata or {}).values())])


def traces_in(folder):
    files = [path for path in folder.rglob("*") if path.is_file()]
    assert {path.name for path in files} >= {"report.html", "report.pdf", "evidence.json"}
    return [
        (path.name, trace)
        for path in files
        for text in [texts_of(path.name, path.read_bytes()).casefold()]
        for trace in TRACES
        if trace in text or trace in text.replace("\n", "")
    ]


@pytest.mark.parametrize("options", [("--records",), ("--internal",)])
def test_no_planted_value_occurs_in_any_output(check, write_release, tmp_path, planted, options):
    release = write_release(COLUMNS, **planted)
    result = check(release, *options)
    assert result.code in {0, 1, 3}, result
    assert traces_in(tmp_path / "out") == []
    assert [trace for trace in TRACES if trace in (result.out + result.err).casefold()] == []


def test_a_text_that_leaks_is_written_nowhere(check, write_release, tmp_path, planted, monkeypatch):
    leaks = {
        "income": "The largest income is 87,654,321.",
        "since": "First seen 14 March 1907.",
        "village": "Rare: OBERWINTERSHEIM AM BERG",
    }
    monkeypatch.setattr("privgate.data.assembly.release_notes", lambda *_: iter(leaks.values()))
    release = write_release(COLUMNS, **planted)
    result = check(release)
    assert result.code == 2
    assert result.out == ""
    assert not (tmp_path / "out").exists()
    for place in (
        "report.html: the section '5 Data'",
        "report.pdf: the section 'page ",
        *(f"evidence.json: the section 'release.notes[{number}]'" for number in range(3)),
    ):
        assert place in result.err
    for column in leaks:
        assert f"would show a value of column {column!r}" in result.err
    assert [trace for trace in TRACES if trace in result.err.casefold()] == []


def test_studies_are_searched_before_they_are_written(write_release, policy, planted):
    release = load_release(write_release(COLUMNS, **planted))
    bound = open_policy(str(policy), all_metrics())
    require_study_searched({"power.html": b"<p>quick 1.0.0, Quick rules for tests"}, bound, release)
    with pytest.raises(DisclosureError, match=r"power\.html: .* column 'income'"):
        require_study_searched({"power.html": b"<p>87,654,321"}, bound, release)


def test_a_text_of_the_release_file_may_say_what_its_author_wants(
    check, write_release, tmp_path, planted
):
    release = write_release(COLUMNS, **planted)
    content = json.loads(release.read_text("utf-8"))
    content["context"] = {"population": "people of Oberwintersheim am Berg and others"}
    release.write_text(json.dumps(content), "utf-8")
    assert check(release, "--format", "html").code in {0, 1, 3}
    assert "Oberwintersheim" in (tmp_path / "out" / "report.html").read_text("utf-8")


HOSTILE = {
    "age": "<script>alert(1)</script>",
    "sex": "{{ 7*7 }}{% raw %}",
    "region": "quote\"'`;--",
    "married": "line\nbreak\ttab",
    "health": "\u202eturned \u05d0\u05d1\u05d2",
    "since": "=cmd|' /C calc'!A0",
    "income": "x" * 900,  # a YAML key has at most 1,024 letters
    "smoker": "</style><img src=http://example.invalid/ onerror=alert(1)>",
}
LEVELS = {
    "north": "<b onmouseover=alert(1)>north</b>",
    "south": '=HYPERLINK("http://example.invalid")',
    "east": "{{ request }}\n{% raw %}",
    "west": "y" * 10_000,
}


def test_hostile_names_and_levels_go_through_a_whole_check_as_text(check, tmp_path, frames):
    tables = {
        name: frame.assign(region=frame["region"].map(LEVELS)).rename(columns=HOSTILE)
        for name, frame in frames.items()
    }
    columns = {HOSTILE[name]: entry for name, entry in SURVEY_COLUMNS.items()}
    data = {name: {"path": f"{name}.csv"} for name in tables}
    for name, table in tables.items():
        table.to_csv(tmp_path / f"{name}.csv", index=False)
    release = tmp_path / "release.yaml"
    name = "<h1>{{x}}</h1>\u202e=cmd\n" + "n" * 10_000
    content = {"privgate": "release/v1", "name": name, "data": data, "columns": columns}
    release.write_text(json.dumps(content | {"context": {"=cmd()": "</p><script>"}}), "utf-8")
    result = check(release, "--records")
    assert result.code in {0, 1, 3}, result
    assert "\u202e" not in result.out + result.err
    html = (tmp_path / "out" / "report.html").read_text("utf-8")
    for markup in ("<script", "<b onmouseover", "<img", "onerror=alert(1)>", "\u202e", "request"):
        assert markup not in html, markup
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in html
    assert "{{ 7*7 }}{% raw %}" in html
    assert len(pypdf.PdfReader(tmp_path / "out" / "report.pdf").pages) < 40
    cells = [
        cell.strip('"')
        for path in (tmp_path / "out" / "records").iterdir()
        for cell in path.read_text("utf-8").splitlines()[0].split(",")
    ]
    assert cells
    assert [cell for cell in cells if cell.startswith(("=", "+", "-", "@"))] == []
