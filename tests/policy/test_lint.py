from __future__ import annotations

from dataclasses import replace
from datetime import date

import pytest

from privgate.errors import PolicyError
from privgate.metrics import all_metrics
from privgate.policy.lint import Level, lint

GOOD = {
    "review_by": "2027-06-30",
    "requires": {"holdout": True, "max_holdout_overlap": 0.01, "coverage": ["inference"]},
}
TODAY = date(2026, 11, 30)


def _lint(bench, rules, *, today=TODAY, **given):
    return lint(bench.bind(rules, **(GOOD | given)), today)


def _good(bench, **given):
    return bench.rule(rationale="so", **given)


def test_a_careful_policy_is_clean(bench):
    assert _lint(bench, [_good(bench)]) == []


@pytest.mark.parametrize(
    ("given", "level", "words"),
    [
        ({"review_by": None}, Level.WARNING, "no review date"),
        ({"review_by": "2026-11-29"}, Level.ERROR, "2026-11-29"),
        ({"requires": GOOD["requires"] | {"coverage": []}}, Level.NOTE, "no coverage"),
        ({"requires": GOOD["requires"] | {"holdout": False}}, Level.WARNING, "no holdout"),
        (
            {"requires": GOOD["requires"] | {"max_holdout_overlap": 0.5}},
            Level.WARNING,
            "repeats train rows",
        ),
    ],
)
def test_findings_on_the_policy(bench, given, level, words):
    (found,) = _lint(bench, [_good(bench)], **given)
    assert found.level is level
    assert words in found.message
    assert str(found).startswith(f"{level}: ")


def test_the_review_day_itself_is_in_time(bench):
    assert _lint(bench, [_good(bench)], today=date(2027, 6, 30)) == []
    assert _lint(bench, [_good(bench)], today=date(2027, 7, 1)) != []


@pytest.mark.parametrize(
    ("rule", "level", "words"),
    [
        ({"rationale": None}, Level.ERROR, "nobody says why"),
        ({"rationale": "so", "judge": "point"}, Level.WARNING, "chance moves"),
        (
            {"rationale": "so", "measure": "fraction", "require": {"equals": 0}},
            Level.ERROR,
            "can never be met",
        ),
        (
            {"rationale": "so", "metric": "privet", "require": {"equals": 0}},
            Level.NOTE,
            "published NPL",
        ),
        ({"rationale": "so", "metric": "privet", "require": {"max": 0}}, Level.NOTE, "by chance"),
        (
            {
                "rationale": "so",
                "metric": "privet",
                "measure": "n_leaks_tail",
                "require": {"max": 0},
            },
            Level.NOTE,
            "n_leaks_tail is often above 0 by chance",
        ),
        (
            {"rationale": "so", "metric": "privet", "measure": "n_leaks", "require": {"max": 3}},
            Level.WARNING,
            "no number of copies moves",
        ),
        (
            {"rationale": "so", "measure": "fraction", "require": {"max": 0.09}},
            Level.NOTE,
            "1/11",
        ),
    ],
)
def test_findings_on_a_rule(bench, rule, level, words):
    good = _good(bench, id="good", require={"max": 0.1})
    (found,) = _lint(bench, [good, bench.rule(**rule)])
    assert (found.level, found.rule) == (level, "the-rule")
    assert words in found.message


@pytest.mark.parametrize(
    "rule",
    [
        {"source": {"kind": "paper", "ref": "x"}},
        {"rationale": "so", "judge": "point", "severity": "advisory"},
        {"rationale": "so", "metric": "privet", "require": {"max": 3}},
        {"rationale": "so", "metric": "privet", "measure": "p_pl", "require": {"above": 0.1}},
    ],
)
def test_rules_that_raise_no_question(bench, rule):
    assert _lint(bench, [_good(bench, id="good", require={"max": 0.1}), bench.rule(**rule)]) == []


@pytest.mark.parametrize("name", ["cvp", "detection_mlp", "dvp", "fld", "nsnd", "pqmass"])
def test_a_metric_that_only_informs_must_not_stop_a_release(bench, name):
    metrics = replace(bench, metrics=all_metrics())
    safe = metrics.metrics[name].card.figures[metrics.metrics[name].card.headline].safe_side
    limit = {"max": 0.5} if safe == "low" else {"min": 0.5}
    attack = _good(metrics, id="attack", metric="inference", measure="gap", require={"max": 0.1})

    def errors(severity):
        rule = _good(metrics, metric=name, require=limit, severity=severity)
        found = _lint(metrics, [attack, rule])
        return [item for item in found if item.level is Level.ERROR]

    (found,) = errors("blocking")
    assert found.rule == "the-rule"
    assert "informs only" in found.message
    assert found.remedy == "write 'severity: advisory', and judge an attack"
    assert errors("advisory") == []


@pytest.mark.parametrize("name", ["associations", "marginals", "tstr"])
def test_utility_must_not_stop_a_release(bench, name):
    metrics = replace(bench, metrics=all_metrics())
    attack = _good(metrics, id="attack", metric="inference", measure="gap", require={"max": 0.1})

    def errors(severity, *others):
        rule = _good(metrics, metric=name, require={"min": 0.5}, severity=severity)
        found = _lint(metrics, [*others, rule])
        return [item for item in found if item.level is Level.ERROR]

    (found,) = errors("blocking", attack)
    assert found.rule == "the-rule"
    assert "no evidence about privacy" in found.message
    assert found.remedy == "write 'severity: advisory', and judge an attack"
    assert errors("advisory", attack) == []
    with pytest.raises(PolicyError, match="'inference' is required but no blocking rule"):
        errors("blocking")


def test_screens_alone_are_an_error_and_come_first(bench):
    rules = [
        bench.rule(rationale="so", metric="copies"),
        bench.rule(id="b", rationale="so", severity="advisory"),
    ]
    found = _lint(bench, rules, requires={"holdout": True, "max_holdout_overlap": 0.5})
    assert [finding.level for finding in found] == [Level.ERROR, Level.WARNING, Level.NOTE]
    assert "screen" in found[0].message


@pytest.mark.parametrize(("params", "complains"), [({}, True), ({"groups": ["sex"]}, False)])
def test_a_rule_on_the_worst_group_needs_groups(bench, params, complains):
    metrics = replace(bench, metrics=all_metrics())
    rule = _good(
        metrics, metric="rapid", measure="worst_group_gap", params=params, require={"max": 0.2}
    )
    found = [str(item) for item in _lint(metrics, [rule], requires={}) if item.level == "error"]
    assert bool(found) is complains
    assert all("can never be met; name columns or 'outliers'" in item for item in found)
