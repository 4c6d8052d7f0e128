from __future__ import annotations

import json
import re
from datetime import UTC, datetime
from hashlib import sha256

import pytest

from privgate.errors import PolicyError
from privgate.metrics import all_metrics
from privgate.policy import Verdict, Waiver, open_policy, waivers_from_text

NOVEMBER = str(int(datetime(2026, 11, 30, 12, tzinfo=UTC).timestamp()))
SMALL_POLICY = """\
privgate: policy/v1
id: small
version: 1.0.0
title: Small
rules:
  - {id: copies, metric: crp, measure: share, require: {max: 0.05}, rationale: so,
     source: {kind: house, ref: test}}
  - {id: fixed, metric: crp, measure: holdout_share, require: {max: 0.5}, rationale: so,
     waivable: false, source: {kind: house, ref: test}}
"""


@pytest.fixture(autouse=True)
def policy(tmp_path):
    """Put a policy that takes no time in place of the usual one."""
    path = tmp_path / "small.yaml"
    path.write_text(SMALL_POLICY, "utf-8")
    return path


@pytest.fixture
def waive(tmp_path):
    """Return a function that writes a waivers file and returns its path."""

    def write(*entries, digest=None, **changes):
        file = tmp_path / "synthetic.csv"
        known = sha256(file.read_bytes()).hexdigest() if file.is_file() else "0" * 64
        complete = {
            "rule": "copies",
            "reason": "fictitious test persons",
            "approved_by": "A. Example, DPO",
            "granted": "2026-11-01",
            "expires": "2027-03-31",
            "release_sha256": digest or known,
        }
        listed = [complete | entry for entry in entries or ({},)]
        listed[0] |= changes
        path = tmp_path / "waivers.yaml"
        path.write_text(json.dumps({"privgate": "waivers/v1", "waivers": listed}), "utf-8")
        return path

    return write


@pytest.fixture
def waived(judge, waive, frames, tmp_path, monkeypatch):
    """Return a function that checks copies of train under a waivers file."""
    monkeypatch.setenv("SOURCE_DATE_EPOCH", NOVEMBER)

    def check(*entries, synthetic=None, **changes):
        path = tmp_path / "waivers.yaml"
        path.touch()
        leaky = frames["train"] if synthetic is None else synthetic
        prepare = lambda _folder: waive(*entries, **changes)  # noqa: E731
        return judge("--waivers", path, synthetic=leaky, prepare=prepare)

    return check


def test_a_waiver_opens_the_gate_and_is_told(waived, read_json, tmp_path):
    result = waived()
    assert result.code == 0
    assert result.out.startswith("MET WITH 1 WAIVER: This release meets the policy with 1 waiver\n")
    assert "[counted] waiver for rule copies: Let stand by A. Example, DPO" in result.out
    verdict, manifest = read_json("verdict.json"), read_json("manifest.json")
    assert (verdict["outcome"], verdict["exit_code"]) == ("met", 0)
    assert verdict["rules"][0]["outcome"] == "waived"
    assert verdict["rules"][0]["waiver"]["finding"] == "violated"
    assert verdict["rules"][0]["waiver"]["approved_by"] == "A. Example, DPO"
    assert [told["counted"] for told in verdict["waivers"]] == [True]
    file = (tmp_path / "waivers.yaml").read_bytes()
    assert verdict["waivers_file"]["sha256"] == sha256(file).hexdigest()
    assert verdict["waivers_file"]["day"] == "2026-11-30"
    assert manifest["waivers_sha256"] == sha256(file).hexdigest()
    assert manifest["waived"] == ["copies"]


def test_a_verdict_with_waivers_is_verified_for_the_day_of_the_run(
    waived, privgate, tmp_path, monkeypatch
):
    assert waived().code == 0
    (tmp_path / "waivers.yaml").unlink()
    monkeypatch.setenv("SOURCE_DATE_EPOCH", str(int(NOVEMBER) + 10 * 365 * 86400))
    result = privgate("verify", "out")
    assert result.code == 0
    assert "gives the same verdict: met, with waivers for copies" in result.out


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"expires": "2026-11-29"}, "it expired on 2026-11-29"),
        ({"granted": "2026-12-01"}, "it is granted from 2026-12-01 on"),
        ({"release_sha256": "0" * 63 + "a"}, "for another synthetic file"),
        ({"approved_by": ""}, "approved_by: "),
        ({"rule": "copy"}, "the policy has no rule 'copy'"),
        ({"note": "x"}, "unknown key 'note'"),
    ],
)
def test_a_waiver_that_does_not_count_leaves_the_release_violated(
    waived, read_json, changes, words
):
    result = waived(**changes)
    assert result.code == 1
    assert result.out.startswith("VIOLATED: ")
    assert f"[did not count] waiver for rule {changes.get('rule', 'copies')}: " in result.out
    assert words in result.out
    assert re.search(
        rf"^warning: .*waivers\.yaml:1: waivers\[0\].*{words}", result.err, re.MULTILINE
    )
    assert read_json("verdict.json")["rules"][0]["waiver"] is None


