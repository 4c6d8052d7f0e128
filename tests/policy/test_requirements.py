import pytest

from privgate.policy import Requirements, check, compare_policies
from privgate.policy.extends import loosenings, merged


@pytest.fixture
def verdict(bench):
    def judge(requires, gap=(0.0, -0.01, 0.01), **declared):
        bound = bench.bind([bench.rule()], requires=requires)
        evidence = bench.evidence(bound, {"guess": {"figures": {"gap": list(gap)}}})
        release = evidence.release.model_copy(update=declared)
        return check(bound, evidence.model_copy(update={"release": release}))

    return judge


BUDGET = {"declared": ["generator.dp.epsilon", "context.purpose"]}


def test_what_is_declared_is_kept(verdict):
    found = verdict(BUDGET, generator={"dp": {"epsilon": 0}}, context={"purpose": "teaching"})
    assert found.outcome == "met"
    assert all("fills in" in item.reason for item in found.requirements[-2:])


@pytest.mark.parametrize("epsilon", [None, "", "  ", {}, []])
def test_an_empty_entry_is_not_declared(verdict, epsilon):
    found = verdict(BUDGET, generator={"dp": {"epsilon": epsilon}}, context={"purpose": "x"})
    assert found.outcome == "not_assessed"
    assert "does not fill in generator.dp.epsilon" in found.reasons[0]


@pytest.mark.parametrize("generator", [{}, {"dp": 3}, {"dp": {"delta": 1}}, {"epsilon": 1}])
def test_a_missing_entry_is_not_declared(verdict, generator):
    found = verdict(BUDGET, generator=generator, context={"purpose": "x"})
    assert [it.name for it in found.requirements if not it.satisfied] == [
        "declared.generator.dp.epsilon"
    ]


def test_declarations_excuse_no_violation(verdict):
    assert verdict(BUDGET, gap=(0.2, 0.1, 0.3)).outcome == "violated"


def test_a_policy_that_screens_is_never_met(verdict):
    found = verdict({"full_policy": True})
    assert (found.outcome, found.exit_code) == ("not_assessed", 3)
    assert "only screens" in found.reasons[0]
    assert found.rules[0].outcome == "met"
    assert verdict({"full_policy": True}, gap=(0.2, 0.1, 0.3)).outcome == "violated"


@pytest.mark.parametrize("place", ["epsilon", "generator", "generator.", "columns.age"])
def test_only_entries_for_declarations_can_be_asked_for(place):
    with pytest.raises(ValueError, match="pattern"):
        Requirements(declared=(place,))


PARENT = {"declared": ["context.purpose"], "full_policy": True}


@pytest.mark.parametrize(
    ("own", "looser"),
    [
        ({}, []),
        ({"declared": ["context.purpose", "generator.name"]}, []),
        ({"declared": ["generator.name"]}, [("requires", "declared")]),
        ({"full_policy": False}, [("requires", "full_policy")]),
    ],
)
def test_a_child_asks_for_no_less(bench, own, looser):
    parent = bench.policy([bench.rule()], requires=PARENT)
    child = bench.policy([], extends="p", requires=own)
    assert [found.path for found in loosenings(child, parent)] == looser
    if not looser:
        assert merged(child, parent).requires.full_policy


def test_a_difference_names_what_is_asked_less(bench):
    asking, lax = (bench.bind([bench.rule()], requires=it) for it in (PARENT, {}))
    found = [(it.entry, it.effect) for it in compare_policies(asking, lax).changes]
    assert found == [("requires.full_policy", "looser"), ("requires.declared", "looser")]
    assert not compare_policies(lax, asking).loosened


def test_a_policy_without_them_has_the_document_it_ever_had(bench):
    assert bench.policy([bench.rule()]).model_dump()["requires"].keys() == {
        "holdout",
        "min_rows",
        "max_holdout_overlap",
        "coverage",
    }


def test_a_policy_may_be_for_arrays_only(verdict, bench):
    found = verdict({"kind": "array"})
    assert found.outcome == "not_assessed"
    assert found.requirements[0].reason == "The policy is for arrays, and the release is a table."
    assert verdict({"kind": "table"}).outcome == "met"
    assert verdict({"kind": "array"}, gap=(0.2, 0.1, 0.3)).outcome == "violated"
    parent = bench.policy([bench.rule()], requires={"kind": "array"})
    for own, looser in (({}, []), ({"kind": "table"}, [("requires", "kind")])):
        child = bench.policy([], extends="p", requires=own)
        assert [it.path for it in loosenings(child, parent)] == looser
    arrays, tables, any_kind = (
        bench.bind([bench.rule()], requires=it) for it in ({"kind": "array"}, {"kind": "table"}, {})
    )
    effects = [
        [change.effect for change in compare_policies(*pair).changes]
        for pair in ((any_kind, arrays), (arrays, any_kind), (arrays, tables))
    ]
    assert effects == [["tighter"], ["looser"], ["changed"]]
