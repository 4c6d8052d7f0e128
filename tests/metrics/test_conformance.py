"""What holds for every metric of privgate: the laws for those of plug-ins, and a little more."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from privgate.engine.plan import Planned
from privgate.engine.progress import Silent
from privgate.engine.run import Conditions, measure
from privgate.evidence import Status, canonical_bytes
from privgate.metrics import all_metrics
from privgate.policy import measurement_id
from privgate.testing import LAWS, Subject, check_conformance, releases
from privgate.testing.releases import array_release, matrices, table_release

CREATED = datetime(2026, 1, 1, tzinfo=UTC)
SMALL = {
    "air": {"bootstrap": 50},
    "c_t": {"permutations": 19},
    "detection_mlp": {"epochs": 40, "folds": 3},
    "gcap": {"bins": 3},
    "in_auth": {"permutations": 19},
    "nnaa": {"repetitions": 2},
    "pqmass": {"tessellations": 20},
    "privacy_loss": {"permutations": 19, "repetitions": 5},
    "privet": {"permutations": 19},
    "rapid": {"bootstrap": 50},
    "tstr": {"bootstrap": 50},
    "zcap": {"bins": 3},
}
SUBJECTS = {
    name: Subject(metric=metric, params=SMALL.get(name, {}))
    for name, metric in all_metrics().items()
}
TRAIN_ALONE = {"missing_holdout_is_told": "it is about train alone by definition"}
COPIES = ("copies_are_seen", "copied_arrays_are_seen")
EXEMPT = {
    "cvp": TRAIN_ALONE,
    "dvp": TRAIN_ALONE,
    "nsnd": TRAIN_ALONE,
    "rapid": {"copies_are_seen": "it measures inference, not memorisation"},
    "reidentification": TRAIN_ALONE
    | {"copies_are_seen": "it is at its end once one unique person is met"},
    "small_cells": TRAIN_ALONE | dict.fromkeys(COPIES, "it looks at tables beside the release"),
}
# Their scales have no end that would stand for a copy.
WITHOUT_RISK = {"fld", "pqmass", "small_cells"}


@pytest.fixture(params=list(SUBJECTS))
def subject(request):
    return SUBJECTS[request.param]


@pytest.fixture(scope="module")
def survey_release():
    return table_release(releases.frames(400, 300))


def conditions(**how):
    return Conditions(seed=7, seed_source="given", confidence=0.95, created=CREATED, **how)


@pytest.mark.parametrize("law", LAWS)
def test_every_metric_keeps_the_law(subject, law):
    if law not in EXEMPT.get(subject.metric.name, {}):
        assert list(LAWS[law](subject)) == []


@pytest.mark.parametrize("name", [name for name in EXEMPT if name != "rapid"])
def test_the_exemption_from_a_holdout_is_needed(name):
    assert list(LAWS["missing_holdout_is_told"](SUBJECTS[name]))


def test_screens_have_a_risk_scale_with_few_exceptions(survey_release):
    without = {
        name
        for name, subject in SUBJECTS.items()
        if subject.metric.card.family == "screen" and subject.measured(survey_release).risk is None
    }
    assert without == WITHOUT_RISK


@pytest.mark.slow
def test_all_metrics_together_change_no_figure(survey_release):
    planned = [subject.planned for subject in SUBJECTS.values()]
    made = measure(survey_release, planned, conditions(debug=True), Silent())
    for measurement in made.evidence.measurements:
        alone = SUBJECTS[measurement.metric].measured(survey_release)
        assert canonical_bytes(alone) == canonical_bytes(measurement), measurement.metric


@pytest.mark.parametrize("breaking", [ZeroDivisionError("age 42, income 12345.67"), SystemExit(0)])
def test_a_metric_that_breaks_is_a_recorded_failure_without_its_text(survey_release, breaking):
    def broken(*_):
        raise breaking

    subject = SUBJECTS["dcr"]
    entry = replace(subject.planned, metric=replace(subject.metric, measure=broken))
    evidence = measure(survey_release, [entry], conditions(), Silent()).evidence
    assert evidence.measurements[0].status is Status.FAILED
    assert type(breaking).__name__ in evidence.measurements[0].reason
    assert "12345" not in canonical_bytes(evidence).decode()


def test_a_metric_that_is_made_on_the_fly_does_not_travel():
    def made_here(*_):
        raise NotImplementedError

    metric = replace(all_metrics()["dcr"], measure=made_here)
    (complaint,) = LAWS["travels_by_name"](Subject(metric=metric))
    assert "made_here" in complaint


def test_an_exemption_names_a_law_and_a_reason():
    dcr = all_metrics()["dcr"]
    for exempt in ({"no_such_law": "because"}, {"copies_are_seen": " "}):
        with pytest.raises(ValueError, match="is no law, or no reason"):
            check_conformance(dcr, exempt=exempt)


def test_the_distance_of_a_policy_has_to_fit_the_release():
    dcr = all_metrics()["dcr"]

    def reason(release, distance):
        params = dcr.params.model_validate({"distance": distance})
        entry = Planned(measurement_id(dcr, params), dcr, params)
        found = measure(release, [entry], conditions(debug=True), Silent())
        measurement = found.evidence.measurements[0]
        return measurement.reason or measurement.status.value

    binary = array_release("hamming", matrices("hamming"), None)
    points = array_release("euclidean", matrices("euclidean"), None)
    table = table_release(releases.frames())
    assert "for tables" in reason(binary, "gower")
    assert "does not fit" in reason(binary, "cosine")
    assert "does not fit" in reason(points, "hamming")
    assert "this release is a table" in reason(table, "hamming")
    assert "this release is a table" in reason(table, "cosine")
    assert reason(points, "cosine") == reason(table, "gower") == "measured"
