from __future__ import annotations

import json
from dataclasses import replace

import pytest
from jsonschema import Draft7Validator, Draft202012Validator

from privgate.data.documents import parse_document
from privgate.errors import PolicyError
from privgate.evidence import canonical_bytes
from privgate.metrics.registry import all_metrics
from privgate.policy import (
    built_in_policies,
    check,
    evidence_schema,
    open_document,
    policy_schema,
    read_policy_document,
    verdict_schema,
)

RULES = {
    "plain": {},
    "headline left out": {"params": {"tau": 0.5}},
    "pair": {"measure": "fraction", "require": {"min": 0.1, "below": 0.5}},
    "equals": {"measure": "at_risk", "require": {"equals": 0}},
    "p value": {"metric": "privet", "measure": "p_pl", "require": {"above": 0.05}},
    "null measure": {"measure": None},
    "all": {"judge": "point", "rationale": "so", "waivable": False},
    "unknown metric": {"metric": "gues"},
    "unknown parameter": {"params": {"tua": 0.3}},
    "parameter out of range": {"params": {"tau": 3}},
    "parameter of another type": {"params": {"tau": "high"}},
    "parameter of another metric": {"metric": "privet", "params": {"tau": 0.3}},
    "unknown figure": {"measure": "gup"},
    "figure of another metric": {"measure": "p_pl"},
    "unknown key": {"colour": "red"},
    "unknown severity": {"severity": "mild"},
    "advisory alone": {"severity": "advisory"},
    "unknown operator": {"require": {"atmost": 1}},
    "no limit": {"require": {}},
    "limit null": {"require": {"max": None}},
    "limit text": {"require": {"max": "9%"}},
    "limit true": {"require": {"max": True}},
    "two uppers": {"require": {"max": 0.1, "below": 0.1}},
    "two lowers": {"require": {"max": 0.5, "min": 0.1, "above": 0.1}},
    "equals and max": {"require": {"max": 0.1, "equals": 0.1}},
    "harmless side": {"require": {"min": 0.1}},
    "harmless side of a headline": {"metric": "privet", "require": {"above": 1}},
    "harmless side of a p value": {
        "metric": "privet",
        "measure": "p_pl",
        "require": {"max": 0.05},
    },
    "outside": {"require": {"max": 2}},
    "never fails": {"require": {"max": 1}},
    "never met": {"metric": "privet", "measure": "p_pl", "require": {"above": 1}},
    "half a person": {"measure": "at_risk", "require": {"equals": 0.5}},
    "minus one person": {"measure": "at_risk", "require": {"max": -1}},
    "id with blanks": {"id": "the rule"},
    "no source": {"source": None},
    "source without reference": {"source": {"kind": "house"}},
    "blank reference": {"source": {"kind": "house", "ref": " "}},
}
WELL_FORMED = 7


def _policy(rule, **given):
    head = {"privgate": "policy/v1", "id": "p", "version": "1.0.0", "title": "t"}
    return head | {"rules": [rule]} | given


def _binds(content, bench):
    document = parse_document(json.dumps(content), name="p", error=PolicyError)
    try:
        open_document(document, bench.metrics)
    except PolicyError:
        return False
    return True


@pytest.fixture(scope="module", params=[Draft202012Validator, Draft7Validator])
def validator(bench, request):
    """Return a validator of the stated dialect, or of the one that many editors still read."""
    schema = policy_schema(bench.metrics)
    request.param.check_schema(schema)
    return request.param(schema)


@pytest.mark.parametrize("name", RULES)
def test_schema_and_bind_agree_on_rules(bench, validator, name):
    content = _policy(bench.rule(**RULES[name]))
    expected = list(RULES).index(name) < WELL_FORMED
    assert _binds(content, bench) is expected
    assert validator.is_valid(content) is expected


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"confidence": 0.9, "review_by": "2027-06-30", "owner": "o"}, True),
        ({"requires": {"holdout": True, "min_rows": {"train": 5}}}, True),
        ({"requires": {"coverage": ["inference"]}}, True),
        ({"confidence": 1}, False),
        ({"version": "1.0"}, False),
        ({"privgate": "policy/v2"}, False),
        ({"rules": []}, False),
        ({"extends": None}, False),
        ({"extends": ["card-example"]}, False),
        ({"requires": {"holdout": "yes"}}, False),
        ({"requires": {"min_rows": {"train": 0}}}, False),
        ({"requires": {"max_holdout_overlap": 2}}, False),
        ({"requires": {"coverage": ["inferense"]}}, False),
    ],
)
def test_schema_and_bind_agree_on_policies(bench, validator, given, expected):
    content = _policy(bench.rule(), **given)
    assert _binds(content, bench) is expected
    assert validator.is_valid(content) is expected


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({}, True),
        ({"rules": []}, True),
        ({"extends": ""}, False),
        ({"rules": [{"id": "no-privacy-leaks", "metric": "gues"}]}, False),
        ({"requires": {"holdout": "yes"}}, False),
    ],
)
def test_a_child_needs_no_rules(bench, given, expected):
    head = {"privgate": "policy/v1", "id": "p", "version": "1.0.0", "title": "t"}
    content = head | {"extends": "card-example"} | given
    assert _binds(content, replace(bench, metrics=all_metrics())) is expected
    assert Draft202012Validator(policy_schema(all_metrics())).is_valid(content) is expected


def test_a_childs_rule_may_leave_the_figure_to_the_parent(bench, validator):
    rule = bench.rule(metric="privet", require={"above": 0.1})
    assert not validator.is_valid(_policy(rule))
    assert validator.is_valid(_policy(rule, extends="parent.yaml"))


def test_schema_tells_editors_the_built_in_policies(bench):
    names = policy_schema(bench.metrics)["properties"]["extends"]["anyOf"][0]["enum"]
    assert names == list(built_in_policies())


def test_schema_tells_editors_figures_and_parameters(bench):
    branch = policy_schema(bench.metrics)["$defs"]["rule-guess"]
    assert branch["properties"]["measure"]["enum"] == ["gap", "fraction", "at_risk", None]
    reference = branch["properties"]["params"]["$ref"].rsplit("/", 1)[1]
    params = policy_schema(bench.metrics)["$defs"][reference]
    assert "at risk" in params["properties"]["tau"]["description"]


@pytest.mark.parametrize("name", [*built_in_policies(), "template"])
def test_schema_accepts_the_shipped_policies(name):
    schema = policy_schema(all_metrics())
    content = read_policy_document(name).content
    errors = [error.message for error in Draft202012Validator(schema).iter_errors(content)]
    assert errors == []


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"metric": "acme.k_map", "params": {"k": 5}, "measure": "share"}, True),
        ({"metric": "acme.k_map", "require": {"max": "much"}}, False),
        ({"metric": "acme.k_map", "severity": "sometimes"}, False),
        ({"metric": "acme."}, False),
        ({"metric": "Acme.k_map"}, False),
    ],
)
def test_the_schema_lets_a_rule_name_a_plug_in_that_nobody_loads(bench, validator, given, expected):
    content = _policy(bench.rule(params={}) | given)
    assert validator.is_valid(content) is expected


def test_schemas_accept_what_is_written(bench):
    bound = bench.bind([bench.rule()], requires={"holdout": True, "coverage": ["inference"]})
    evidence = bench.evidence(bound, {"guess": {"figures": {"gap": [0, 0, 0.01, 9]}}})
    for schema, written in (
        (evidence_schema(), evidence),
        (verdict_schema(), check(bound, evidence)),
    ):
        Draft202012Validator.check_schema(schema)
        Draft202012Validator(schema).validate(json.loads(canonical_bytes(written)))
