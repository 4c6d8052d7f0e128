"""Laws that hold for every policy and every evidence."""

from __future__ import annotations

import math

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from privgate.evidence import (
    Estimate,
    FigureKind,
    FigureSpec,
    SafeSide,
    canonical_bytes,
    document,
)
from privgate.policy import (
    Judge,
    Limit,
    Outcome,
    Policy,
    check,
    compare_policies,
    policy_from_text,
    resolved_text,
)
from privgate.policy.extends import loosenings, merged
from privgate.policy.judge import judge_figure
from privgate.policy.limits import is_within
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


spans = st.lists(numbers, min_size=2, max_size=2, unique=True).map(sorted)
any_limits = st.one_of(
    st.tuples(st.sampled_from(OPERATORS), numbers).map(lambda x: {x[0]: x[1]}),
    st.tuples(st.sampled_from(["min", "above"]), st.sampled_from(["max", "below"]), spans).map(
        lambda x: {x[0]: x[2][0], x[1]: x[2][1]}
    ),
)


@given(intervals, any_limits, any_limits, st.sampled_from(Judge))
def test_a_limit_within_another_is_met_only_where_the_other_is(ends, first, second, judge):
    inner, outer = Limit(**first), Limit(**second)
    assume(is_within(inner, outer))
    tight, loose = (_judge(_interval(ends), limit, judge).outcome for limit in (inner, outer))
    assert outcome_ranks[tight] >= outcome_ranks[loose]


@given(any_limits, any_limits, numbers)
def test_a_limit_is_within_another_exactly_if_it_allows_nothing_else(first, second, number):
    inner, outer = Limit(**first), Limit(**second)
    assert is_within(inner, inner)
    if is_within(inner, outer):
        exact = Estimate(value=number)
        kept = [_judge(exact, limit, has_interval=False).outcome for limit in (inner, outer)]
        assert kept != [Outcome.MET, Outcome.VIOLATED]


uppers = st.sampled_from(["max", "below"])
shares = st.sampled_from([0.0, 0.05, 0.1, 0.15, 0.2, 0.3])
severity = st.sampled_from(["blocking", "blocking", "advisory"])
own_gap = st.fixed_dictionaries(
    {"id": st.just("gap"), "require": st.builds(lambda name, x: {name: x}, uppers, shares)},
    optional={"judge": st.just("bound"), "severity": severity, "waivable": st.booleans()},
)
own_npl = st.fixed_dictionaries(
    {
        "id": st.just("npl"),
        "metric": st.just("privet"),
        "require": st.sampled_from([{"equals": 0}, {"max": 1}, {"below": 2}, {"max": 3}]),
    },
    optional={"severity": severity},
)
own_more = st.just({"id": "more", "measure": "fraction", "require": {"max": 0.1}})
demands = st.fixed_dictionaries(
    {},
    optional={
        "holdout": st.booleans(),
        "min_rows": st.sampled_from([{}, {"train": 1000}, {"train": 1200}, {"synthetic": 9}]),
        "max_holdout_overlap": st.sampled_from([0.05, 0.1]),
        "coverage": st.sampled_from([[], ["inference"]]),
    },
)
children = st.fixed_dictionaries(
    {
        "rules": st.tuples(*(st.none() | rule for rule in (own_gap, own_npl, own_more))),
        "requires": demands,
    }
)
near_limits = st.lists(shares, min_size=3, max_size=3).map(sorted)
measured_figures = st.builds(
    lambda gap, npl: {
        "guess": {"figures": {"gap": [gap[1], gap[0], gap[2]], "fraction": [0, 0, 0]}},
        "privet": {"figures": {"npl": npl}},
    },
    near_limits,
    st.integers(0, 3),
)


def _family(bench, parent, child):
    """Return a parent and its child, as documents state them."""
    base = [
        bench.rule(id="gap", require=parent["require"], judge=parent["judge"]),
        bench.rule(id="npl", metric="privet", require={"max": 2}, severity="advisory"),
    ]
    first = bench.policy(base, requires=parent["requires"])
    own = [
        bench.rule(**rule, source={"kind": "house", "ref": "us"}) for rule in child["rules"] if rule
    ]
    head = {"id": "c", "version": "1.0.0", "title": "c", "extends": "p"}
    return first, Policy.model_validate(head | {"rules": own, "requires": child["requires"]})


parents = st.fixed_dictionaries(
    {
        "require": st.builds(lambda name, x: {name: x}, uppers, shares),
        "judge": st.sampled_from(Judge),
        "requires": demands,
    }
)
worlds = st.fixed_dictionaries(
    {
        "rows": st.sampled_from(
            [{"train": 1000, "holdout": 10, "synthetic": 9}, {"train": 1500, "synthetic": 9}]
        ),
        "overlap": st.sampled_from([0.0, 0.07, 0.15]),
    }
)


@given(parents, children, measured_figures, worlds)
def test_a_child_never_meets_what_its_parent_does_not(bench, parent, child, measured, world):
    first, second = _family(bench, parent, child)
    assume(not list(loosenings(second, first)))
    old, new = bench.bound(first), bench.bound(second, parents=[first])
    before, after = (check(it, bench.evidence(it, measured, **world)).outcome for it in (old, new))
    assert outcome_ranks[after] >= outcome_ranks[before]
    assert not compare_policies(old, new).loosened


@given(parents, children)
def test_a_child_that_is_merged_again_stays_what_it_is(bench, parent, child):
    first, second = _family(bench, parent, child)
    whole = merged(second, first)
    assert merged(second, whole) == whole
    if not list(loosenings(second, first)):
        assert not list(loosenings(second, whole))
        assert Policy.model_validate(document(whole)) == whole


@given(policies, rules)
def test_a_policy_survives_its_resolved_text(bench, head, rule):
    policy = bench.policy([bench.rule(**rule)], **head)
    loaded = policy_from_text(canonical_bytes(policy).decode())
    assert policy_from_text(resolved_text(loaded)).policy == policy
