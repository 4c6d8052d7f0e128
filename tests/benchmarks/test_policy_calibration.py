import importlib.util
import sys
from pathlib import Path

import pytest

from privgate.metrics import all_metrics
from privgate.policy import open_policy

FILE = Path(__file__).parents[2] / "benchmarks" / "policy_calibration.py"


@pytest.fixture
def script(tmp_path, monkeypatch):
    spec = importlib.util.spec_from_file_location("policy_calibration", FILE)
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "policy_calibration", module)
    spec.loader.exec_module(module)
    monkeypatch.setattr(module, "KEPT", tmp_path / "kept.jsonl")
    return module


def shipped(script, exempt=None):
    return script.Shipped(open_policy("card-example", all_metrics()), exempt or {})


def judged(script, fixture, *outcomes):
    return [
        script.Judged("card-example", fixture, n, outcome, ("r",) if outcome == "violated" else ())
        for n, outcome in enumerate(outcomes)
    ]


def test_rates_and_bounds_are_counted(script):
    honest = judged(script, "tumours/holdout", *["met"] * 19, "not_assessed")
    leaking = judged(script, "tumours/trees", "violated", "violated")
    missed = judged(script, "tumours/copies-all", "violated", "not_assessed")
    alarms, met, caught, bounds = script.summary(shipped(script), honest + leaking)
    assert (alarms, met, caught, bounds) == ("0 of 20 (0.0–16.8 %)", "19 of 20", "2 of 2", "hold")
    assert script.summary(shipped(script), honest + missed)[2:] == ("1 of 2", "**missed**")
    excused = shipped(script, {"copies-all": "a reason"})
    assert script.summary(excused, honest + leaking + missed)[2:] == ("2 of 2", "hold")
    alarmed = judged(script, "tumours/holdout", *["met"] * 18, "violated", "violated")
    assert script.summary(shipped(script), alarmed + leaking)[3] == "**missed**"
    assert script.summary(shipped(script), honest)[3] == "not tested"
    table = script.section(shipped(script), honest + missed)
    assert "| tumours/holdout | honest | 0 of 20 | 1 of 20 | 19 of 20 |  |" in table
    assert "| tumours/copies-all | leaks | 1 of 2 | 1 of 2 | 0 of 2 | r 1 |" in table


def test_finished_draws_are_not_made_again(script, monkeypatch):
    fixtures = [it for it in script.built_in_fixtures() if it.name == "tumours/copies-all"]
    monkeypatch.setattr(script, "built_in_fixtures", lambda: fixtures)
    first = list(script.judged_draws([shipped(script)], honest=1, leaking=1, jobs=1))
    assert [(it.fixture, it.outcome) for it in first] == [("tumours/copies-all", "violated")]
    monkeypatch.setattr(script, "measure", None)
    assert list(script.judged_draws([shipped(script)], honest=1, leaking=1, jobs=1)) == first


def test_the_page_is_about_the_policies_that_are_shipped(script):
    text = script.PAGE.read_text(encoding="utf-8")
    for policy in script.shipped_policies():
        facts = policy.bound.policy
        assert f"## {facts.id}\n\n{facts.title}. Version {facts.version}." in text
