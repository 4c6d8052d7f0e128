"""A sample can stop a release and never let one out."""

import json
from dataclasses import replace
from datetime import UTC, datetime

import numpy as np
import pandas as pd
import pytest
from jsonschema import Draft202012Validator

from privgate.data import release_from_frames
from privgate.data.sampling import draw_sample
from privgate.engine import assess
from privgate.errors import InputError
from privgate.evidence import RunEvidence, canonical_bytes
from privgate.metrics import all_metrics
from privgate.policy import Waiver, check, open_document, policy_from_text
from privgate.policy.schema import evidence_schema
from privgate.record_scores import record_files
from privgate.report import Audience, build_view
from privgate.testing.samples import SURVEY_COLUMNS, survey

CREATED = datetime(2026, 1, 1, tzinfo=UTC)
POLICY = """
privgate: policy/v1
id: test
version: 1.0.0
title: Test
{sample}
rules:
  - {{id: copies, metric: crp, require: {{max: 0.05}}, source: {{kind: house, ref: t}}}}
  - {{id: near, metric: dcr, require: {{max: 0.65}}, source: {{kind: house, ref: t}}}}
  - id: named
    metric: privet
    params: {{permutations: 19}}
    measure: npl_decimated
    require: {{equals: 0}}
    source: {{kind: house, ref: t}}
  - id: cells
    metric: reidentification
    require: {{max: 0.99}}
    source: {{kind: house, ref: t}}
"""


def policy(sample=""):
    return open_document(policy_from_text(POLICY.format(sample=sample)).document, all_metrics())


