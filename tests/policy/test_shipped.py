"""The policies that come with privgate, bound to the metrics that come with it."""

from __future__ import annotations

import json
from datetime import date
from pathlib import Path

import pytest

from privgate.data.documents import parse_document
from privgate.errors import PolicyError
from privgate.evidence import document
from privgate.metrics.registry import all_metrics
from privgate.policy import (
    built_in_policies,
    load_policy,
    open_document,
    open_policy,
    read_policy_document,
)
from privgate.policy.cases import cases_beside, open_cases
from privgate.policy.lint import Level, lint
from privgate.policy.load import policy_file
from privgate.policy.model import Judge, SourceKind
from privgate.policy.verdict import Outcome
from privgate.resources import resource_folder
from privgate.testing import compare_with_golden
from privgate.trials.fixtures import Truth, built_in_fixtures
from privgate.trials.fixtures.catalogue import TREATMENTS
from privgate.trials.rehearsal import Answer, rehearse

SHIPPED = [*built_in_policies(), "template"]
TODAY = date(2026, 11, 30)


def test_the_built_in_policies():
    assert built_in_policies() == (
        "card-example",
        "ci-smoke",
        "cms-cell-11",
        "controlled-access",
        "dp-synthetic",
        "ema-0070-public",
        "embeddings",
        "genomics-strict",
        "internal-test-data",
        "public-release-strict",
        "wp29-core",
    )


@pytest.mark.parametrize("name", SHIPPED)
def test_shipped_policies_open_and_are_clean(name):
    bound = open_policy(name, all_metrics())
    assert [str(found) for found in lint(bound, TODAY) if found.level is not Level.NOTE] == []


@pytest.mark.parametrize("name", SHIPPED)
def test_every_shipped_limit_says_why(name):
    rules = load_policy(name).policy.rules
    assert all(rule.rationale for rule in rules if rule.source.kind is SourceKind.HOUSE)


@pytest.mark.parametrize("name", built_in_policies())
def test_a_policy_is_named_after_its_file(name):
    assert load_policy(name).policy.id == name


def test_card_example_says_that_the_published_npl_raises_false_alarms():
    bound = open_policy("card-example", all_metrics())
    (note,) = [found for found in lint(bound, TODAY) if found.rule == "no-privacy-leaks"]
    assert note.level is Level.NOTE
    assert "by chance" in note.message
    assert "False alarms" in bound.text


@pytest.mark.parametrize("name", built_in_policies())
def test_every_policy_runs_privet_and_domias_at_most_once(name):
    rules = open_policy(name, all_metrics()).rules
    for metric in ("privet", "domias"):
        assert len({rule.measurement_id for rule in rules if rule.metric.name == metric}) <= 1


@pytest.mark.parametrize("name", built_in_policies())
def test_what_a_built_in_policy_means_has_not_changed(name):
    """A changed file is a changed meaning: raise the policy's version with it.

    ``PRIVGATE_REGOLD=1`` writes the files anew; look at the difference before committing it.
    """
    bound = open_policy(name, all_metrics())
    meaning = document(bound.policy)
    for rule, stated in zip(bound.rules, meaning["rules"], strict=True):
        stated |= {"params": document(rule.params), "measure": rule.measure}
        stated["metric"] = f"{rule.metric.name}, version {rule.metric.card.version}"
    text = json.dumps(meaning, indent=1, sort_keys=True, ensure_ascii=False) + "\n"
    compare_with_golden(text, Path(__file__).parent / "golden" / f"{name}.json")


def test_every_golden_file_belongs_to_a_policy():
    files = {file.stem for file in (Path(__file__).parent / "golden").iterdir()}
    assert files == set(built_in_policies())


@pytest.mark.parametrize("name", sorted(set(built_in_policies()) - {"card-example"}))
def test_earnest_policies_judge_by_intervals_and_ask_for_a_holdout(name):
    policy = load_policy(name).policy
    assert policy.requires.holdout
    assert policy.requires.max_holdout_overlap <= 0.05
    assert all(rule.judge is Judge.BOUND for rule in policy.rules)


def test_the_strict_policy_is_nowhere_looser_than_its_base():
    base, strict = (
        {(rule.metric, rule.measure): rule for rule in load_policy(name).policy.rules}
        for name in ("wp29-core", "public-release-strict")
    )
    assert base.keys() <= strict.keys()
    for key, rule in base.items():
        own, limit = strict[key].require.stated, rule.require.stated
        assert own.keys() == limit.keys()
        assert all(
            own[name] <= number if name == "max" else own[name] >= number
            for name, number in limit.items()
        )


def test_a_smoke_test_can_stop_a_release_and_never_lets_one_out():
    found = rehearsed("ci-smoke", "digits-table", "copula", "copies-1-percent")
    assert found["digits-table/copula"].outcome is Outcome.NOT_ASSESSED
    assert found["digits-table/copula"].stopped_by == ()
    assert found["digits-table/copies-1-percent"].outcome is Outcome.VIOLATED


def test_a_declared_budget_is_judged_as_its_base():
    base, declared = (load_policy(name).policy for name in ("wp29-core", "dp-synthetic"))
    assert declared.rules == base.rules
    own = declared.requires.model_copy(update={"declared": ()})
    assert own == base.requires


