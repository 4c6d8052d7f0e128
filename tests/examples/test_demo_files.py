"""The demo's release files and policy are read by the same code as everybody's."""

from __future__ import annotations

import shutil
from datetime import date
from pathlib import Path

import pandas as pd
import pytest

from privgate.data import Role, load_release
from privgate.metrics.registry import all_metrics
from privgate.policy.bind import bind
from privgate.policy.lint import lint
from privgate.policy.load import load_policy

DEMO = Path(__file__).parents[2] / "examples" / "demo"

PEOPLE = pd.DataFrame(
    {
        "age": [30, 41, 52, 63],
        "inc": [10.5, 20.25, 31.125, 40.0],
        "male": [0, 1, 0, 1],
        "marr": [1, 0, 0, 1],
        "fsize": [1, 2, 3, 4],
        "e401k": [1, 0, 1, 0],
        "p401k": [1, 0, 0, 0],
        "pira": [0, 1, 1, 0],
        "nettfa": [-3.5, 0.0, 12.0, 100.0],
    }
)


@pytest.mark.parametrize("name", ["copula", "trees"])
def test_release_file_loads_with_the_roles_of_the_story(tmp_path, name):
    shutil.copy(DEMO / f"{name}.release.yaml", tmp_path)
    PEOPLE.to_csv(tmp_path / "train.csv", index=False)
    PEOPLE.assign(age=PEOPLE["age"] + 1).to_csv(tmp_path / "holdout.csv", index=False)
    PEOPLE.assign(fsize=2).to_csv(tmp_path / f"synthetic-{name}.csv", index=False)
    release = load_release(tmp_path / f"{name}.release.yaml")
    known = {column.name for column in release.with_role(Role.QUASI_IDENTIFIER)}
    wanted = {column.name for column in release.with_role(Role.SENSITIVE)}
    assert known == {"age", "inc", "male", "marr", "fsize"}
    assert wanted == {"p401k", "pira", "nettfa"}


def test_demo_policy_binds_to_the_metrics_and_leaves_nothing_to_complain_about():
    loaded = load_policy(str(DEMO / "policy.yaml"))
    bound = bind(loaded, all_metrics())
    assert lint(bound, date(2026, 12, 1)) == []


def test_demo_policy_judges_by_attack_copies_and_distance():
    rules = load_policy(str(DEMO / "policy.yaml")).policy.rules
    assert {"crp", "dcr", "privet", "rapid"} <= {rule.metric for rule in rules}
