from __future__ import annotations

import sys

import pytest

EXPORTS = {"dpia.md", "dpia.html", "oscal-assessment-results.json", "rules.csv"}
FORMATS = "html,dpia-md,dpia-html,oscal,csv"


@pytest.fixture
def check(privgate, write_release, policy):
    def start(*options):
        return privgate("check", write_release(), "-p", policy, "--out", "out", *options)

    return start


def test_a_check_writes_the_formats_and_language_asked_for(check, privgate, read_json, tmp_path):
    result = check("--format", FORMATS, "--language", "de")
    assert result.code == 0
    assert "Freigabe: survey" in result.out
    out = tmp_path / "out"
    assert EXPORTS | {"report.html"} <= set(read_json("manifest.json")["files"])
    assert 'lang="de-DE"' in (out / "report.html").read_text("utf-8")
    assert "Datenschutz-Folgenabschätzung" in (out / "dpia.md").read_text("utf-8")
    assert privgate("verify", out).code == 0


def test_a_report_is_drawn_again_in_another_language_and_to_the_byte(
    check, privgate, tmp_path, monkeypatch
):
    monkeypatch.setitem(sys.modules, "weasyprint", None)  # quicker without a PDF
    check("--format", FORMATS)
    out = tmp_path / "out"
    before = {name: (out / name).read_bytes() for name in (*EXPORTS, "evidence.json")}
    assert privgate("render", out, "--language", "DE").code == 0
    german = {name: (out / name).read_bytes() for name in before}
    assert german["evidence.json"] == before["evidence.json"]
    assert all(german[name] != before[name] for name in EXPORTS)
    assert privgate("verify", out).code == 0
    assert privgate("render", out).code == 0
    assert {name: (out / name).read_bytes() for name in before} == before


def test_a_language_without_a_catalogue_is_refused_before_measuring(check, tmp_path):
    result = check("--language", "fr")
    result.require_refused("fr", "--language", "de, en")
    assert not (tmp_path / "out").exists()
    check("--format", "word").require_refused("word", "oscal")
