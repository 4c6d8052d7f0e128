"""Copies planted in a release are taken out, and what is left is judged again."""

from __future__ import annotations

import gzip
import json
from dataclasses import replace

import pandas as pd
import pytest

from privgate.testing.samples import SURVEY_COLUMNS, survey

COPIES_POLICY = """\
privgate: policy/v1
id: copies
version: 1.0.0
title: No copies
owner: tests
review_by: 2099-06-30
requires: {holdout: true}
rules:
  - id: copies
    metric: crp
    measure: copied_synthetic_share
    require: {max: 0.03}
    source: {kind: house, ref: tests}
    rationale: quick
  - id: nearness
    metric: dcr
    measure: zero_share
    require: {max: 0.03}
    source: {kind: house, ref: tests}
    rationale: quick
  - id: shown-only
    metric: crp
    measure: share
    severity: advisory
    require: {max: 0.5}
    source: {kind: house, ref: tests}
    rationale: quick
"""
PLANTED = [3, 40, 41, *range(100, 120), 220]  # data rows, from 1


@pytest.fixture
def leaky(frames):
    """Return synthetic people some of whom are people of train."""
    people = frames["synthetic"].astype(object)
    for place, row in enumerate(PLANTED):
        people.iloc[row - 1] = frames["train"].iloc[2 * place]
    return people.astype(frames["synthetic"].dtypes)


@pytest.fixture
def clean(privgate, write_release, tmp_path):
    """Return a function that cleans a release, by default made of the survey, without reports."""
    (tmp_path / "policy.yaml").write_text(COPIES_POLICY, "utf-8")

    def run(*options, path=None, **release):
        path = path or write_release(**release)
        before = set(tmp_path.iterdir())
        result = privgate("clean", path, "-p", "policy.yaml", "--format", "json", *options)
        left = {path.name for path in set(tmp_path.iterdir()) - before}
        assert not [name for name in left if name.startswith(".")]
        lines = result.err.splitlines(keepends=True)
        return replace(result, err="".join(x for x in lines if not x.startswith("warning: every")))

    return run


@pytest.mark.slow
def test_planted_copies_are_taken_out_and_the_rest_is_met(clean, leaky, privgate, tmp_path):
    found = clean("--out", "out", synthetic=leaky)
    assert found.code == 0, found
    out = tmp_path / "out"
    assert {path.relative_to(out).as_posix() for path in out.rglob("*.*")} == {
        "data/synthetic.csv",
        "release.yaml",
        "removed.csv",
        "README.txt",
        "check/evidence.json",
        "check/verdict.json",
        "check/manifest.json",
    }
    lines = (tmp_path / "synthetic.csv").read_bytes().splitlines(keepends=True)
    kept = [line for row, line in enumerate(lines) if row not in PLANTED]
    assert (out / "data" / "synthetic.csv").read_bytes() == b"".join(kept)
    removed = (out / "removed.csv").read_text().splitlines()
    assert removed == ["row,named_by", *(f"{row},copies nearness shown-only" for row in PLANTED)]
    assert "named by copies: 24\nnamed by nearness: 24\nnamed by shown-only: 24\n" in found.err
    assert "taken out: 24 of 220 synthetic records" in found.err
    assert "no proof that nothing else leaked" in found.err
    assert "No record of what is left is named" in found.err
    assert "written to out" in found.out
    assert privgate("verify", "out/check").code == 0
    assert privgate("check", tmp_path / "release.yaml", "-p", "policy.yaml", "--out", "x").code == 1


def test_what_is_left_is_checked_as_its_release_file_says(clean, leaky, privgate, tmp_path):
    assert clean("--out", "deep/er/out", synthetic=leaky).code == 0
    out = tmp_path / "deep" / "er" / "out"
    options = ("-p", "policy.yaml", "--format", "json", "--out", "again")
    assert privgate("check", out / "release.yaml", *options).code == 0
    first, again = (
        json.loads((folder / "evidence.json").read_text("utf-8"))
        for folder in (out / "check", tmp_path / "again")
    )
    assert first["measurements"] == again["measurements"]
    assert first["release"]["tables"] == again["release"]["tables"]
    (note,) = set(first["release"]["notes"]) - set(again["release"]["notes"])
    assert note.startswith("Synthetic records were removed, 24 of 220, after the policy's rules")
    assert "no proof" in note
    page = (out / "README.txt").read_text("utf-8")
    assert "24 of 220 synthetic records" in page
    assert "no proof" in page
    assert "The check of what is left: met." in page


