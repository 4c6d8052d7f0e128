from __future__ import annotations

from privgate.policy import BoundPolicy, Outcome, Policy, check


def _verdict(bench, case):
    rules = case.get("rules") or [case.get("rule", {})]
    policy = bench.policy([bench.rule(**rule) for rule in rules], **case.get("policy", {}))
    bound = bench.bound(policy)
    if "child" in case:
        bound = bench.bound(_child(bench, **case["child"]), parents=[policy])
    given = {name: case[name] for name in ("rows", "overlap", "confidence") if name in case}
    return check(bound, bench.evidence(bound, case["measured"], **given))


def _child(bench, rules=(), **given):
    head = {"id": "c", "version": "1.0.0", "title": "t", "extends": "p"}
    own = [bench.rule(**rule, source={"kind": "house", "ref": "us"}) for rule in rules]
    return Policy.model_validate(head | given | {"rules": own})


def test_outcome(bench, outcomes_case):
    case = outcomes_case
    verdict = _verdict(bench, case)
    first = verdict.rules[0]
    assert verdict.outcome == case["outcome"]
    assert verdict.exit_code == {"met": 0, "violated": 1, "not_assessed": 3}[case["outcome"]]
    assert verdict.reasons
    if "rules" not in case:
        assert first.outcome == case.get("rule_outcome", case["outcome"])
    for name in ("judged", "part", "needed_n"):
        if name in case:
            assert getattr(first, name) == case[name]
    assert case.get("reason", "") in first.reason
    assert {rule.id: rule.outcome for rule in verdict.rules} | case.get("each", {}) == {
        rule.id: rule.outcome for rule in verdict.rules
    }
    assert [item.name for item in verdict.requirements if not item.satisfied] == case.get(
        "unmet", []
    )
    covered = {name: item.satisfied for name, item in verdict.coverage.items()}
    assert covered == case.get("covered", {})


def test_reasons_begin_with_the_gravest(bench):
    rules = [
        bench.rule(id="a", severity="advisory", measure="at_risk", require={"equals": 0}),
        bench.rule(id="b"),
        bench.rule(id="c", metric="privet", require={"equals": 0}),
    ]
    bound = bench.bind(rules, requires={"holdout": True})
    figures = {"guess": {"figures": {"at_risk": 3}}, "privet": {"figures": {"npl": 3}}}
    rows = {"train": 5, "synthetic": 5}
    reasons = check(bound, bench.evidence(bound, figures, rows=rows)).reasons
    assert [sentence.split(" is ")[0].split(" could")[0] for sentence in reasons] == [
        "Blocking rule 'c'",
        "Blocking rule 'b'",
        "The policy requires a holdout table and there",
        "Advisory rule 'a'",
    ]


def test_reasons_state_no_small_count(bench):
    bound = bench.bind([bench.rule(metric="privet", require={"equals": 0})])
    verdict = check(bound, bench.evidence(bound, {"privet": {"figures": {"npl": 7}}}))
    assert "7" not in " ".join(verdict.reasons)
    assert verdict.rules[0].value == 7


def test_verdict_names_what_it_judged(bench):
    bound = bench.bind([bench.rule()], owner="board", review_by="2027-06-30")
    evidence = bench.evidence(bound, {"guess": {"figures": {"gap": [0, 0, 0.01, 9]}}})
    verdict = check(bound, evidence)
    assert verdict == check(bound, evidence)
    assert verdict.policy.review_by == "2027-06-30"
    assert verdict.rules[0].measurement == evidence.measurements[0].id
    assert (verdict.rules[0].n, verdict.rules[0].level) == (9, 0.95)
    assert verdict.rules[0].require == {"max": 0.05}


def test_coverage_counts_even_where_binding_did_not_look(bench):
    rules = [
        bench.rule(id="a", metric="privet", require={"equals": 0}),
        bench.rule(id="b", severity="advisory"),
    ]
    loose = bench.bind(rules)
    bound = BoundPolicy(
        bench.policy(rules, requires={"coverage": ["inference"]}), loose.rules, loose.text
    )
    figures = {"guess": {"figures": {"gap": [0, 0, 0.01]}}, "privet": {"figures": {"npl": 0}}}
    verdict = check(bound, bench.evidence(bound, figures))
    assert [rule.outcome for rule in verdict.rules] == [Outcome.MET, Outcome.MET]
    assert verdict.outcome is Outcome.NOT_ASSESSED
    assert not verdict.coverage["inference"].satisfied
    assert verdict.coverage["inference"].rules == ()
    assert verdict.reasons == (verdict.coverage["inference"].reason,)