def release(synthetic=None, rows=600):
    return release_from_frames(
        train=survey(rows, 1),
        holdout=survey(rows // 2, 2),
        synthetic=survey(rows, 3) if synthetic is None else synthetic,
        columns=SURVEY_COLUMNS,
    )


def outcomes(verdict):
    return {rule.id: str(rule.outcome) for rule in verdict.rules}


def test_an_honest_release_is_not_met_on_a_sample_and_a_copy_is_violated():
    honest = assess(release(), policy(), created=CREATED, sample=300)
    assert honest.verdict.outcome == "not_assessed"
    assert set(outcomes(honest.verdict).values()) == {"not_assessed"}
    assert [item.name for item in honest.verdict.requirements if not item.satisfied] == [
        "whole_release"
    ]
    copied = assess(release(survey(600, 1)), policy(), created=CREATED, sample=300)
    assert copied.verdict.outcome == "violated"
    found = outcomes(copied.verdict)
    assert found["copies"] == found["named"] == "violated"


def test_a_figure_that_grows_in_samples_accuses_nobody():
    rows = pd.concat([survey(300, 1)] * 2, ignore_index=True)
    pairs = release_from_frames(train=rows, synthetic=rows, columns=SURVEY_COLUMNS)
    whole = assess(pairs, policy(), created=CREATED).verdict
    part = assess(pairs, policy(), created=CREATED, sample=200)
    figure = next(m for m in part.evidence.measurements if m.metric == "reidentification")
    assert outcomes(whole)["cells"] == "met"
    assert figure.figures["max_probability"].value == 1
    assert outcomes(part.verdict)["cells"] == "not_assessed"


def test_a_sample_says_how_it_was_drawn_and_the_release_stays_what_it_is():
    found = assess(release(), policy(), created=CREATED, sample=200)
    sample = found.evidence.run.sample
    assert (sample.asked, sample.source, sample.drawn) == (200, "given", "rows")
    assert sample.rows == {"train": 200, "holdout": 100, "synthetic": 200}
    assert found.evidence.release == release().facts
    assert {name: table.rows for name, table in found.measured.tables.items()} == sample.rows


def test_the_policy_may_ask_for_a_sample_and_a_given_number_replaces_it():
    of_policy = assess(release(), policy("sample: 250"), created=CREATED).evidence.run.sample
    assert (of_policy.asked, of_policy.source) == (250, "policy")
    given = assess(release(), policy("sample: 250"), created=CREATED, sample=300).evidence.run
    assert (given.sample.asked, given.sample.source) == (300, "given")
    everything = assess(release(), policy("sample: 250"), created=CREATED, sample=600)
    assert everything.evidence.run.sample is None
    assert everything.verdict.requirements == assess(release(), policy()).verdict.requirements


def test_a_release_no_larger_than_the_sample_is_measured_as_ever():
    plain = assess(release(), policy(), seed=3, created=CREATED)
    asked = assess(release(), policy(), seed=3, created=CREATED, sample=600)
    assert asked.evidence.run.sample_unneeded == 600
    run = asked.evidence.run.model_copy(update={"sample_unneeded": None})
    assert asked.evidence.model_copy(update={"run": run}) == plain.evidence
    assert b'"sample' not in canonical_bytes(plain.evidence)
    of_policy = assess(release(), policy("sample: 600"), created=CREATED)
    assert of_policy.evidence.run.sample_unneeded is None


@pytest.mark.parametrize(
    ("language", "sentence"),
    [
        ("en", "A sample of 2,000 rows was asked for. No table has more, so every row was"),
        ("de", "Verlangt war eine Stichprobe von 2.000 Zeilen. Keine Tabelle hat mehr;"),
    ],
)
def test_the_report_says_that_a_sample_was_not_needed(language, sentence):
    found = assess(release(), policy(), created=CREATED, sample=2000)
    view = build_view(found.evidence, found.verdict, audience=Audience.SHAREABLE, language=language)
    assert dict(view.status)[view.words("status.sample")].startswith(sentence)
    assert sentence in str(next(it for it in view.whole if it.anchor == "data"))
    assert "--sample 2000" in str(view.whole)


def test_same_seed_same_sample_whatever_the_order_of_rows():
    first = assess(release(), policy(), seed=3, created=CREATED, sample=200).evidence
    shuffled = survey(600, 3).sample(frac=1, random_state=0)
    again = assess(release(shuffled), policy(), seed=3, created=CREATED, sample=200).evidence
    other = assess(release(), policy(), seed=4, created=CREATED, sample=200).evidence
    assert first.measurements == again.measurements
    assert first.measurements != other.measurements


def test_stored_evidence_of_a_sample_is_judged_the_same_and_no_waiver_lets_it_out():
    found = assess(release(), policy(), created=CREATED, sample=300)
    written = json.loads(canonical_bytes(found.evidence))
    Draft202012Validator(evidence_schema()).validate(written)
    assert "seed" in evidence_schema()["$defs"]["RunFacts"]["required"]
    stored = RunEvidence.model_validate(written)
    assert check(policy(), stored) == found.verdict
    waived = [
        {
            "rule": rule.id,
            "reason": "r",
            "approved_by": "a",
            "granted": "2025-12-01",
            "expires": "2026-12-01",
            "release_sha256": found.evidence.release.tables["synthetic"].sha256,
        }
        for rule in found.verdict.rules
    ]
    verdict = check(policy(), stored, waivers=[Waiver.model_validate(w) for w in waived])
    assert set(outcomes(verdict).values()) == {"waived"}
    assert verdict.outcome == "not_assessed"


@pytest.mark.parametrize("language", ["en", "de"])
def test_the_report_says_that_it_rests_on_a_sample(language):
    found = assess(release(), policy(), created=CREATED, sample=200)
    view = build_view(found.evidence, found.verdict, audience=Audience.SHAREABLE, language=language)
    label = {"en": "Sample", "de": "Stichprobe"}[language]
    told = dict(view.status)[label]
    assert "200" in told
    assert "600" in told
    assert label.lower() in " ".join(view.reasons).lower()
    assert "--sample 200" in str(view.whole)


def test_scores_of_records_name_the_rows_that_were_measured():
    found = assess(release(survey(600, 1)), policy(), created=CREATED, sample=200)
    files = record_files(found.records, found.measured)
    name = next(name for name in files if name.startswith("records/crp") and "synth" in name)
    rows = [int(line.split(b",")[0]) for line in files[name].splitlines()[1:]]
    assert sorted(rows) == sorted(found.measured.synthetic.positions.tolist())


def with_people(rows, seed, people):
    table = survey(rows, seed)
    table["pid"] = [f"p{seed}-{number % people}" for number in range(rows)]
    return table


PEOPLE = {**SURVEY_COLUMNS, "pid": {"type": "categorical", "role": "identifier"}}


def test_rows_of_one_identifier_are_drawn_together():
    whole = release_from_frames(
        train=with_people(800, 1, 200),
        holdout=with_people(400, 2, 100),
        synthetic=survey(800, 3),
        columns=PEOPLE,
    )
    drawn = draw_sample(whole, 200, np.random.default_rng(0))
    assert drawn.by == "identifiers"
    _, counts = np.unique(drawn.release.train.values["pid"], return_counts=True)
    assert set(counts) == {4}
    assert drawn.release.train.rows == 200
    assert drawn.release.synthetic.rows == 200


def test_groups_too_large_for_the_sample_are_not_kept_together():
    whole = release_from_frames(
        train=with_people(800, 1, 4), synthetic=survey(800, 3), columns=PEOPLE
    )
    assert draw_sample(whole, 200, np.random.default_rng(0)).by == "rows"


def test_synthetic_rows_come_with_the_train_rows_they_were_made_from():
    people = survey(400, 1)
    whole = release_from_frames(train=people, synthetic=people, columns=SURVEY_COLUMNS)
    facts = whole.facts.model_copy(update={"correspondence": "same_order"})
    drawn = draw_sample(replace(whole, facts=facts), 100, np.random.default_rng(0))
    assert drawn.by == "pairs"
    tables = drawn.release.tables
    assert sorted(tables["train"].positions) == sorted(tables["synthetic"].positions)


def test_too_small_a_sample_is_refused():
    with pytest.raises(InputError, match="100 rows or more"):
        assess(release(), policy(), sample=50)