def test_a_waiver_that_is_not_needed_is_listed(waived, frames, read_json):
    result = waived(synthetic=frames["synthetic"])
    assert result.code == 0
    assert result.out.startswith("MET: ")
    (told,) = read_json("verdict.json")["waivers"]
    assert (told["counted"], told["why"]) == (False, "it is not needed: the rule is met")


def test_a_day_set_by_hand_is_told(judge, waive, monkeypatch):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", str(86400 * 366))
    result = judge("--waivers", waive())
    warned = "warning: waivers are judged for 1971-01-02, the day of SOURCE_DATE_EPOCH\n"
    assert warned in result.err
    monkeypatch.delenv("SOURCE_DATE_EPOCH")
    assert "SOURCE_DATE_EPOCH" not in judge("--waivers", waive()).err


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("privgate: waivers/v1\nwaivers: {", "cannot be read"),
        ("privgate: waivers/v1\nwaivers: []\nwavers: []", "unknown key 'wavers'"),
        ("privgate: policy/v1", "this is a policy file"),
        (None, "there is no such file"),
    ],
)
def test_an_unusable_waivers_file_ends_before_measuring(judge, tmp_path, text, words):
    if text is not None:
        (tmp_path / "w.yaml").write_text(text, "utf-8")
    result = judge("--waivers", tmp_path / "w.yaml")
    result.require_refused("w.yaml", words)
    assert "measuring" not in result.err


@pytest.fixture
def november(monkeypatch, privgate):  # noqa: ARG001 - which unsets the day, so it has to come first
    monkeypatch.setenv("SOURCE_DATE_EPOCH", NOVEMBER)


@pytest.mark.usefixtures("november")
def test_lint_tells_what_will_not_count(privgate, write_release, waive, policy, frames):
    release = write_release(synthetic=frames["train"])
    good = privgate("waiver", "lint", waive(), "--policy", policy, "--release", release)
    assert (good.code, good.out) == (0, "")
    assert "1 waivers, 0 errors" in good.err
    future = waive(granted="2026-12-01")
    soon = privgate("waiver", "lint", future, "-p", policy)
    assert soon.code == 0
    assert soon.out.startswith("warning: ")
    entries = [{"rule": "nothing"}, {"rule": "fixed"}, {"expires": "2026-11-29"}, {"reason": 1}]
    bad = waive(*entries, digest="0" * 63 + "a")
    result = privgate("waiver", "lint", bad, "-p", policy, "--release", release)
    assert result.code == 2
    lines = result.out.splitlines()
    assert all(line.startswith("error: ") for line in lines)
    assert len(lines) == 7  # three well-formed ones are also bound to another file
    assert sum("another synthetic file" in line for line in lines) == 3
    alone = privgate("waiver", "lint", bad)
    assert [line.split("waivers[")[1][:9] for line in alone.out.splitlines()] == [
        "3].reason",
        "2].expire",
    ]


def test_lint_of_an_unusable_file_or_policy_is_refused(privgate, waive):
    privgate("waiver", "lint", "gone.yaml").require_refused("gone.yaml", "no such file")
    privgate("waiver", "lint", waive(), "-p", "gone").require_refused("there is no policy 'gone'")


@pytest.mark.usefixtures("november")
def test_lint_of_several_files_looks_at_all_of_them(privgate, waive, tmp_path):
    good = waive()
    expired = tmp_path / "old-waivers.yaml"
    expired.write_text(good.read_text("utf-8").replace("2027-03-31", "2026-11-29"), "utf-8")
    result = privgate("waiver", "lint", "gone.yaml", expired, good)
    assert result.code == 2
    assert "old-waivers.yaml" in result.out
    assert "gone.yaml: there is no such file" in result.err
    assert f"{good}: 1 waivers, 0 errors" in result.err
    assert privgate("waiver", "lint", good, good).code == 0
    assert privgate("waiver", "lint", good, expired).code == 2


def test_the_template_covers_nothing_until_every_field_is_filled_in(privgate, waive):
    text = privgate("waiver", "template").out
    (blank,) = waivers_from_text(text).entries
    named = [problem.path for problem in blank.problems]
    needed = [name for name, field in Waiver.model_fields.items() if field.is_required()]
    assert named == [f"waivers[0].{name}" for name in needed]
    filled = json.loads(waive().read_text("utf-8"))["waivers"][0]
    for name, value in filled.items():
        text, fields = re.subn(rf"(?m)(\b{name}:)(?= |$)", rf"\1 {json.dumps(value)}", text)
        assert fields == 1
    assert waivers_from_text(text).entries[0].waiver == Waiver.model_validate_json(
        json.dumps(filled), strict=True
    )


def test_a_waivers_file_is_no_policy(waive):
    with pytest.raises(PolicyError, match="this is a waivers file; give a policy file here"):
        open_policy(str(waive()), all_metrics())


@pytest.mark.slow
def test_reports_are_drawn_from_a_verdict_with_waivers(waived, privgate, read_json, tmp_path):
    assert waived({}, {"expires": "soon"}).code == 0
    assert privgate("render", "out").code == 0
    page = (tmp_path / "out" / "report.html").read_text("utf-8")
    assert "meets the policy with 1 waiver" in page
    assert "fictitious test persons" in page
    assert "soon&#39; is no day" in page
    verdict = Verdict.model_validate(read_json("verdict.json"))
    assert verdict.waived == ("copies",)
