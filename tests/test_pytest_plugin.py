"""The plug-in in pytest runs of its own, with a small suite."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from hashlib import sha256
from pathlib import Path

import pytest

from privgate.testing.samples import SURVEY_COLUMNS, survey

ROOT = Path(__file__).parents[1]
HEAVY = ("numpy", "pandas", "pydantic", "sklearn", "privgate.metrics")
RULE = "metric: crp, rationale: so, source: {kind: house, ref: tests}"
POLICY = f"""\
privgate: policy/v1
id: small
version: 1.0.0
title: Small
rules:
  - {{id: copies, measure: share, require: {{max: 0.05}}, {RULE}}}
  - {{id: a-hint, measure: share, require: {{max: 0.04}}, severity: advisory, {RULE}}}
  - {{id: agreed, measure: gap, require: {{max: 0.05}}, {RULE}}}
  - {{id: chance, measure: holdout_share, require: {{max: 0.5}}, {RULE}}}
"""
SUITE = """\
def test_own(privgate_check):
    found = privgate_check("honest.yaml", "small.yaml")
    assert found.evidence.release.name == "honest"

def test_leaky(privgate_check):
    privgate_check("leaky.yaml", "small.yaml")
"""

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with an honest release, a leaky one, a broken one, a policy and a waiver."""
    place = tmp_path_factory.mktemp("suite")
    tables = {"train": survey(250, 1), "holdout": survey(200, 2), "honest": survey(220, 3)}
    tables["leaky"] = tables["train"]
    tables["broken"] = tables["honest"].assign(age="PLANTEDCELL")
    for name, table in tables.items():
        table.to_csv(place / f"{name}.csv", index=False)
    for name in ("honest", "leaky", "broken"):
        data = {table: {"path": f"{table}.csv"} for table in ("train", "holdout")}
        data["synthetic"] = {"path": f"{name}.csv"}
        columns = {column: dict(entry) for column, entry in SURVEY_COLUMNS.items()}
        content = {"privgate": "release/v1", "name": name, "data": data, "columns": columns}
        (place / f"{name}.yaml").write_text(json.dumps(content), "utf-8")
    (place / "small.yaml").write_text(POLICY, "utf-8")
    waiver = {
        "rule": "agreed",
        "reason": "invented people",
        "approved_by": "A. Example, DPO",
        "granted": "2026-11-01",
        "expires": "2027-03-31",
        "release_sha256": sha256((place / "leaky.csv").read_bytes()).hexdigest(),
    }
    waivers = {"privgate": "waivers/v1", "waivers": [waiver]}
    (place / "waivers.yaml").write_text(json.dumps(waivers), "utf-8")
    (place / "test_suite.py").write_text(SUITE, "utf-8")
    return place


@pytest.fixture(scope="module")
def run(folder):
    """Return a function that runs pytest in the folder, in a process of its own."""

    def call(*arguments, code="import pytest"):
        # Where privgate is installed, its entry point loads the plug-in; once is enough.
        plug = (
            "off = ['-p', 'no:privgate', '-p', 'privgate.pytest_plugin', '-p', 'no:cacheprovider']"
        )
        start = f"{plug}; status = int(pytest.main([*off, *sys.argv[1:]])); sys.exit(status)"
        return subprocess.run(
            [sys.executable, "-c", f"import sys; {code}; {start}", *map(str, arguments)],
            cwd=folder,
            env=os.environ | {"PYTHONPATH": str(ROOT), "SOURCE_DATE_EPOCH": "1796000000"},
            capture_output=True,
            text=True,
            check=False,
        )

    return call


def outcomes(text):
    """The last word of each line that names a test of a rule."""
    return dict(re.findall(r"^\w+\.yaml::small::(\S+) (\w+)", text, re.MULTILINE))


def test_each_rule_is_a_test_and_so_is_the_verdict(run):
    options = ("--privgate", "leaky.yaml", "--privgate-policy", "small.yaml")
    done = run("-v", "-m", "privgate", *options, "--privgate-waivers", "waivers.yaml")
    assert done.returncode == 1, done.stdout + done.stderr
    assert outcomes(done.stdout) == {
        "privgate.verdict": "FAILED",
        "copies": "FAILED",
        "a-hint": "XFAIL",
        "agreed": "XFAIL",
        "chance": "PASSED",
    }
    assert "VIOLATED: This release does not meet the policy" in done.stdout
    assert "Limit: at most 5%" in done.stdout
    assert "Traceback" not in done.stdout


def test_a_fixture_fails_own_tests_with_the_report(run):
    done = run("-v", "test_suite.py")
    assert done.returncode == 1, done.stdout + done.stderr
    assert "test_own PASSED" in done.stdout
    assert "test_leaky FAILED" in done.stdout
    assert "VIOLATED: This release does not meet the policy" in done.stdout
    assert "1 failed, 1 passed" in done.stdout


def test_data_that_cannot_be_used_fail_every_test_and_show_no_record(run):
    options = ("--privgate", "broken.yaml", "--privgate-policy", "small.yaml")
    done = run("-v", "-m", "privgate", *options)
    assert done.returncode == 1
    assert set(outcomes(done.stdout).values()) == {"FAILED"}
    assert "broken.csv" in done.stdout
    assert "PLANTEDCELL" not in done.stdout + done.stderr


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (("--privgate", "honest.yaml"), "--privgate and --privgate-policy need each other"),
        (("--privgate-policy", "small.yaml"), "--privgate and --privgate-policy need each other"),
        (("--privgate", "honest.yaml", "--privgate-policy", "smal.yaml"), "no such file"),
    ],
)
def test_options_that_make_no_sense_are_a_wrong_use(run, options, told):
    done = run(*options)
    assert done.returncode == 4
    assert told in done.stdout + done.stderr
    assert "Traceback" not in done.stdout + done.stderr


def test_the_plug_in_costs_nothing_where_it_is_not_asked(run):
    watch = (
        f"import atexit, pytest; atexit.register(lambda: print(*({set(HEAVY)} & set(sys.modules))))"
    )
    done = run("--collect-only", "-q", "test_suite.py", code=watch)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "test_own" in done.stdout
    assert done.stdout.splitlines()[-1].split() == []