def test_a_re_identification_probability_is_judged_beside_the_base():
    base, public = (load_policy(name).policy for name in ("wp29-core", "ema-0070-public"))
    assert public.rules[: len(base.rules)] == base.rules
    assert public.requires == base.requires
    own = public.rules[len(base.rules) :]
    assert [rule.require.stated for rule in own] == [{"max": 0.09}] * 2
    notes = lint(open_policy("ema-0070-public", all_metrics()), TODAY)
    assert ["1/11" in found.message for found in notes if found.rule == "re-identification"] == [
        True
    ]


def test_a_rule_on_cells_is_judged_beside_the_base_and_cannot_be_waived():
    base, cells = (load_policy(name).policy for name in ("wp29-core", "cms-cell-11"))
    assert cells.rules[: len(base.rules)] == base.rules
    assert cells.requires == base.requires
    own = cells.rules[len(base.rules) :]
    assert {rule.measure for rule in own} == {"small_cells", "small_differences"}
    assert all(rule.require.stated == {"equals": 0} and not rule.waivable for rule in own)


def test_the_strict_policy_looks_into_groups_that_no_policy_can_name():
    rules = {
        rule.rule.id: rule for rule in open_policy("public-release-strict", all_metrics()).rules
    }
    assert rules["worst-group"].rule.is_blocking
    assert rules["worst-group"].params.groups == ("quasi_identifiers",)
    assert not rules["outliers"].rule.is_blocking


def test_limits_that_the_controller_owes_are_refused_by_line():
    with pytest.raises(PolicyError) as caught:
        load_policy("cnil-anonymeter")
    problems = caught.value.problems
    assert [problem.path for problem in problems] == [f"rules[{n}].require.max" for n in range(4)]
    lines = read_policy_document("cnil-anonymeter").text.splitlines()
    assert all("max: }" in lines[problem.line - 1] for problem in problems)
    filled = read_policy_document("cnil-anonymeter").text.replace("max: }", "max: 0.05}")
    bound = open_document(parse_document(filled, name="own", error=PolicyError), all_metrics())
    assert [str(found) for found in lint(bound, TODAY)] == []


@pytest.mark.parametrize("name", built_in_policies())
def test_cases_of_shipped_policies_come_out_as_they_say(name):
    bound = open_policy(name, all_metrics())
    cases = open_cases(cases_beside(policy_file(name)), bound)
    assert [result for result in cases.results(bound) if result.differences] == []
    leaks = {it.name for it in TREATMENTS if it.truth is Truth.LEAKS}
    assert set(cases.exempt) <= leaks
    answers = {case.expect for case, _ in cases.tests}
    assert answers == set(Outcome) - {"waived"} - ({"met"} if name == "ci-smoke" else set())


def rehearsed(name, source, *treatments):
    bound = open_policy(name, all_metrics())
    exempt = open_cases(cases_beside(policy_file(name)), bound).exempt
    fixtures = [
        it
        for it in built_in_fixtures()
        if it.source.name == source and (not treatments or it.treatment.name in treatments)
    ]
    return {it.fixture.name: it for it in rehearse(bound, fixtures, exempt=exempt, jobs=2)}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "source", "treatments"),
    [
        ("wp29-core", "digits-table", ("copula", "copies-1-percent", "near-copies-10-percent")),
        ("public-release-strict", "digits-table", ("copula", "trees", "isolated-2-percent")),
        ("controlled-access", "digits-table", ("copula", "copies-1-percent", "secrets-50-percent")),
        ("internal-test-data", "digits-table", ("copula", "copies-1-percent")),
        ("ema-0070-public", "digits-bands", ("copula", "copies-1-percent", "trees")),
        ("cms-cell-11", "digits-table", ("copula", "small-cells", "small-differences")),
        ("genomics-strict", "digits-hamming", ()),
        ("embeddings", "digits-cosine", ()),
    ],
)
def test_shipped_policies_tell_honest_from_leaking_releases(name, source, treatments):
    """One draw of each; docs/built-in-policies.md has rates from many."""
    found = rehearsed(name, source, *treatments)
    assert [key for key, it in found.items() if it.answer is Answer.WRONG] == []
    assert {it.fixture.truth for it in found.values() if it.answer is Answer.RIGHT} == set(Truth)


def test_the_published_scores_stop_an_honest_release_as_the_file_says():
    found = rehearsed("card-example", "digits-table", "holdout", "copies-1-percent")
    assert found["digits-table/holdout"].answer is Answer.WRONG
    assert found["digits-table/copies-1-percent"].answer is Answer.RIGHT


def test_the_template_shows_every_field():
    text = (resource_folder("policies") / "template.yaml").read_text(encoding="utf-8")
    policy = load_policy("template").policy
    fields = {*type(policy).model_fields, *type(policy.requires).model_fields}
    fields |= {*type(policy.rules[0]).model_fields, *type(policy.rules[0].require).model_fields}
    assert [name for name in sorted(fields) if name not in text] == []


def test_a_path_is_read_as_a_path(tmp_path):
    text = (resource_folder("policies") / "template.yaml").read_text(encoding="utf-8")
    file = tmp_path / "card-example.yaml"
    file.write_text(text, encoding="utf-8")
    loaded = load_policy(str(file))
    assert loaded.policy.id == "my-policy"
    assert loaded.document.text == text


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("card-exampel", ["there is no policy 'card-exampel'", "did you mean 'card-example'"]),
        ("zzz", ["known: 'card-example', 'ci-smoke'", "path of a file"]),
        ("missing.yaml", ["missing.yaml: there is no such file"]),
    ],
)
def test_unknown_policies(name, words):
    with pytest.raises(PolicyError) as caught:
        load_policy(name)
    assert all(word in str(caught.value) for word in words)
