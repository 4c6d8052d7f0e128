"""A way to call the command line in this process, and small releases to call it on."""

from __future__ import annotations

import contextlib
import io
import json
import os
import shutil
import signal
import subprocess
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest

from privgate.cli.main import run
from privgate.testing.samples import SURVEY_COLUMNS, survey

if TYPE_CHECKING:
    from pathlib import Path

TABLES = ("train", "holdout", "synthetic")
PLANTED = "PLANTEDCELL"

QUICK_POLICY = """\
privgate: policy/v1
id: quick
version: 1.0.0
title: Quick rules for tests
owner: tests
review_by: 2099-06-30
requires: {holdout: true, max_holdout_overlap: 0.05}
rules:
  - id: inference
    metric: rapid
    params: {tau: 0.3, bootstrap: 200}
    measure: gap
    require: {max: 0.2}
    judge: bound
    severity: blocking
    source: {kind: house, ref: tests}
    rationale: quick
  - id: membership
    metric: privet
    params: {fit: censored_mle, tau: -3, permutations: 19}
    measure: p_pl
    require: {above: 0.01}
    severity: blocking
    source: {kind: house, ref: tests}
    rationale: quick
  - id: copies
    metric: crp
    measure: share
    require: {max: 0.05}
    judge: bound
    severity: blocking
    source: {kind: house, ref: tests}
    rationale: quick
  - id: nearness
    metric: dcr
    measure: share_nearer_train
    require: {max: 0.7}
    judge: bound
    severity: blocking
    source: {kind: house, ref: tests}
    rationale: quick
"""


@dataclass(frozen=True)
class Result:
    """What a call of the command line did."""

    code: int
    out: str
    err: str

    def require_refused(self, *words: str) -> None:
        """Exit 2 with messages only, one a line, that hold the words and no record."""
        assert self.code == 2, self
        assert self.out == ""
        told = ("going on ", "measuring ", "searching ", "finished measurements ")
        lines = [line for line in self.err.splitlines() if not line.startswith(told)]
        assert lines
        assert all(line.startswith("error: ") for line in lines), self.err
        assert [word for word in words if word not in self.err] == [], self.err
        assert PLANTED not in self.err
        assert "Traceback" not in self.err
        assert "unexpectedly" not in self.err


def call(*arguments: object) -> Result:
    out, err = io.StringIO(), io.StringIO()
    handlers = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    sys.argv = ["privgate", *map(str, arguments)]
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            run()
    except SystemExit as end:
        code = end.code
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
    assert isinstance(code, int)
    return Result(int(code), out.getvalue(), err.getvalue())


@pytest.fixture
def privgate(monkeypatch, tmp_path):
    """Return a function that calls the command line in this process, in an empty folder."""
    monkeypatch.setattr(sys, "argv", [])
    monkeypatch.delenv("SOURCE_DATE_EPOCH", raising=False)
    monkeypatch.chdir(tmp_path)
    return call


@pytest.fixture
def spawn(tmp_path):
    """Return a function that calls the command line in a process of its own."""

    def start(*arguments, code="", **environment):
        script = f"{code}\nfrom privgate.cli.main import run; run()"
        known = {name: value for name, value in os.environ.items() if name != "SOURCE_DATE_EPOCH"}
        return subprocess.Popen(
            [sys.executable, "-c", script, *map(str, arguments)],
            cwd=tmp_path,
            env=known | environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            encoding="utf-8",
        )

    return start


@pytest.fixture
def finish():
    """Return a function that waits for a process and returns what it did."""

    def wait(process, timeout=180):
        out, err = process.communicate(timeout=timeout)
        return Result(process.returncode, out, err)

    return wait


@pytest.fixture(scope="session")
def frames():
    """Return train, holdout and synthetic tables of invented people, drawn independently."""
    return {"train": survey(250, 1), "holdout": survey(200, 2), "synthetic": survey(220, 3)}


@pytest.fixture
def write_release(tmp_path, frames):
    """Return a function that writes tables and a release file, and returns the latter's path."""

    def write(columns=SURVEY_COLUMNS, *, data=None, name="survey", **replaced):
        for table, frame in (frames | replaced).items():
            if frame is not None:
                frame.to_csv(tmp_path / f"{table}.csv", index=False)
        sources = {
            table: {"path": f"{table}.csv"}
            for table in TABLES
            if replaced.get(table, frames[table]) is not None
        }
        content = {
            "privgate": "release/v1",
            "name": name,
            "data": sources | (data or {}),
            "columns": {column: dict(entry) for column, entry in columns.items()},
        }
        path = tmp_path / "release.yaml"
        path.write_text(json.dumps(content), "utf-8")
        return path

    return write


@pytest.fixture
def policy(tmp_path) -> Path:
    """Return the path of a policy whose measurements take a second."""
    path = tmp_path / "quick.yaml"
    path.write_text(QUICK_POLICY, "utf-8")
    return path


@pytest.fixture
def judge(privgate, write_release, policy, tmp_path):
    """Return a function that checks a release made of the survey, without reports."""

    def check(*options, columns=SURVEY_COLUMNS, data=None, prepare=None, **replaced):
        release = write_release(columns, data=data, **replaced)
        if prepare is not None:
            prepare(tmp_path)
        shutil.rmtree(tmp_path / "out", ignore_errors=True)
        before = set(tmp_path.iterdir())
        base = ["check", release, "--out", tmp_path / "out", "--format", "json"]
        given = options if "--policy" in options else ("--policy", policy, *options)
        result = privgate(*base, *given)
        left = {path.name for path in set(tmp_path.iterdir()) - before}
        assert left == (set() if result.code == 2 else {"out"})
        return result

    return check


@pytest.fixture
def read_json(tmp_path):
    """Return a function that reads a document of the output folder."""
    return lambda name, folder="out": json.loads((tmp_path / folder / name).read_text("utf-8"))
