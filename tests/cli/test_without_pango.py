from __future__ import annotations

import sys

import pytest


@pytest.fixture
def no_pango(monkeypatch):
    """Make WeasyPrint as unusable as without its libraries."""
    monkeypatch.setitem(sys.modules, "weasyprint", None)


@pytest.fixture
def check(no_pango, privgate, write_release, policy):
    del no_pango
    release = write_release()

    def run(*options):
        return privgate("check", release, "--policy", policy, "--out", "out", *options)

    return run


def written(folder):
    return {path.name for path in (folder / "out").iterdir()}


def test_by_default_the_rest_is_written_with_a_warning(check, privgate, tmp_path):
    result = check()
    assert result.code == 0
    assert "warning: no PDF was written" in result.err
    assert "apt-get install libpango" in result.err
    assert written(tmp_path) == {"evidence.json", "verdict.json", "report.html", "manifest.json"}
    assert privgate("verify", "out").code == 0


@pytest.mark.parametrize("formats", ["pdf", "html,pdf"])
def test_a_pdf_that_was_asked_for_is_an_error_before_measuring(check, tmp_path, formats):
    result = check("--format", formats)
    result.require_refused("Pango", "apt-get install libpango")
    assert "measuring" not in result.err
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("formats", ["html", "json", "HTML, json"])
def test_other_formats_need_no_pango(check, tmp_path, formats):
    result = check("--format", formats)
    assert result.code == 0
    assert "warning" not in result.err
    assert ("report.html" in written(tmp_path)) == ("html" in formats.lower())


def test_render_writes_what_it_can(check, privgate, tmp_path):
    assert check("--format", "json").code == 0
    result = privgate("render", "out")
    assert result.code == 0
    assert "warning: no PDF was written" in result.err
    assert "report.html" in written(tmp_path)
    assert privgate("verify", "out").code == 0


def test_the_doctor_says_so(no_pango, privgate):
    del no_pango
    result = privgate("doctor")
    assert result.code == 2
    assert "missing  PDF reports" in result.out
    assert "apt-get install" in result.out
