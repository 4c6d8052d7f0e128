"""The policies that come with privgate, bound to the metrics that come with it."""

from __future__ import annotations

from datetime import date

import pytest

from privgate.errors import PolicyError
from privgate.metrics.registry import all_metrics
from privgate.policy import built_in_policies, load_policy, open_policy
from privgate.policy.lint import Level, lint
from privgate.policy.model import SourceKind
from privgate.resources import resource_folder

SHIPPED = [*built_in_policies(), "template"]
TODAY = date(2026, 11, 30)


def test_the_built_in_policies():
    assert built_in_policies() == ("card-example", "public-release-strict")


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


def test_the_strict_policy_runs_privet_once():
    rules = open_policy("public-release-strict", all_metrics()).rules
    assert len({rule.measurement_id for rule in rules if rule.metric.name == "privet"}) == 1


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
        ("zzz", ["known: 'card-example', 'public-release-strict'", "path of a file"]),
        ("missing.yaml", ["missing.yaml: there is no such file"]),
    ],
)
def test_unknown_policies(name, words):
    with pytest.raises(PolicyError) as caught:
        load_policy(name)
    assert all(word in str(caught.value) for word in words)
