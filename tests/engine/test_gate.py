"""From a release and a policy to a verdict."""

from datetime import UTC, datetime

import pytest

from privgate.data import release_from_frames
from privgate.engine import assess
from privgate.engine.clock import now
from privgate.engine.plan import plan
from privgate.errors import InputError
from privgate.evidence import canonical_bytes
from privgate.metrics import all_metrics
from privgate.neighbors import sets
from privgate.policy import open_document, policy_from_text
from privgate.testing.samples import SURVEY_COLUMNS, survey

POLICY = """
privgate: policy/v1
id: test
version: 1.0.0
title: Test
requires: {{holdout: true}}
rules:
{rules}
"""
RULES = [
    "{id: copies, metric: crp, require: {max: 0.05}}",
    "{id: near, metric: dcr, require: {max: 0.65}}",
    "{id: leaks, metric: privet, params: {permutations: 19}, require: {above: 0.06}}",
    (
        "{id: named, metric: privet, params: {permutations: 19}, measure: npl_decimated, "
        "require: {equals: 0}}"
    ),
]


def policy(rules=RULES):
    text = POLICY.format(
        rules="\n".join(
            "  - " + rule[:-1] + ", source: {kind: house, ref: test}, rationale: test}"
            for rule in rules
        )
    )
    return open_document(policy_from_text(text).document, all_metrics())


def release(synthetic=None):
    return release_from_frames(
        train=survey(250, 1),
        holdout=survey(250, 2),
        synthetic=survey(250, 3) if synthetic is None else synthetic,
        columns=SURVEY_COLUMNS,
    )


CREATED = datetime(2026, 1, 1, tzinfo=UTC)


def test_an_honest_release_is_met_and_a_copy_violated():
    assert assess(release(), policy(), created=CREATED).verdict.outcome == "met"
    copied = assess(release(survey(250, 1)), policy(), created=CREATED).verdict
    assert copied.outcome == "violated"
    assert {rule.id for rule in copied.rules if rule.outcome == "violated"} >= {"copies", "near"}


def test_rules_that_agree_on_metric_and_parameters_share_a_measurement():
    assert [entry.metric.name for entry in plan(policy())] == ["crp", "dcr", "privet"]


def test_order_and_number_of_rules_change_no_figure():
    forwards = assess(release(), policy(), seed=5, created=CREATED).evidence
    backwards = assess(release(), policy(RULES[::-1]), seed=5, created=CREATED).evidence
    fewer = assess(release(), policy(RULES[2:]), seed=5, created=CREATED).evidence
    assert canonical_bytes(forwards) == canonical_bytes(backwards)
    assert forwards.measurements[-1] == fewer.measurements[-1]


def test_the_seed_follows_from_data_and_policy_and_a_given_one_is_recorded():
    first = assess(release(), policy(), created=CREATED).evidence.run
    again = assess(release(), policy(), created=CREATED).evidence.run
    other_data = assess(release(survey(250, 4)), policy(), created=CREATED).evidence.run
    other_policy = assess(release(), policy(RULES[:2]), created=CREATED).evidence.run
    assert first.seed == again.seed
    assert len({first.seed, other_data.seed, other_policy.seed}) == 3
    assert first.seed_source == "derived"
    given = assess(release(), policy(), seed=1, created=CREATED).evidence.run
    assert (given.seed, given.seed_source) == (1, "given")
    with pytest.raises(InputError, match="out of range"):
        assess(release(), policy(), seed=-1)


def test_each_distance_search_is_made_once(monkeypatch):
    calls = []
    for name in ("search_across", "search_within"):
        searched = getattr(sets, name)

        def counted(*args, _searched=searched, _name=name, **kwargs):
            calls.append(_name)
            return _searched(*args, **kwargs)

        monkeypatch.setattr(sets, name, counted)
    rules = [*RULES, "{id: auth, metric: auth, require: {max: 0.9}}"]
    assess(release(), policy(rules), created=CREATED)
    assert sorted(calls) == ["search_across", "search_within"]


def test_progress_is_told_every_stage():
    class Listener:
        def __init__(self):
            self.heard = []
            self.parts = 0

        def started(self, stages):
            self.heard.append(stages)

        def stage(self, title):
            self.heard.append(title)

        def part(self, done, parts):
            assert 1 <= done <= parts
            self.parts += done == parts

        def finished(self):
            self.heard.append("finished")

    listener = Listener()
    assess(release(), policy(RULES[:2]), created=CREATED, progress=listener)
    assert listener.heard[0] == 2
    assert listener.heard[-1] == "finished"
    assert len(listener.heard) == 4
    assert listener.parts >= 1


def test_time_comes_from_source_date_epoch(monkeypatch):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "86400")
    assert now() == datetime(1970, 1, 2, tzinfo=UTC)
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "yesterday")
    with pytest.raises(InputError, match="whole seconds"):
        now()


def test_a_rule_names_the_sensitive_column_and_the_group_that_decide():
    rule = "{id: %s, metric: rapid, params: {%sbootstrap: 200}, measure: %s, require: {max: 0.9}}"
    rules = [
        rule % ("whole", "groups: [region], min_group: 20, ", "gap"),
        rule % ("groups", "groups: [region], min_group: 20, ", "worst_group_gap"),
        rule % ("no-groups", "", "worst_group_gap"),
    ]
    verdict = assess(release(), policy(rules), created=CREATED).verdict
    whole, groups, none = verdict.rules
    assert whole.part == groups.part
    assert (whole.outcome, groups.outcome, none.outcome) == ("met", "met", "not_assessed")
    assert groups.high - groups.low > whole.high - whole.low
    assert groups.value >= whole.value
    assert "group" in none.reason
    assert verdict.outcome == "not_assessed"
