from __future__ import annotations

import json

import numpy as np
import pytest
from jsonschema import Draft202012Validator

POLICY = """\
privgate: policy/v1
id: arrays
version: 1.0.0
title: Arrays
owner: tests
review_by: 2099-06-30
requires: {holdout: true}
rules:
  - id: copies
    metric: crp
    measure: share
    require: {max: 0.05}
    severity: blocking
    source: {kind: house, ref: tests}
    rationale: quick
  - id: membership
    metric: privet
    params: {permutations: 19}
    measure: p_pl
    require: {above: 0.01}
    severity: blocking
    source: {kind: house, ref: tests}
    rationale: quick
  - id: near
    metric: dcr
    measure: share_nearer_train
    require: {max: 0.7}
    severity: blocking
    source: {kind: house, ref: tests}
    rationale: quick
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    rng = np.random.default_rng(1)
    for name in ("train", "holdout", "synthetic"):
        np.save(tmp_path / f"{name}.npy", rng.integers(0, 2, (120, 1000)).astype(np.uint8))
    np.save(tmp_path / "points.npy", rng.normal(size=(120, 1000)))
    (tmp_path / "arrays.yaml").write_text(POLICY, encoding="utf-8")
    (tmp_path / "table.csv").write_text("a\n1\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def check(privgate, *more, synthetic="synthetic.npy"):
    return privgate(
        "check", "--train", "train.npy", "--holdout", "holdout.npy", "--synthetic", synthetic,
        "--policy", "arrays.yaml", "--out", "out", *more,
    )  # fmt: skip


def test_arrays_by_options_and_by_release_file_are_the_same(privgate, folder):
    options = check(privgate, "--distance", "hamming", "--format", "json")
    assert options.code == 0, options.err
    made = privgate("init", "train.npy", "synthetic.npy", "--holdout", "holdout.npy")
    assert made.code == 0
    assert "above all the distance" in made.err
    text = (folder / "release.yaml").read_text("utf-8")
    assert "distance: hamming  # guess: all numbers are 0 or 1" in text
    assert "columns" not in text
    evidence = (folder / "out" / "evidence.json").read_bytes()
    command = ("check", "release.yaml", "--policy", "arrays.yaml", "--format", "json")
    assert privgate(*command, "--out", "again").code == 0
    again = (folder / "again" / "evidence.json").read_bytes()
    facts, more = json.loads(evidence)["release"], json.loads(again)["release"]
    assert facts == more
    assert facts["kind"] == "array"


def test_a_copied_array_is_violated_and_its_records_are_named(privgate, folder):
    result = check(
        privgate, "--distance", "euclidean", "--records", "--format", "html", synthetic="train.npy"
    )
    assert result.code == 1
    html = (folder / "out" / "report.html").read_text("utf-8")
    assert "Dimensions of a record" in html
    assert "not standardised" in html
    assert "type or role of its own" in html
    named = next((folder / "out" / "records").glob("*-train.csv"))
    lines = named.read_text("utf-8").splitlines()
    assert len(lines) == 121
    assert lines[1].startswith("1,1")


def test_a_distance_is_guessed_and_said_to_be(privgate, folder):
    assert privgate("init", "points.npy", "points.npy").code == 0
    text = (folder / "release.yaml").read_text("utf-8")
    assert "distance: euclidean  # guess: not all numbers are 0 or 1" in text


@pytest.mark.parametrize(
    ("options", "synthetic", "words"),
    [
        ((), "synthetic.npy", ("--distance", "hamming, euclidean, cosine")),
        (("--distance", "haming"), "synthetic.npy", ("did you mean 'hamming'?",)),
        (("--distance", "gower"), "synthetic.npy", ("'gower' is not a distance of arrays",)),
        (("--distance", "hamming", "--quasi", "a"), "synthetic.npy", ("no columns",)),
        (("--distance", "hamming"), "table.csv", ("table.csv", "this is a table")),
        (("--distance", "hamming"), "points.npy", ("points.npy", "other than 0 and 1")),
        (("--distance", "hamming"), "gone.npy", ("gone.npy", "no such file")),
    ],
)
def test_options_that_do_not_fit_are_refused(privgate, folder, options, synthetic, words):
    check(privgate, *options, synthetic=synthetic).require_refused(*words)
    assert not (folder / "out").exists()


def test_tables_take_no_distance(privgate, folder):
    command = ("check", "--train", "table.csv", "--synthetic", "table.csv")
    result = privgate(*command, "--policy", "arrays.yaml", "--distance", "cosine")
    result.require_refused("--distance", "tables")
    assert folder.is_dir()


def test_a_release_file_takes_no_distance_option(privgate, folder):
    assert privgate("init", "train.npy", "synthetic.npy").code == 0
    command = ("check", "release.yaml", "--policy", "arrays.yaml", "--distance", "hamming")
    privgate(*command).require_refused("both given")
    assert folder.is_dir()


def test_the_schema_knows_both_kinds_of_release_file(privgate):
    known = Draft202012Validator(json.loads(privgate("release", "schema").out))
    paths = {"train": {"path": "a.npy"}, "synthetic": {"path": "b.npy"}}
    head = {"privgate": "release/v1", "name": "x"}
    columns = {"a": {"type": "numeric", "role": "other"}}
    assert known.is_valid({**head, "data": paths, "columns": columns})
    array = {"kind": "array", "distance": "cosine", **paths}
    assert known.is_valid({**head, "data": array})
    assert not known.is_valid({**head, "data": array, "columns": columns})
    assert not known.is_valid({**head, "data": paths})
    assert not known.is_valid({**head, "data": {**array, "distance": "gower"}})


@pytest.mark.parametrize("stored", ["npy", "npz"])
def test_copied_rows_of_arrays_can_be_taken_out(folder, privgate, stored):
    train, synthetic = np.load("train.npy"), np.load("synthetic.npy")
    synthetic[[3, 50]] = train[[7, 8]]
    if stored == "npy":
        np.save("leaky.npy", synthetic)
    else:
        np.savez("leaky.npz", rows=synthetic, names=np.arange(120))
    more = ", array: rows" if stored == "npz" else ""
    (folder / "release.yaml").write_text(
        "privgate: release/v1\nname: panel\ndata:\n  kind: array\n  distance: hamming\n"
        "  train: {path: train.npy}\n  holdout: {path: holdout.npy}\n"
        f"  synthetic: {{path: leaky.{stored}{more}}}\n"
    )
    found = privgate(
        "clean", "release.yaml", "-p", "arrays.yaml", "--out", "cleaned", "--format", "json"
    )
    assert found.code in {0, 3}, found
    left = np.load(folder / "cleaned" / "data" / f"leaky.{stored}")
    if stored == "npz":
        assert left.files == ["rows"]  # names of rows taken out would tell of them
        left = left["rows"]
    assert left.dtype == np.uint8
    assert np.array_equal(left, np.delete(synthetic, [3, 50], axis=0))


def test_the_canary_test_knows_arrays(folder, privgate):
    (folder / "release.yaml").write_text(
        "privgate: release/v1\nname: panel\ndata:\n  kind: array\n  distance: hamming\n"
        "  train: {path: train.npy}\n  holdout: {path: holdout.npy}\n"
        "  synthetic: {path: synthetic.npy}\n"
    )
    options = ("--shares", "0.2", "--fields", "1", "--trials", "1", "--out", "study")
    found = privgate("power", "release.yaml", "-p", "arrays.yaml", *options)
    assert found.code == 0, found
    study = json.loads((folder / "study" / "power.json").read_text())
    assert study["planted"][0]["stopped"] == 1
