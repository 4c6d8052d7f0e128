"""``privgate check --baseline``: the last release's check, verified and told about."""

from __future__ import annotations

import json
import shutil

import pytest


@pytest.fixture
def last(privgate, write_release, policy, tmp_path):
    """Return the folder of an earlier check."""
    options = ("--out", "last", "--format", "json")
    assert privgate("check", write_release(), "-p", policy, *options).code == 0
    return tmp_path / "last"


def again(privgate, tmp_path, policy, *options):
    return privgate("check", tmp_path / "release.yaml", "-p", policy, "--out", "out", *options)


@pytest.mark.slow
@pytest.mark.usefixtures("drawn_once")
def test_the_report_tells_what_changed_and_is_drawn_again_to_the_byte(
    privgate, last, policy, tmp_path
):
    plain = again(privgate, tmp_path, policy, "--format", "json")
    verdict = (tmp_path / "out" / "verdict.json").read_bytes()
    found = again(privgate, tmp_path, policy, "--baseline", last, "--language", "de")
    assert (found.code, found.out) == (plain.code, found.out)
    out = tmp_path / "out"
    told = json.loads((out / "baseline.json").read_bytes())
    assert told["outcome"] == "met"
    evidence = json.loads((out / "evidence.json").read_bytes())
    earlier = json.loads((last / "evidence.json").read_bytes())
    assert told["created"] == earlier["run"]["created"]
    assert evidence["measurements"] == earlier["measurements"]
    assert json.loads(verdict)["rules"] == json.loads((out / "verdict.json").read_bytes())["rules"]
    assert "Seit der letzten Freigabe" in (out / "report.html").read_text("utf-8")
    assert privgate("verify", out).code == 0
    assert privgate("verify", out / "report.pdf").code == 0
    before = {path.name: path.read_bytes() for path in out.iterdir()}
    assert privgate("render", out, "--language", "de").code == 0
    assert {path.name: path.read_bytes() for path in out.iterdir()} == before


def test_an_altered_earlier_check_is_refused_before_measuring(privgate, last, policy, tmp_path):
    for name in ("evidence.json", "verdict.json", "manifest.json"):
        forged = shutil.copytree(last, tmp_path / f"forged-{name}")
        content = (forged / name).read_bytes()
        (forged / name).write_bytes(content.replace(b"met", b"mat", 1))
        found = again(privgate, tmp_path, policy, "--baseline", forged)
        found.require_refused(name)
        assert "measuring" not in found.err
    again(privgate, tmp_path, policy, "--baseline", tmp_path).require_refused("not the output")
    assert not (tmp_path / "out").exists()


def test_a_later_check_may_take_the_place_of_the_earlier(privgate, last, policy, tmp_path):
    other = policy.with_name("other.yaml")
    other.write_text(policy.read_text("utf-8").replace("max: 0.05}", "max: 0.9}", 1), "utf-8")
    shutil.move(last, tmp_path / "out")
    found = again(privgate, tmp_path, other, "--baseline", "out", "--format", "html")
    assert found.code == 0, found
    html = (tmp_path / "out" / "report.html").read_text("utf-8")
    assert "Something in it asks less now" in html
    assert "copies" in html[html.index('id="changes"') :]
