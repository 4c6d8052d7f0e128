"""Tables of counts beside a release, from the release file to the report."""

from __future__ import annotations

import json
import re
from hashlib import sha256

import pytest

from privgate.evidence import canonical_bytes, digest

POLICY = """\
privgate: policy/v1
id: cells
version: 1.0.0
title: No small cells
rules:
  - id: shown
    metric: small_cells
    require: {equals: 0}
    source: {kind: contract, ref: a data use agreement}
  - id: by-subtraction
    metric: small_cells
    measure: small_differences
    require: {equals: 0}
    source: {kind: contract, ref: a data use agreement}
"""
COUNTS = "region,people\nnorth,40\nsouth,SOUTH\nall,TOTAL\n"
TOTALS = {"of": ["region"], "level": "all"}


@pytest.fixture
def publish(privgate, write_release, tmp_path):
    """Return a function that checks a release beside a table of counts."""
    (tmp_path / "cells.yaml").write_text(POLICY, "utf-8")

    def run(*options, published="usual", south="*", total="52", totals=TOTALS):
        path = write_release()
        text = COUNTS.replace("SOUTH", south).replace("TOTAL", total)
        (tmp_path / "counts.csv").write_text(text, "utf-8")
        content = json.loads(path.read_text("utf-8"))
        entry = {"path": "counts.csv", "counts": ["people"], "missing": ["*"]}
        entry |= {"totals": totals} if totals else {}
        if published is not None:
            content["published"] = [entry] if published == "usual" else published
        path.write_text(json.dumps(content), "utf-8")
        wanted = ("--format", "html,json", "--out", "out", *options)
        return privgate("check", path, "-p", "cells.yaml", *wanted)

    return run


@pytest.mark.parametrize(
    ("given", "code", "words"),
    [
        ({}, 0, "met"),
        ({"south": "12"}, 0, "met"),
        ({"south": "0", "total": "40"}, 0, "met"),
        ({"south": "9", "total": "49"}, 1, "'shown' is violated"),
        ({"total": "45"}, 1, "'by-subtraction' is violated"),
        ({"total": "39"}, 3, "a total is smaller"),
        ({"totals": None}, 3, "does not say whether the table has totals"),
        ({"published": None}, 3, "published: []"),
        ({"published": []}, 0, "met"),
        ({"south": "12.5"}, 2, "not whole numbers"),
    ],
)
def test_outcomes(publish, read_json, given, code, words):
    result = publish(**given)
    assert result.code == code, result
    told = result.err if code == 2 else " ".join(read_json("verdict.json")["reasons"])
    assert words in (told + result.out)


def visible(html):
    return re.sub(r"(?s)<(style|script)\b.*?</\1>|<[^>]+>", " ", html)


def test_the_report_names_the_tables_and_no_small_count(publish, tmp_path):
    assert publish(south="9", total="49").code == 1
    html = visible((tmp_path / "out" / "report.html").read_text("utf-8"))
    assert "Tables of counts that go out with the release" in html
    assert "counts.csv" in html
    section = html.partition("Small cells in published tables")[2]
    assert "&lt;11" in section or "fewer than 11" in section
    publish("--language", "de", south="9", total="49")
    german = visible((tmp_path / "out" / "report.html").read_text("utf-8"))
    assert "Tabellen mit Anzahlen, die mit der Freigabe hinausgehen" in german


def test_a_release_that_publishes_no_table_says_so(publish, tmp_path):
    publish(published=[])
    html = visible((tmp_path / "out" / "report.html").read_text("utf-8"))
    assert "none, as the release file says" in html


def test_the_manifest_binds_the_tables(publish, privgate, read_json, tmp_path):
    publish()
    manifest = read_json("manifest.json")
    digest = sha256((tmp_path / "counts.csv").read_bytes()).hexdigest()
    assert manifest["published_sha256"] == [digest]
    assert privgate("verify", "out").code == 0
    publish(published=[])
    assert read_json("manifest.json")["published_sha256"] == []
    publish(published=None)
    assert "published_sha256" not in read_json("manifest.json")
    assert privgate("verify", "out").code == 0


def test_a_manifest_with_other_tables_does_not_verify(publish, privgate, tmp_path):
    publish()
    file = tmp_path / "out" / "manifest.json"
    content = json.loads(file.read_bytes())
    del content["self_sha256"]
    content["published_sha256"] = ["0" * 64]
    file.write_bytes(canonical_bytes({**content, "self_sha256": digest(content)}))
    result = privgate("verify", "out")
    assert result.code == 1
    assert "names other inputs" in result.err


def test_cleaning_keeps_the_tables_and_finds_them_from_elsewhere(
    privgate, write_release, frames, tmp_path
):
    people = frames["synthetic"].astype(object)
    people.iloc[3] = frames["train"].iloc[0]
    path = write_release(synthetic=people.astype(frames["synthetic"].dtypes))
    content = json.loads(path.read_text("utf-8"))
    content["published"] = [{"path": "counts.csv", "counts": ["people"], "totals": "none"}]
    path.write_text(json.dumps(content), "utf-8")
    (tmp_path / "counts.csv").write_text("region,people\nnorth,40\n", "utf-8")
    rules = """\
  - {id: no-copies, metric: crp, measure: copied_synthetic_share, require: {max: 0.02},
     source: {kind: paper, ref: x}}
"""
    (tmp_path / "cells.yaml").write_text(POLICY + rules, "utf-8")
    result = privgate(
        "clean", path, "-p", "cells.yaml", "--format", "json", "--out", "elsewhere/out"
    )
    assert result.code in {0, 3}, result
    evidence = json.loads(
        next((tmp_path / "elsewhere" / "out").rglob("evidence.json")).read_bytes()
    )
    assert evidence["release"]["published"][0]["file"] == "counts.csv"
