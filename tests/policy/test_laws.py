"""Laws that hold for every policy and every evidence."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from privgate.evidence import Estimate, FigureKind, FigureSpec, SafeSide, document
from privgate.policy import Judge, Limit, Outcome, Policy, check
from privgate.policy.judge import judge_figure
from privgate.policy.model import OPERATORS

FAMILIES = {"max": 1, "below": 1, "min": -1, "above": -1}
numbers = st.floats(-1, 1).map(lambda x: round(x, 3))
intervals = st.lists(numbers, min_size=3, max_size=3).map(sorted)
outcome_ranks = {Outcome.MET: 0, Outcome.NOT_ASSESSED: 1, Outcome.VIOLATED: 2}


def _spec(*, has_interval=True):
    return FigureSpec(
        title="t",
        meaning="m",
        safe_side=SafeSide.LOW,
        kind=FigureKind.SCORE,
        has_interval=has_interval,
    )


def _judge(estimate, limit, judge=Judge.BOUND, *, has_interval=True):
    spec = _spec(has_interval=has_interval)
    return judge_figure(estimate, limit=limit, spec=spec, judge=judge, confidence=0.95)


def _interval(ends, n=100):
    low, value, high = ends
    return Estimate(value=value, low=low, high=high, level=0.95, method="Wilson", n=n)


@given(
    intervals, st.sampled_from(sorted(FAMILIES)), numbers, st.floats(0, 1), st.sampled_from(Judge)
)
def test_tightening_never_turns_violated_into_met(ends, operator, limit, step, judge):
    tighter = limit - FAMILIES[operator] * step
    loose = _judge(_interval(ends), Limit(**{operator: limit}), judge).outcome
    tight = _judge(_interval(ends), Limit(**{operator: tighter}), judge).outcome
    assert outcome_ranks[tight] >= outcome_ranks[loose]


@given(intervals, st.sampled_from([("max", "below"), ("min", "above")]), numbers)
def test_a_strict_limit_is_tighter(ends, operators, limit):
    closed, open_ = (_judge(_interval(ends), Limit(**{name: limit})) for name in operators)
    assert outcome_ranks[open_.outcome] >= outcome_ranks[closed.outcome]


@given(intervals, st.sampled_from(OPERATORS), numbers)
def test_outcomes_say_what_they_promise(ends, operator, limit):
    kept = {
        "max": lambda x: x <= limit,
        "below": lambda x: x < limit,
        "min": lambda x: x >= limit,
        "above": lambda x: x > limit,
        "equals": lambda x: x == limit,
    }[operator]
    found = _judge(_interval(ends), Limit(**{operator: limit}))
    if all(kept(end) for end in ends):
        expected = Outcome.MET
    else:
        expected = Outcome.NOT_ASSESSED if kept(ends[1]) else Outcome.VIOLATED
    assert found.outcome is expected
    assert found.needed_n is None or (expected is Outcome.NOT_ASSESSED and found.needed_n > 100)


@given(intervals, numbers)
def test_the_advised_number_of_records_settles_the_rule(ends, limit):
    low, value, high = ends
    found = _judge(_interval(ends), Limit(below=limit))
    if found.needed_n is not None:
        shrink = math.sqrt(100 / found.needed_n)
        end = value + (high - value) * shrink
        assert end <= limit + 1e-9
    assert low <= value


@pytest.mark.parametrize("operator", OPERATORS)
@pytest.mark.parametrize("judge", Judge)
@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf, None])
@pytest.mark.parametrize("has_interval", [True, False])
def test_broken_values_never_pass(operator, judge, bad, has_interval):
    stated = {"value": bad, "low": bad, "high": bad, "level": 0.95, "reason": "broken", "n": 5}
    estimate = Estimate.model_construct(**stated)
    found = _judge(estimate, Limit(**{operator: 0}), judge, has_interval=has_interval)
    assert found.outcome is Outcome.NOT_ASSESSED


@pytest.mark.parametrize("operator", OPERATORS)
@pytest.mark.parametrize("end", ["low", "high", "level"])
@pytest.mark.parametrize("bad", [math.nan, None])
def test_broken_intervals_never_pass(operator, end, bad):
    stated = {"value": 0.0, "low": 0.0, "high": 0.0, "level": 0.95} | {end: bad}
    found = _judge(Estimate.model_construct(**stated), Limit(**{operator: 0}))
    assert found.outcome is Outcome.NOT_ASSESSED


figures = st.fixed_dictionaries(
    {
        "guess": st.fixed_dictionaries(
            {"figures": st.fixed_dictionaries({"gap": intervals.map(lambda x: [x[1], x[0], x[2]])})}
        ),
        "privet": st.fixed_dictionaries(
            {"figures": st.fixed_dictionaries({"npl": st.integers(0, 2)})}
        ),
    }
)
severities = st.tuples(*[st.sampled_from(["blocking", "advisory"])] * 2).filter(
    lambda pair: "blocking" in pair
)


def _rules(bench, pair):
    return [
        bench.rule(id="a", severity=pair[0], require={"max": 0.2}),
        bench.rule(id="b", severity=pair[1], metric="privet", require={"equals": 0}),
    ]


@given(figures, severities, st.sampled_from(["guess", "privet"]))
def test_removing_a_measurement_never_opens_the_gate(bench, measured, pair, gone):
    bound = bench.bind(_rules(bench, pair))
    before = check(bound, bench.evidence(bound, measured))
    rest = {name: given for name, given in measured.items() if name != gone}
    after = check(bound, bench.evidence(bound, rest))
    assert after.outcome is not Outcome.MET or before.outcome is Outcome.MET
    blocking = {"guess": pair[0], "privet": pair[1]}[gone] == "blocking"
    assert not blocking or after.outcome is not Outcome.MET


@given(figures, severities)
def test_the_order_of_rules_and_measurements_is_irrelevant(bench, measured, pair):
    rules = _rules(bench, pair)
    forth, back = bench.bind(rules), bench.bind(rules[::-1])
    one = check(forth, bench.evidence(forth, measured))
    two = check(back, bench.evidence(back, dict(reversed(measured.items()))))
    assert one.outcome is two.outcome
    assert sorted(one.rules, key=lambda rule: rule.id) == sorted(
        two.rules, key=lambda rule: rule.id
    )


limits = st.one_of(
    st.tuples(st.sampled_from(OPERATORS), st.floats(-1e6, 1e6)).map(lambda x: Limit(**dict([x]))),
    st.tuples(st.floats(-1, 0, exclude_max=True), st.floats(0, 1)).map(
        lambda x: Limit(min=x[0], max=x[1])
    ),
)


rules = st.fixed_dictionaries(
    {"require": limits, "judge": st.sampled_from(Judge), "waivable": st.booleans()},
    optional={"rationale": st.just("so"), "measure": st.just("gap")},
)
policies = st.fixed_dictionaries(
    {"confidence": st.floats(0.51, 0.99)},
    optional={
        "review_by": st.dates(),
        "owner": st.just("board"),
        "requires": st.just({"holdout": True, "min_rows": {"train": 5}, "coverage": ["inference"]}),
    },
)


@given(policies, rules)
def test_a_policy_survives_its_document(bench, head, rule):
    policy = bench.policy([bench.rule(**rule)], **head)
    assert Policy.model_validate(document(policy)) == policy
    assert Policy.model_validate_json(policy.model_dump_json(), strict=True) == policy
