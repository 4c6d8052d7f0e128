import pytest

from privgate.policy import Requirements, check


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
