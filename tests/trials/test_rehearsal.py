import pytest

from privgate.data.documents import parse_document
from privgate.errors import PolicyError
from privgate.metrics import all_metrics
from privgate.policy import open_document
from privgate.policy.verdict import Outcome
from privgate.trials.fixtures import built_in_fixtures
from privgate.trials.fixtures.sources import Source
from privgate.trials.rehearsal import Answer, rehearse, representative

FIXTURES = {fixture.name: fixture for fixture in built_in_fixtures()}

POLICY = """
privgate: policy/v1
id: copies
version: 1.0.0
title: Copies
requires: {holdout: true, REQUIRES}
rules:
  - id: no-copies
    metric: METRIC
    measure: MEASURE
    require: {max: LIMIT}
    source: {kind: house, ref: board}
"""


def policy(*, metric="crp", measure="gap", limit="0.02", requires="min_rows: {train: 100}"):
    words = {"METRIC": metric, "MEASURE": measure, "LIMIT": limit, "REQUIRES": requires}
    text = POLICY
    for mark, word in words.items():
        text = text.replace(mark, word)
    return open_document(parse_document(text, name="policy", error=PolicyError), all_metrics())


def answers(bound, *names, **given):
    return [it.answer for it in rehearse(bound, [FIXTURES[name] for name in names], **given)]


def test_a_good_policy_is_right_about_honest_and_leaking_releases():
    honest, leaking = rehearse(
        policy(), [FIXTURES["tumours/holdout"], FIXTURES["tumours/copies-all"]]
    )
    assert (honest.answer, leaking.answer) == (Answer.RIGHT, Answer.RIGHT)
    assert leaking.outcome is Outcome.VIOLATED
    assert (honest.stopped_by, leaking.stopped_by) == ((), ("no-copies",))


def test_a_policy_that_stops_nobody_or_everybody_is_wrong():
    lax = policy(limit="0.9999")
    assert answers(lax, "tumours/copies-5-percent") == [Answer.WRONG]
    strict = policy(metric="dcr", measure="share_nearer_train", limit="0.1")
    assert answers(strict, "tumours/holdout", "tumours/copies-all") == [Answer.WRONG, Answer.RIGHT]


def test_not_assessed_is_no_alarm_and_no_detection():
    unsure = policy(limit="0.0001")
    (honest,) = rehearse(unsure, [FIXTURES["tumours/holdout"]])
    assert (honest.outcome, honest.answer) == (Outcome.NOT_ASSESSED, Answer.RIGHT)
    assert honest.open_rules == ("no-copies",)
    (near,) = rehearse(unsure, [FIXTURES["tumours/near-copies-10-percent"]])
    assert (near.outcome, near.answer) == (Outcome.NOT_ASSESSED, Answer.WRONG)


def test_an_exemption_excuses_a_missed_leak_and_no_false_alarm():
    exempt = {"near-copies-10-percent": "only equal rows are looked for", "holdout": "never"}
    found = answers(policy(), "tumours/near-copies-10-percent", "tumours/copies-all", exempt=exempt)
    assert found == [Answer.EXEMPT, Answer.RIGHT]
    alarmed = policy(metric="nndr", limit="-0.9999")
    assert answers(alarmed, "tumours/holdout", exempt=exempt) == [Answer.WRONG]


@pytest.mark.parametrize(
    ("given", "name", "words"),
    [
        ({"requires": "min_rows: {train: 1000}"}, "tumours/copies-all", "285 rows"),
        ({"metric": "inference"}, "digits-cosine/copies-all", "no columns"),
    ],
)
def test_fixtures_that_the_policy_does_not_admit_count_for_nothing(given, name, words):
    (found,) = rehearse(policy(**given), [FIXTURES[name]])
    assert found.answer is Answer.NOT_FOR_POLICY
    assert found.outcome is None
    assert words in found.reason


def test_records_that_are_not_installed_count_for_nothing(monkeypatch):
    monkeypatch.setattr(Source, "is_installed", property(lambda _: False))
    (found,) = rehearse(policy(), [FIXTURES["tumours/copies-all"]])
    assert (found.answer, found.outcome) == (Answer.NOT_INSTALLED, None)
    assert "not installed" in found.reason


def test_rehearsals_repeat_themselves():
    chosen = [FIXTURES["tumours/holdout"], FIXTURES["tumours/copies-1-percent"]]
    assert rehearse(policy(), chosen, jobs=2) == rehearse(policy(), chosen)
    assert rehearse(policy(), chosen[1:]) == rehearse(policy(), chosen)[1:]


def test_a_quick_rehearsal_takes_one_table_and_one_array():
    sklearn = [it for it in FIXTURES.values() if it.source.package == "sklearn"]
    small = representative(sklearn, policy(requires="max_holdout_overlap: 0.5"))
    assert {it.source.name for it in small} == {"digits-table", "digits-hamming"}


@pytest.mark.parametrize(
    ("metric", "measure", "name", "words"),
    [
        ("crp", "gap", "digits-bands/copula", "in bands, for policies that limit"),
        ("reidentification", "max_probability", "tumours/holdout", "People are known exactly here"),
        ("crp", "gap", "tumours/small-cells", "for policies that judge small_cells"),
    ],
)
def test_fixtures_that_are_made_for_other_policies_count_for_nothing(metric, measure, name, words):
    limit = "0.09" if metric == "reidentification" else "0.02"
    bound = policy(metric=metric, measure=measure, limit=limit)
    (found,) = rehearse(bound, [FIXTURES[name]])
    assert (found.answer, found.outcome) == (Answer.NOT_FOR_POLICY, None)
    assert words in found.reason


def test_a_policy_on_reidentification_is_asked_about_bands():
    bound = policy(metric="reidentification", measure="max_probability", limit="0.09")
    assert answers(bound, "digits-bands/copula") == [Answer.RIGHT]
    chosen = representative(list(FIXTURES.values()), bound)
    assert {it.source.name for it in chosen if it.source.package == "sklearn"} <= {"digits-bands"}


def test_a_policy_on_published_tables_sees_good_and_bad_ones():
    bound = policy(metric="small_cells", measure="small_cells", limit="0")
    names = ("tumours/copula", "tumours/small-cells", "tumours/small-differences")
    found = {it.fixture.treatment.name: it for it in rehearse(bound, [FIXTURES[n] for n in names])}
    assert found["copula"].outcome is Outcome.MET
    assert found["small-cells"].stopped_by == ("no-copies",)
    assert found["small-differences"].answer is Answer.WRONG  # the rule on totals is not there
