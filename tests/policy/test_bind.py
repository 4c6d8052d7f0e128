from __future__ import annotations

import math

import pytest
from pydantic import ValidationError

from privgate.errors import PolicyError
from privgate.evidence import FigureKind, FigureSpec, SafeSide, canonical_bytes
from privgate.metrics import all_metrics
from privgate.policy import Rule, bind, measurement_id, open_document, policy_from_text
from privgate.policy.limits import figure_range, limit_complaints
from privgate.policy.model import Limit


def test_measurement_id_depends_on_resolved_parameters(bench):
    left_out, written, other = (
        bench.bind([bench.rule(params=params)]).rules[0].measurement_id
        for params in ({}, {"attackers": ["tree"], "tau": 0.3}, {"tau": 0.4})
    )
    assert left_out == written
    assert left_out != other
    assert left_out.startswith("guess-")
    assert len(left_out) == len("guess-") + 8


def test_measurement_id_depends_on_the_version(bench):
    metric = bench.metrics["guess"]
    newer = type(metric)(
        metric.card.model_copy(update={"version": 2}), metric.params, metric.measure
    )
    assert measurement_id(metric, metric.params()) != measurement_id(newer, newer.params())


def test_measure_defaults_to_the_headline(bench):
    bound = bench.bind([bench.rule()]).rules[0]
    assert bound.measure == "gap"
    assert bound.figure is bench.metrics["guess"].card.figures["gap"]


def test_a_policy_from_python_carries_a_text_that_is_the_policy(bench):
    bound = bench.bind([bench.rule()], review_by="2027-06-30")
    again = policy_from_text(bound.text)
    assert again.policy == bound.policy
    assert open_document(again.document, bench.metrics).rules == bound.rules


def test_problems_of_a_policy_from_python_name_no_file(bench):
    policy = bench.policy([bench.rule(metric="gues"), bench.rule(id="b", measure="gup")])
    with pytest.raises(PolicyError) as caught:
        bind(policy, bench.metrics)
    assert [(problem.file, problem.path) for problem in caught.value.problems] == [
        (None, "rules[0].metric"),
        (None, "rules[1].measure"),
    ]


@pytest.mark.parametrize("name", ["ID", "id", "Id"])
def test_a_name_of_the_review_is_translated(bench, name):
    metric = bench.metrics["guess"]
    card = metric.card.model_copy(update={"name": "identifiability", "review_name": "ID"})
    metrics = {**bench.metrics, "identifiability": type(metric)(card, metric.params, None)}
    with pytest.raises(PolicyError) as caught:
        bind(bench.policy([bench.rule(metric=name)]), metrics)
    (problem,) = caught.value.problems
    assert problem.message == f"there is no metric {name!r}"
    assert problem.remedy == "the review's ID is called 'identifiability' here"


@pytest.mark.parametrize("name", ["CRP", "Auth", "MIR"])
def test_a_name_of_the_review_in_capitals_is_the_metric_of_that_name(bench, name):
    with pytest.raises(PolicyError) as caught:
        bind(bench.policy([bench.rule(metric=name)]), all_metrics())
    (problem,) = caught.value.problems
    assert problem.remedy == f"the review's {name} is called {name.lower()!r} here"


@pytest.mark.parametrize("bad", [math.nan, math.inf, 2**60])
def test_parameters_are_numbers_that_every_reader_agrees_on(bench, bad):
    with pytest.raises(ValidationError, match="finite"):
        Rule.model_validate(bench.rule(params={"tau": bad}))


@pytest.mark.parametrize("bad", [math.nan, math.inf, True, "0.05", None])
def test_limits_are_finite_numbers(bad):
    with pytest.raises(ValidationError):
        Limit(max=bad)


def test_an_empty_measure_is_not_the_headline(bench):
    with pytest.raises(PolicyError, match="no figure ''"):
        bench.bind([bench.rule(measure="")])


def test_two_conflicts_are_reported_each_at_its_place(bench):
    rules = [bench.rule(), bench.rule(severity="advisory"), bench.rule(require={"max": 0.1})]
    with pytest.raises(ValidationError) as caught:
        bench.policy(rules)
    assert [error["loc"] for error in caught.value.errors()] == [
        ("rules", 1, "id"),
        ("rules", 1),
        ("rules", 2, "id"),
    ]


def test_policies_with_one_meaning_have_one_document(bench):
    whole, fraction = (bench.policy([bench.rule(require={"max": number})]) for number in (0, 0.0))
    assert canonical_bytes(whole) == canonical_bytes(fraction)


@pytest.mark.parametrize(
    ("kind", "ends", "expected"),
    [
        (FigureKind.SHARE, {}, (0, 1)),
        (FigureKind.DIFFERENCE, {"minimum": 0}, (0, 1)),
        (FigureKind.COUNT, {}, (0, math.inf)),
        (FigureKind.SCORE, {"maximum": 3}, (-math.inf, 3)),
    ],
)
def test_figure_range(kind, ends, expected):
    spec = FigureSpec(title="t", meaning="m", safe_side=SafeSide.LOW, kind=kind, **ends)
    assert figure_range(spec) == expected


@pytest.mark.parametrize(
    ("side", "limit", "complains"),
    [
        (SafeSide.LOW, {"max": 0}, False),
        (SafeSide.LOW, {"max": 1}, True),
        (SafeSide.LOW, {"below": 1}, False),
        (SafeSide.LOW, {"below": 0}, True),
        (SafeSide.LOW, {"min": 0.5}, True),
        (SafeSide.LOW, {"min": 0.1, "max": 0.5}, False),
        (SafeSide.LOW, {"min": 0, "max": 0.5}, True),
        (SafeSide.LOW, {"equals": 0}, False),
        (SafeSide.LOW, {"equals": 2}, True),
        (SafeSide.HIGH, {"min": 1}, False),
        (SafeSide.HIGH, {"min": 0}, True),
        (SafeSide.HIGH, {"above": 0}, False),
        (SafeSide.HIGH, {"above": 1}, True),
        (SafeSide.HIGH, {"below": 0.5}, True),
    ],
)
def test_limits_of_a_share(side, limit, complains):
    spec = FigureSpec(title="t", meaning="m", safe_side=side, kind=FigureKind.SHARE)
    assert bool(list(limit_complaints(Limit(**limit), spec))) is complains
