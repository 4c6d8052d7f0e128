from __future__ import annotations

import csv
import io
import json
import shutil
from dataclasses import replace
from hashlib import sha256

import pytest

from privgate.dossier import folder as dossier

COPIES = """\
privgate: policy/v1
id: copies
version: 1.0.0
title: Copies only
owner: tests
review_by: 2099-06-30
requires: {holdout: true, max_holdout_overlap: 0.05, ledger: true}
rules:
  - id: copies
    metric: crp
    measure: share
    require: {max: 0.05}
    source: {kind: house, ref: tests}
    rationale: quick
"""


@pytest.fixture
def check(privgate, write_release, tmp_path):
    """Return a function that checks the survey under a policy that asks for a ledger."""
    (tmp_path / "copies.yaml").write_text(COPIES, "utf-8")
    release = write_release()

    def run(*options, ledger="ledger.jsonl", out="out"):
        shutil.rmtree(tmp_path / out, ignore_errors=True)
        given = ("--ledger", ledger) if ledger else ()
        base = ("check", release, "-p", "copies.yaml", "--out", out, "--format", "json")
        result = privgate(*base, *given, *options)
        told = [line for line in result.err.splitlines() if not line.startswith("warning: every")]
        return replace(result, err="\n".join(told))

    return run


@pytest.fixture
def entries(tmp_path):
    def read():
        lines = (tmp_path / "ledger.jsonl").read_text("utf-8").splitlines()
        return [json.loads(line) for line in lines][1:]

    return read


def test_a_required_ledger_decides(check, privgate, read_json):
    without = check(ledger=None)
    assert without.code == 3
    assert "ledger" in without.out
    assert privgate("verify", "out").code == 0
    kept = check()
    assert kept.code == 0
    assert "entry 1 of the ledger" in kept.err
    assert "this synthetic table: 0" in kept.err
    assert read_json("evidence.json")["ledger"]["entry"] == 1
    assert privgate("verify", "out").code == 0


def test_every_evaluation_is_written_once_whatever_its_outcome(
    check, entries, write_release, frames
):
    assert check("--seed", 7).code == 0
    write_release(synthetic=frames["train"])
    result = check()
    assert result.code == 1
    assert "train table: 1, of this synthetic table: 0" in result.err
    first, second = entries()
    assert (first["outcome"], first["seed"], first["seed_source"]) == ("met", 7, "given")
    assert (second["outcome"], second["seed_source"]) == ("violated", "derived")
    assert second["rules"][0]["value"] == 1


def test_a_folder_names_its_entry(check, entries, tmp_path):
    check()
    (entry,) = entries()
    for name in ("evidence", "verdict"):
        stored = (tmp_path / "out" / f"{name}.json").read_bytes()
        assert entry[f"{name}_sha256"] == sha256(stored).hexdigest()


def test_an_evaluation_is_written_also_when_its_report_cannot_be(check, entries, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(dossier, "_write", full)
        assert check().code == 2
    assert [entry["outcome"] for entry in entries()] == ["met"]
    assert "this synthetic table: 1" in check().err


@pytest.mark.parametrize("content", ["notes\n", "", '{"n":1}'])
def test_nothing_is_measured_or_written_without_the_ledger(check, tmp_path, content):
    (tmp_path / "ledger.jsonl").write_text(content)
    (tmp_path / "ledger.jsonl.head").write_text("{}")
    result = check()
    result.require_refused("ledger.jsonl", "begin another ledger")
    assert "measuring" not in result.err
    assert not (tmp_path / "out").exists()
    assert (tmp_path / "ledger.jsonl").read_text() == content


def test_a_ledger_in_the_output_folder_is_refused(check, tmp_path):
    check(ledger="out/ledger.jsonl").require_refused("inside the output folder", "elsewhere")
    assert not (tmp_path / "out").exists()


def test_the_figures_do_not_depend_on_the_ledger(check, read_json, monkeypatch):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")
    found = []
    for ledger in (None, "ledger.jsonl", "ledger.jsonl"):
        check(ledger=ledger)
        found.append(read_json("evidence.json"))
    assert [evidence.pop("ledger") is None for evidence in found] == [True, False, False]
    assert found[0] == found[1] == found[2]


def test_an_unaltered_ledger_is_verified_and_heads_are_looked_up(check, privgate, read_json):
    check()
    previous = read_json("evidence.json")["ledger"]["previous"]
    check()
    result = privgate("ledger", "verify", "ledger.jsonl")
    assert result.code == 0
    assert "evaluations: 2" in result.out
    head = result.out.split()[-1]
    assert len(head) == 64
    told = privgate("ledger", "verify", "ledger.jsonl", "--head", previous)
    assert told.code == 0
    assert "the head given is entry 0; entries since then: 2" in told.out
    assert privgate("ledger", "verify", "ledger.jsonl", "--head", head).code == 0
    other = privgate("ledger", "verify", "ledger.jsonl", "--head", "0" * 64)
    assert other.code == 1
    assert "no line has the digest" in other.err
    privgate("ledger", "verify", "ledger.jsonl", "--head", "0").require_refused("--head")


@pytest.mark.parametrize("command", ["verify", "show", "export"])
def test_an_altered_ledger_is_not_read_out(check, privgate, tmp_path, command):
    check()
    path = tmp_path / "ledger.jsonl"
    path.write_text(path.read_text("utf-8").replace('"met"', '"violated"', 1), "utf-8")
    result = privgate("ledger", command, path)
    assert (result.code, result.out) == (1, "")
    assert f"{path}:2: the line was altered" in result.err
    check().require_refused(f"{path}:2", "begin another ledger")


@pytest.mark.parametrize("command", ["verify", "show", "export"])
def test_what_is_no_ledger_is_refused(privgate, tmp_path, command):
    (tmp_path / "empty").write_text("")
    for name, words in (("nowhere", "cannot be read"), ("empty", "not a ledger")):
        privgate("ledger", command, name).require_refused(name, words)


def test_a_ledger_is_shown_and_exported(check, privgate, entries):
    check("--seed", 7)
    check()
    first, second = entries()
    train = first["tables"]["train"]["content_sha256"]
    for digest in (train, train[:8], first["tables"]["train"]["sha256"]):
        shown = privgate("ledger", "show", "ledger.jsonl", "--train", digest)
        rows = shown.out.splitlines()
        assert (shown.code, len(rows)) == (0, 3)
        assert "7 (given)" in rows[1]
        assert rows[1].endswith("met")
    assert len(privgate("ledger", "show", "ledger.jsonl", "--train", "z").out.splitlines()) == 1

    exported = privgate("ledger", "export", "ledger.jsonl", "--format", "json").out
    assert json.loads(exported)[1:] == [first, second]
    table = privgate("ledger", "export", "ledger.jsonl", "--format", "csv").out
    rows = list(csv.DictReader(io.StringIO(table)))
    assert [row["seed"] for row in rows] == ["7", str(second["seed"])]
    assert {row["id"] for row in rows} == {"copies"}
    assert float(rows[0]["high"]) == first["rules"][0]["high"]
    assert rows[0]["train"] == train


def test_a_cut_line_is_told(check, privgate, tmp_path):
    check()
    with (tmp_path / "ledger.jsonl").open("a") as stream:
        stream.write('{"created":"20')
    result = privgate("ledger", "verify", "ledger.jsonl")
    assert result.code == 0
    assert "cut short; the next check will record that" in result.err
    check()
    result = privgate("ledger", "verify", "ledger.jsonl")
    assert "of unknown outcome: 1" in result.err
