from __future__ import annotations

import pytest

SVG = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><rect width="9" height="9"/></svg>'
TEMPLATE = (
    '{% extends "privgate/report.html.j2" %}{% block imprint %}<p>Office four</p>{% endblock %}'
)


@pytest.fixture
def look(tmp_path):
    folder = tmp_path / "look"
    folder.mkdir()
    (folder / "report.html.j2").write_text(TEMPLATE, encoding="utf-8")
    logo = tmp_path / "logo.svg"
    logo.write_text(SVG, encoding="utf-8")
    return ("--template", folder, "--logo", logo, "--logo-alt", "Office")


@pytest.fixture
def no_drawing(monkeypatch):
    """Draw no PDF: `render` writes one beside the page that is looked at here."""
    monkeypatch.setattr("privgate.report.pdf.draw_pdf", lambda *_, **__: b"%PDF-1.7\n%%EOF\n")


@pytest.mark.slow
@pytest.mark.usefixtures("no_drawing")
def test_check_and_render_take_a_look(privgate, write_release, policy, tmp_path, look):
    command = ("check", write_release(), "-p", policy, "--out", "out", "--format", "html")
    assert privgate(*command, *look).code == 0
    report = tmp_path / "out" / "report.html"
    branded = report.read_text("utf-8")
    assert "Office four" in branded
    assert 'alt="Office"' in branded
    assert privgate("verify", "out").code == 0
    assert privgate("render", "out").code == 0
    assert "Office four" not in report.read_text("utf-8")
    assert privgate("render", "out", *look).code == 0
    assert report.read_text("utf-8") == branded


def test_an_unusable_look_is_refused_before_anything_is_measured(
    privgate, write_release, policy, tmp_path, look
):
    (tmp_path / "logo.svg").write_text("<svg/>", encoding="utf-8")
    command = ("check", write_release(), "-p", policy, "--out", "out", "--format", "html")
    privgate(*command, *look).require_refused("logo.svg", "not a PNG, JPEG or SVG")
    assert not (tmp_path / "out").exists()