def test_a_small_number_is_not_told_to_the_public(clean, frames, tmp_path):
    few = pd.concat([frames["synthetic"], frames["train"][:4]], ignore_index=True)
    clean("--out", "out", synthetic=few)
    evidence = json.loads((tmp_path / "out" / "check" / "evidence.json").read_text("utf-8"))
    (note,) = [note for note in evidence["release"]["notes"] if "removed" in note]
    assert "fewer than 11" in note
    assert "4 of 224" in (tmp_path / "out" / "README.txt").read_text("utf-8")


def test_no_record_value_is_told(clean, leaky, tmp_path):
    found = clean("--out", "out", synthetic=leaky)
    texts = [found.out, found.err]
    texts += [
        (tmp_path / "out" / name).read_text("utf-8") for name in ("removed.csv", "README.txt")
    ]
    incomes = {repr(value) for value in leaky["income"].dropna()}
    assert [value for value in incomes for text in texts if value in text] == []


def test_where_nothing_is_named_nothing_is_written(clean, tmp_path):
    found = clean("--out", "out")
    assert found.code == 0
    assert "no rule of the policy names a synthetic record, so nothing was written" in found.out
    assert "copies" in found.out
    assert not (tmp_path / "out").exists()


def test_listed_rows_are_taken_out_and_rules_may_still_name_others(clean, leaky, tmp_path):
    (tmp_path / "rows.txt").write_bytes(b"\xef\xbb\xbf" + b"7\r\n3\r\n\r\n")
    found = clean("--rows", "rows.txt", synthetic=leaky)
    assert found.code == 1
    out = tmp_path / "privgate-survey-cleaned"
    lines = (out / "removed.csv").read_text().splitlines()
    assert lines == ["row,named_by", "3,list of rows", "7,list of rows"]
    assert "23 records of what is left are named by rules" in found.err
    assert "copies 23" in found.err
    assert len((out / "data" / "synthetic.csv").read_text().splitlines()) == 219
    evidence = json.loads((out / "check" / "evidence.json").read_text("utf-8"))
    assert "a list had named them" in " ".join(evidence["release"]["notes"])


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("7\nPLANTEDCELL,4\n", ["rows.txt:2: this is no row number"]),
        ("0\n221\n-1\n", ["rows.txt:1: there is no such row", "has 220", "rows.txt:3: this is no"]),
        ("5\n6\n05\n", ["rows.txt:3: the row is listed twice, first on line 1"]),
        ("\n", ["rows.txt: the file lists no row"]),
        ("²\n", ["rows.txt:1: this is no row number"]),
        ("x\n" * 50, ["rows.txt:20", "30 more lines are wrong"]),
    ],
)
def test_a_list_with_mistakes_is_refused(clean, tmp_path, text, words):
    (tmp_path / "rows.txt").write_text(text, "utf-8")
    clean("--rows", "rows.txt").require_refused(*words)


def test_a_list_that_cannot_be_read_is_refused(clean, tmp_path):
    clean("--rows", "gone.txt").require_refused("gone.txt", "cannot be read", "No such file")
    (tmp_path / "rows.bin").write_bytes(b"\xff\xfe1")
    clean("--rows", "rows.bin").require_refused("rows.bin", "it is not text")


def test_a_table_of_copies_alone_leaves_nothing(clean, frames):
    found = clean(synthetic=frames["train"])
    assert found.code == 2
    assert "every row would be taken out" in found.err


def test_a_folder_with_anything_in_it_is_refused_before_measuring(clean, tmp_path):
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "precious.txt").write_text("x")
    result = clean("--out", "out")
    result.require_refused("out")
    assert "measuring" not in result.err
    assert (tmp_path / "out" / "precious.txt").read_text() == "x"


def test_an_earlier_check_is_not_replaced(clean, privgate, tmp_path):
    release = ("check", "release.yaml", "-p", "policy.yaml", "--format", "json", "--out", "out")
    assert clean().code == 0
    assert privgate(*release).code == 0
    clean("--out", "out").require_refused("not empty", "new folder")
    assert (tmp_path / "out" / "verdict.json").is_file()


def test_an_empty_folder_is_used(clean, leaky, tmp_path):
    (tmp_path / "out").mkdir()
    assert clean("--out", "out", synthetic=leaky).code == 0


def test_a_policy_must_be_named(privgate, write_release):
    privgate("clean", write_release()).require_refused("no policy was named")


