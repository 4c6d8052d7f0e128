"""A script that uses the public names has types that mypy knows, and wrong uses are seen."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
RIGHT = """\
import numpy as np
import pandas as pd

import privgate


def fit_sample(train: pd.DataFrame, n: int, seed: int) -> pd.DataFrame:
    return train.sample(n, replace=True, random_state=seed)


def judge(people: pd.DataFrame) -> bool:
    train, holdout = privgate.split(people, holdout=0.5, groups="household", seed=1)
    result = privgate.check(
        train=train,
        holdout=holdout,
        synthetic=fit_sample(train, 10, 0),
        columns={"age": "quasi_identifier", "income": {"type": "numeric", "role": "sensitive"}},
        policy="ci-smoke",
        audience="internal",
    )
    roles = {"age": "quasi_identifier"}
    by_folds = privgate.evaluate_generator(fit_sample, people, "ci-smoke", columns=roles)
    rules: pd.DataFrame = pd.concat([result.rules, by_folds.rules])
    outcome: privgate.Outcome = result.outcome
    code: int = by_folds.exit_code + len(rules) + len(outcome)
    result.save("report", formats=["html"]).exists()
    return bool(result) and code == 0


def arrays(train: np.ndarray) -> privgate.CheckResult:
    return privgate.check(train=train, synthetic=train, distance="hamming", policy="ci-smoke")


def file() -> privgate.Outcome:
    return privgate.check("release.yaml", "ci-smoke").outcome
"""
WRONG = """\
import privgate

result = privgate.check("release.yaml", "ci-smoke", audience="everybody")
result.outcom
"""


@pytest.mark.slow
def test_a_script_is_typed_and_wrong_uses_are_seen(tmp_path):
    (tmp_path / "right.py").write_text(RIGHT, "utf-8")
    (tmp_path / "wrong.py").write_text(WRONG, "utf-8")
    files = [str(tmp_path / name) for name in ("right.py", "wrong.py")]
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--no-error-summary", *files],
        cwd=ROOT,
        env=os.environ | {"MYPYPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    lines = done.stdout.splitlines()
    assert [line for line in lines if "wrong.py" not in line] == [], done.stdout + done.stderr
    assert any('"audience"' in line for line in lines)
    assert any('has no attribute "outcom"' in line for line in lines)
