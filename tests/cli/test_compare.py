"""``privgate compare``: folders of checks as a user names them, in order or not."""

from __future__ import annotations

import json
import shutil

import pytest

from privgate.cli.compare import _show
from privgate.policy.verdict import PolicyReference
from privgate.report.comparison import Comparison
from privgate.report.comparison.model import ComparedRelease


@pytest.fixture(scope="module")
def kept(tmp_path_factory, frames):
    """Return a folder to keep checks in, and the tables that are judged."""
    copied = frames["synthetic"].copy()
    copied.iloc[:150] = frames["train"].iloc[:150].to_numpy()
    tables = {"honest": frames["synthetic"], "copied": copied}
    return tmp_path_factory.mktemp("kept"), tables


@pytest.fixture
def checks(kept, privgate, write_release, policy, tmp_path):
    """Return the folder of an honest check and that of one whose release holds train records."""
    folder, tables = kept
    if not (folder / "copied").exists():
        for name, table in tables.items():
            release = write_release(name=name, synthetic=table)
            options = ("--out", folder / name, "--format", "json")
            privgate("check", release, "-p", policy, *options)
    return [shutil.copytree(folder / name, tmp_path / name) for name in ("copied", "honest")]


def test_releases_are_ranked_and_written(privgate, checks, tmp_path):
    found = privgate("compare", *checks, "--out", "compared")
    assert found.code == 0, found
    lines = [line.split() for line in found.out.splitlines()]
    assert [line[:4] for line in lines[1:3]] == [
        ["1", "A", "honest", "met"], ["2", "B", "copied", "violated"],
    ]  # fmt: skip
    assert "not searched for values" in found.err
    names = {path.name for path in (tmp_path / "compared").iterdir()}
    assert names == {"compare.json", "compare.html", "compare.pdf"}
    written = json.loads((tmp_path / "compared" / "compare.json").read_text("utf-8"))
    assert written["schema"] == "privgate/comparison/v1"
    copies = next(rule for rule in written["rules"] if rule["id"] == "copies")
    assert copies["results"]["B"]["outcome"] == "violated"
    before = {p.name: p.read_bytes() for p in (tmp_path / "compared").iterdir()}
    assert privgate("compare", *checks[::-1], "--out", "compared").code == 0  # it is replaced
    assert {p.name: p.read_bytes() for p in (tmp_path / "compared").iterdir()} == before


def test_an_altered_check_is_refused(privgate, checks, tmp_path):
    verdict = checks[0] / "verdict.json"
    verdict.write_bytes(verdict.read_bytes().replace(b"violated", b"met", 1))
    found = privgate("compare", *checks, "--out", "compared")
    found.require_refused("verdict.json", "altered")
    assert not (tmp_path / "compared").exists()


def test_checks_under_different_policies_are_refused(privgate, checks, policy, write_release):
    other = policy.with_name("other.yaml")
    other.write_text(policy.read_text("utf-8").replace("max: 0.05}", "max: 0.9}"), "utf-8")
    options = ("--out", "other", "--format", "json")
    assert privgate("check", write_release(), "-p", other, *options).code == 0
    found = privgate("compare", *checks, "other", "--out", "compared")
    found.require_refused("another policy", "under one policy")


def test_what_is_no_pair_of_checks_is_refused(privgate, checks, tmp_path):
    (tmp_path / "empty").mkdir()
    privgate("compare", checks[0]).require_refused("at least two")
    privgate("compare", checks[0], checks[0]).require_refused("once")
    privgate("compare", checks[0], "empty").require_refused("not the output folder of a check")
    privgate("compare", *checks, "--format", "csv").require_refused("html, pdf, json")
    privgate("compare", *checks, "--out", checks[0].parent).require_refused("--out")


def test_json_alone_and_german_hold_the_same_numbers(privgate, checks, tmp_path):
    options = ("--format", "json", "--out", "numbers")
    assert privgate("compare", *checks, *options).code == 0
    assert [path.name for path in (tmp_path / "numbers").iterdir()] == ["compare.json"]
    options = ("--format", "html", "--language", "de", "--out", "german")
    assert privgate("compare", *checks, *options).code == 0
    one, other = ((tmp_path / name / "compare.json").read_bytes() for name in ("numbers", "german"))
    assert one == other


def test_a_name_prints_no_line_of_its_own(capsys):
    release = ComparedRelease(
        label="A", name="x\n1  B  good  met\x1b[2K", report_id="r", evidence_sha256="0",
        verdict_sha256="1", synthetic_sha256="2", outcome="violated", waived=(), rank=1, tied=False,
        violated=1, overshoot=None, open=0, risk=None, risk_is_least=True, utility=None,
    )  # fmt: skip
    policy = PolicyReference(id="p", version="1", sha256="3")
    _show(Comparison(policy=policy, ranked_by="so", differences=(), releases=(release,), rules=()))
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 3
    assert "\x1b" not in lines[1]
    assert lines[1].split()[-6:] == ["violated", "1", "unknown", "0", "unknown", "unknown"]


@pytest.mark.slow
def test_the_leaking_generator_of_real_data_loses_and_the_page_says_why(
    privgate, shared, policy, tmp_path
):
    names = ("adsgan", "sampling", "smote", "synthpop")
    rules = "\n".join(
        f"  - {{id: {name}, metric: {metric}, measure: {measure}, require: {{max: {limit}}}, "
        "source: {kind: house, ref: t}, rationale: t}"
        for name, metric, measure, limit in (
            ("copies", "crp", "gap", 0.02),
            ("nearness", "dcr", "share_nearer_train", 0.6),
            ("membership", "domias", "auc", 0.65),
        )
    )
    text = policy.read_text("utf-8")
    policy.write_text(f"{text[: text.index('rules:')]}rules:\n{rules}\n", "utf-8")
    for name in names:
        release = shared / "releases" / f"hepatitis-{name}.yaml"
        options = ("--out", name, "--format", "json")
        expected = 1 if name == "smote" else 0
        assert privgate("check", release, "-p", policy, *options).code == expected
    assert privgate("compare", *names, "--out", "compared", "--format", "html").code == 0
    found = json.loads((tmp_path / "compared" / "compare.json").read_text("utf-8"))
    assert [(it["rank"], it["violated"]) for it in found["releases"]] == [(1, 0)] * 3 + [(4, 2)]
    assert "smote" in found["releases"][-1]["name"]
    html = (tmp_path / "compared" / "compare.html").read_text("utf-8")
    why = html[html.index('id="why"') :]
    assert "It stands behind C, whose outcome is better: Violated here, Met there." in why
    assert why.count("Met by A, B, C.") == 2
