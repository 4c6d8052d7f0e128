import json
import re

import pytest

from privgate.trials import power


@pytest.fixture
def release(write_release, policy):
    """Return the path of a release file that lies beside a quick policy."""
    assert policy.name == "quick.yaml"
    return write_release()


def test_power_writes_a_study_and_goes_on_with_the_same_options(privgate, release, tmp_path):
    options = ("--shares", "0.2", "--fields", "1", "--trials", "2", "--out", "study")
    first = privgate("power", release, "-p", "quick.yaml", *options)
    assert first.code == 0, first
    study = json.loads((tmp_path / "study" / "power.json").read_text())
    verbatim = study["planted"][0]
    assert (verbatim["share"], verbatim["trials"], verbatim["stopped"]) == (0.2, 2, 2)
    assert "2/2" in first.out
    assert "<svg" in (tmp_path / "study" / "power.html").read_text()
    assert not list(tmp_path.glob("study*.jsonl*"))
    before = (tmp_path / "study" / "power.json").read_bytes()
    again = privgate("power", release, "-p", "quick.yaml", *options, "--language", "de")
    assert again.code == 0  # an earlier study is replaced
    assert (tmp_path / "study" / "power.json").read_bytes() == before
    german = (tmp_path / "study" / "power.html").read_text("utf-8")
    assert 'lang="de-DE"' in german
    assert "Empfindlichkeitsprobe" in german


def test_power_refuses_what_it_cannot_plant(privgate, release):
    privgate("power", release, "-p", "quick.yaml", "--shares", "5%").require_refused(
        "--shares", "0.01,0.05"
    )
    privgate("power", release, "-p", "quick.yaml", "--shares", "5").require_refused("at most 1")
    privgate("power", release).require_refused("no policy was named")


def test_a_folder_with_something_else_is_left_alone(privgate, release, tmp_path):
    (tmp_path / "study").mkdir()
    (tmp_path / "study" / "thesis.txt").write_text("mine")
    for command in ("power", "calibrate"):
        found = privgate(command, release, "-p", "quick.yaml", "--out", "study")
        found.require_refused("thesis.txt")
    assert (tmp_path / "study" / "thesis.txt").read_text() == "mine"


@pytest.mark.slow
def test_calibrate_writes_a_draft_that_can_be_linted_and_used(privgate, release, tmp_path):
    options = ("--draws", "9", "--false-alarms", "0.1", "--out", "study", "--language", "de")
    found = privgate("calibrate", release, "-p", "quick.yaml", *options)
    assert found.code == 0, found
    draft = tmp_path / "study" / "policy-draft.yaml"
    assert privgate("policy", "lint", draft).code == 0
    assert privgate("check", release, "-p", draft, "--format", "json").code != 2
    study = json.loads((tmp_path / "study" / "calibration.json").read_text())
    assert [rule["id"] for rule in study["rules"]] == [
        "inference",
        "membership",
        "copies",
        "nearness",
    ]
    page = (tmp_path / "study" / "calibration.html").read_text("utf-8")
    assert page.count('<svg class="chart"') == 4
    assert "echte Menschen neu aufgeteilt" in page
    told = re.sub(r"<style.*?</style>|<[^>]*>", " ", page, flags=re.DOTALL)
    assert re.findall(r"\b(?:the|of|and|people|with|draws|real)\b", told) == []


def test_calibrate_refuses_an_impossible_level(privgate, release):
    found = privgate("calibrate", release, "-p", "quick.yaml", "--false-alarms", "5")
    found.require_refused("between 0 and 0.5", "0.05 for 5 %")


@pytest.mark.slow
def test_a_check_with_power_shows_it_in_the_report_and_in_a_rendering(
    privgate, release, tmp_path, monkeypatch
):
    plan = power.PowerPlan(shares=(0.2,), fields=(1.0,), trials=1)
    monkeypatch.setattr(power, "PowerPlan", lambda: plan)
    found = privgate(
        "check", release, "-p", "quick.yaml", "--power", "--format", "html", "--out", "out"
    )
    assert found.code == 0, found
    report = (tmp_path / "out" / "report.html").read_bytes()
    assert b"from 20% of the records on" in report
    assert privgate("verify", "out").code == 0
    assert privgate("render", "out").code == 0
    assert (tmp_path / "out" / "report.html").read_bytes() == report
    assert not list(tmp_path.glob("*.jsonl"))
