"""The example of a plug-in, installed by pip into a folder of its own and used by the command."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from privgate.testing.samples import survey

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "examples" / "plugin"
RELEASE = """\
privgate: release/v1
name: survey
unit: person
data:
  train: {path: train.csv}
  holdout: {path: holdout.csv}
  synthetic: {path: synthetic.csv}
columns:
  age: {type: numeric, role: quasi_identifier}
  sex: {type: categorical, role: quasi_identifier}
  region: {type: categorical, role: quasi_identifier}
  married: {type: boolean, role: quasi_identifier}
  health: {type: ordinal, role: other, levels: [poor, fair, good]}
  since: {type: datetime, role: other}
  income: {type: numeric, role: sensitive}
  smoker: {type: categorical, role: sensitive}
correspondence: none
"""
# Several commands in one process that tells their exit codes, which saves loading everything.
EACH = """
import json, sys
from privgate.cli.main import run
for command in json.loads(sys.argv[1]):
    sys.argv = ["privgate", *command]
    try:
        run()
    except SystemExit as end:
        print(end.code)
"""

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """A folder into which pip has installed the example; the source is copied, to stay clean."""
    folder = tmp_path_factory.mktemp("plugin")
    source, target = folder / "source", folder / "site"
    shutil.copytree(EXAMPLE, source, ignore=shutil.ignore_patterns("__pycache__"))
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index"]
    command += ["--no-build-isolation", "--target", str(target), str(source)]
    subprocess.run(command, check=True, capture_output=True)
    return target


@pytest.fixture
def release(tmp_path):
    for seed, name in enumerate(("train", "holdout", "synthetic"), start=1):
        survey(300, seed).to_csv(tmp_path / f"{name}.csv", index=False)
    (tmp_path / "release.yaml").write_text(RELEASE, encoding="utf-8")
    return tmp_path / "release.yaml"


def python(*arguments, cwd, path=()):
    places = os.pathsep.join(map(str, (*path, ROOT)))
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=cwd,
        env=os.environ | {"PYTHONPATH": places},
        capture_output=True,
        text=True,
        check=False,
    )


def privgate(*arguments, cwd, path=()):
    code = "from privgate.cli.main import run; run()"
    return python("-c", code, *map(str, arguments), cwd=cwd, path=path)


def test_the_plug_ins_own_tests_pass(site, tmp_path):
    shutil.copytree(EXAMPLE / "tests", tmp_path / "tests")
    done = python("-m", "pytest", "-q", "-p", "no:cacheprovider", cwd=tmp_path, path=[site])
    assert done.returncode == 0, done.stdout + done.stderr


def test_metrics_are_listed_by_prefix_until_they_are_asked_for(site, tmp_path):
    plain = privgate("metric", "list", cwd=tmp_path, path=[site])
    assert "acme.…" in plain.stdout
    assert "acme-metrics 1.0.0" in plain.stdout
    assert "k_map" not in plain.stdout
    loaded = privgate("metric", "list", "--plugins", cwd=tmp_path, path=[site])
    assert "acme.k_map" in loaded.stdout
    shown = privgate("metric", "show", "acme.k_map", cwd=tmp_path, path=[site])
    assert "From the plug-in acme-metrics 1.0.0." in shown.stdout


def test_a_release_is_judged_with_it_and_rendered_without_it(site, release):
    folder, policy = release.parent, EXAMPLE / "policy.yaml"
    command = ("check", release, "--policy", policy, "--out", "out", "--format", "html,json")
    done = privgate(*command, cwd=folder, path=[site])
    assert done.returncode in {0, 1, 3}, done.stderr
    evidence = json.loads((folder / "out" / "evidence.json").read_bytes())
    assert evidence["cards"]["acme.k_map"]["plugin"] == {
        "distribution": "acme-metrics",
        "version": "1.0.0",
    }
    assert {it["status"] for it in evidence["measurements"]} == {"measured"}
    assert privgate("verify", "out", cwd=folder, path=[site]).returncode == 0

    report = (folder / "out" / "report.html").read_bytes()
    assert b"acme-metrics 1.0.0" in report
    (folder / "out" / "report.html").unlink()
    again = privgate("render", "out", cwd=folder)
    assert again.returncode == 0, again.stderr
    assert (folder / "out" / "report.html").read_bytes() == report

    commands = [[*map(str, command)], ["policy", "lint", str(policy)], ["verify", "out"]]
    absent = python("-c", EACH, json.dumps(commands), cwd=folder)
    assert absent.stdout.split() == ["2", "2", "1"], absent.stderr
    assert absent.stderr.count("no plug-in 'acme' is installed here") == 3