def test_a_failure_leaves_nothing_behind(clean, leaky, tmp_path, monkeypatch):
    def fail(*_, **__):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("privgate.dossier.folder._put", fail)
    found = clean("--out", "a/out", synthetic=leaky)
    assert found.code == 2
    assert "No space left" in found.err
    assert list((tmp_path / "a").iterdir()) == []


def with_correspondence(path, declared):
    content = json.loads(path.read_text("utf-8"))
    path.write_text(json.dumps(content | {"correspondence": declared}), "utf-8")
    return path


def test_order_no_longer_corresponds_and_this_is_said(
    clean, write_release, leaky, frames, tmp_path
):
    path = with_correspondence(
        write_release(synthetic=leaky, train=frames["train"][:220]), "same_order"
    )
    found = clean("--out", "out", path=path)
    assert found.code == 0, found
    assert "no longer correspond" in found.err
    assert "correspondence: none" in (tmp_path / "out" / "release.yaml").read_text("utf-8")
    evidence = json.loads((tmp_path / "out" / "check" / "evidence.json").read_text("utf-8"))
    assert evidence["release"]["correspondence"] is None
    assert any("no longer correspond" in note for note in evidence["release"]["notes"])


def test_a_key_and_everything_else_in_the_release_file_stays(
    clean, write_release, leaky, frames, tmp_path
):
    def keyed(frame):
        return frame.assign(person=[f"p{place}" for place in range(len(frame))])

    columns = {**SURVEY_COLUMNS, "person": {"type": "categorical", "role": "ignore"}}
    path = with_correspondence(
        write_release(columns, **{k: keyed(v) for k, v in frames.items()}), {"key": "person"}
    )
    keyed(leaky).to_csv(tmp_path / "synthetic.csv", index=False)
    found = clean("--out", "out", path=path)
    assert found.code == 0, found
    content = json.loads(path.read_text("utf-8"))
    evidence = json.loads((tmp_path / "out" / "check" / "evidence.json").read_text("utf-8"))
    assert evidence["release"]["correspondence"] == {"key": "person"}
    columns = {c["name"]: c["role"] for c in evidence["release"]["columns"]}
    assert columns == {name: entry["role"] for name, entry in content["columns"].items()}


def test_replayed_identifiers_are_taken_out(clean, write_release, frames, tmp_path):
    columns = {**SURVEY_COLUMNS, "person": {"type": "categorical", "role": "identifier"}}
    tables = {
        name: frame.assign(person=[f"{name}{place}" for place in range(len(frame))])
        for name, frame in frames.items()
    }
    tables["synthetic"].loc[[8, 9], "person"] = ["train4", "train4"]
    path = write_release(columns, **tables)
    found = clean("--out", "out", path=path)
    assert found.code == 0, found
    removed = (tmp_path / "out" / "removed.csv").read_text().splitlines()
    assert removed == ["row,named_by", "9,copies shown-only", "10,copies shown-only"]


def test_a_compressed_table_with_its_own_marks_is_read_and_written(clean, leaky, tmp_path):
    source = {"path": "s/made.csv.gz", "separator": ";", "decimal": ",", "encoding": "latin-1"}
    (tmp_path / "s").mkdir()
    leaky.to_csv(tmp_path / "s" / "made.csv.gz", index=False, sep=";", decimal=",")
    found = clean("--out", "out", data={"synthetic": source})
    assert found.code == 0, found
    before, after = (
        gzip.decompress(path.read_bytes()).splitlines()
        for path in (tmp_path / "s" / "made.csv.gz", tmp_path / "out" / "data" / "made.csv.gz")
    )
    assert after == [line for row, line in enumerate(before) if row not in PLANTED]


@pytest.mark.slow
def test_reports_of_what_is_left_are_drawn(clean, write_release, leaky, tmp_path):
    path = write_release(synthetic=leaky)
    found = clean("--format", "html", "--out", "out", path=path)
    assert found.code == 0
    page = (tmp_path / "out" / "check" / "report.html").read_text("utf-8")
    assert "Filtering is no proof that nothing else leaked" in page


def test_too_few_rows_left_are_not_assessed(clean, write_release, frames):
    mostly = pd.concat([survey(12, 77), frames["train"][:200]], ignore_index=True)
    path = write_release(synthetic=mostly)
    found = clean("--out", "out", path=path)
    assert found.code == 3  # none of 12 leaves up to 24 % open
    assert "200 of 212" in found.err
