from __future__ import annotations

import sys

import pandas as pd
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


def test_a_cleaned_release_is_reported_in_the_language_asked_for(
    privgate, write_release, policy, frames, tmp_path
):
    some = pd.concat([frames["synthetic"], frames["train"][:4]], ignore_index=True)
    options = ("--out", "out", "--format", "html", "--language", "de")
    result = privgate("clean", write_release(synthetic=some), "-p", policy, *options)
    assert result.code in {0, 1, 3}, result
    report = (tmp_path / "out" / "check" / "report.html").read_text("utf-8")
    assert "Synthetische Datensätze wurden entfernt (weniger als 11)" in report
    assert "Freigabe: survey" in result.out


@pytest.mark.parametrize("command", ["check", "clean", "power", "calibrate", "demo"])
def test_a_language_without_a_catalogue_is_refused_before_measuring(
    privgate, write_release, policy, tmp_path, command
):
    release = write_release()
    given = () if command == "demo" else (release, "-p", policy)
    result = privgate(command, *given, "--out", "out", "--language", "fr")
    result.require_refused("fr", "--language", "de, en")
    assert not (tmp_path / "out").exists()


def test_a_format_that_does_not_exist_is_refused(check):
    check("--format", "word").require_refused("word", "oscal")
