import importlib.util
import sys
from pathlib import Path

import pytest

from privgate.data.documents import parse_document
from privgate.errors import PolicyError
from privgate.metrics import all_metrics
from privgate.policy import open_document, open_policy

FILE = Path(__file__).parents[2] / "benchmarks" / "policy_calibration.py"


@pytest.fixture
def script(tmp_path, monkeypatch):
    spec = importlib.util.spec_from_file_location("policy_calibration", FILE)
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "policy_calibration", module)
    spec.loader.exec_module(module)
    monkeypatch.setattr(module, "KEPT", tmp_path / "kept")
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
    measure = script.measure

    def nothing(release, planned, *more):
        assert not planned
        return measure(release, planned, *more)

    monkeypatch.setattr(script, "measure", nothing)
    assert list(script.judged_draws([shipped(script)], honest=1, leaking=1, jobs=1)) == first


def test_what_was_measured_for_one_policy_serves_another(script, monkeypatch):
    fixtures = [it for it in script.built_in_fixtures() if it.name == "tumours/copies-all"]
    monkeypatch.setattr(script, "built_in_fixtures", lambda: fixtures)
    asked = []
    measure = script.measure

    def counted(release, planned, *more):
        asked.append([entry.metric.name for entry in planned])
        return measure(release, planned, *more)

    monkeypatch.setattr(script, "measure", counted)
    text = script.policy_file("card-example").read_text("utf-8")
    first = Wider(script, text)
    second = Wider(script, text.replace("fraction", "gap").replace("{below: 0.3}", "{below: 0.9}"))
    for shipped_policy in (first, second):
        list(script.judged_draws([shipped_policy.made], honest=0, leaking=1, jobs=1))
    assert [sorted(names) for names in asked] == [["privet", "rapid"], []]


class Wider:
    def __init__(self, script, text):
        bound = open_document(parse_document(text, name="own", error=PolicyError), all_metrics())
        self.made = script.Shipped(bound, {})


def test_policies_that_were_not_asked_keep_their_part_of_the_page(script):
    policies = script.shipped_policies()
    kept = script.PAGE.read_text(encoding="utf-8")
    again = script.page(policies, [], honest=20, leaking=5, kept=kept)
    assert script.sections_of(again) == script.sections_of(kept)
    assert script.rows_of(again) == script.rows_of(kept)
    found = judged(script, "tumours/holdout", *["met"] * 20)
    other = script.page(policies, found, honest=20, leaking=5, kept=kept)
    new, old = script.sections_of(other), script.sections_of(kept)
    assert [name for name in old if new[name] != old[name]] == ["card-example"]
    assert list(new) == list(script.rows_of(other)) == [policy.id for policy in policies]


def test_a_policy_of_another_version_must_be_measured(script):
    kept = script.PAGE.read_text(encoding="utf-8").replace("Version 1.0.0.", "Version 0.9.0.")
    with pytest.raises(SystemExit, match="another version"):
        script.page(script.shipped_policies(), [], honest=20, leaking=5, kept=kept)


def test_people_known_exactly_count_in_no_rate_of_a_policy_on_reidentification(script):
    public = next(it for it in script.shipped_policies() if it.id == "ema-0070-public")
    fixtures = {it.name: it for it in script.built_in_fixtures()}
    assert script.too_exact(fixtures["savings/copula"], public)
    assert script.shown(fixtures["savings/copula"], public)
    assert not script.too_exact(fixtures["digits-bands/copula"], public)
    assert not script.shown(fixtures["savings/small-cells"], public)
    assert not script.shown(fixtures["digits-bands/copula"], shipped(script))
    rows = [
        script.Judged(public.id, name, 0, outcome, ())
        for name, outcome in (
            ("savings/copula", "violated"),
            ("digits-bands/copula", "met"),
            ("digits-bands/trees", "violated"),
        )
    ]
    assert script.summary(public, rows)[1:] == ("1 of 1", "1 of 1", "hold")
    text = script.section(public, rows)
    assert text.index("| digits-bands/trees") < text.index("known exactly")
    assert text.index("known exactly") < text.index("| savings/copula")


def test_the_page_is_about_the_policies_that_are_shipped(script):
    text = script.PAGE.read_text(encoding="utf-8")
    for policy in script.shipped_policies():
        facts = policy.bound.policy
        assert f"## {facts.id}\n\n{facts.title}. Version {facts.version}." in text
