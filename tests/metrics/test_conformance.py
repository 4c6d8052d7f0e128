"""What holds for every metric, whatever it measures."""

import copy
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from privgate.data import (
    Totals,
    published_from_frame,
    release_from_arrays,
    release_from_frames,
)
from privgate.engine.plan import Planned
from privgate.engine.progress import Silent
from privgate.engine.run import Conditions, measure
from privgate.evidence import Measurement, RunEvidence, Status, canonical_bytes, document
from privgate.executors import Threads
from privgate.metrics import all_metrics
from privgate.policy import measurement_id
from privgate.testing.samples import SURVEY_COLUMNS, survey

CREATED = pd.Timestamp("2026-01-01", tz="UTC").to_pydatetime()
METRICS = list(all_metrics().values())
NAMES = list(all_metrics())
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
    "zcap": {"bins": 3},
}
COLUMNS = {**SURVEY_COLUMNS, "person": {"type": "categorical", "role": "identifier"}}
# About train alone by definition, so there is nothing to compare with a holdout.
WITHOUT_BASELINE = {"cvp", "dvp", "nsnd", "reidentification", "small_cells"}
ARRAY_DISTANCES = ("hamming", "euclidean", "cosine")
# One measures inference, not memorisation; one is at its end once one unique person is met; and one
# looks at tables beside the release.
AS_BAD_WITHOUT_COPIES = {"rapid", "reidentification", "small_cells"}
# Their scales have no end that would stand for a copy.
WITHOUT_RISK = {"fld", "pqmass", "small_cells"}


PUBLISHED = published_from_frame(
    pd.DataFrame({"sex": ["f", "m", "all"], "people": [40, 3, 43]}),
    counts=["people"],
    totals=Totals(of=("sex",), level="all"),
)


def planned(metric):
    params = metric.params.model_validate(SMALL.get(metric.name, {}))
    return Planned(measurement_id(metric, params), metric, params)


def run(metric, release, *, jobs=1, seed=7):
    conditions = Conditions(
        seed=seed,
        seed_source="given",
        confidence=0.95,
        created=CREATED,
        executor=Threads(jobs),
        debug=True,
    )
    return measure(release, [planned(metric)], conditions, Silent())


def measured(metric, release, **how) -> Measurement:
    return run(metric, release, **how).evidence.measurements[0]


def frames(train=220, holdout=160):
    """Surveys in which ``person`` says from whom a synthetic row was made."""
    rows = {"train": train, "holdout": holdout, "synthetic": train}
    return {
        name: survey(count, seed).assign(person=[f"p{place}" for place in range(count)])
        for seed, (name, count) in enumerate(rows.items(), start=1)
    }


def released(columns=COLUMNS, **tables):
    release = release_from_frames(**tables, columns=columns)
    facts = release.facts.model_copy(update={"correspondence": {"key": "person"}})
    return replace(release, facts=facts).accompanied_by((PUBLISHED,))


@pytest.fixture(scope="module")
def survey_release():
    return released(**frames(400, 300))


@pytest.fixture(params=METRICS, ids=NAMES)
def metric(request):
    return request.param


def test_measures_and_keeps_to_its_card(metric, survey_release):
    found = measured(metric, survey_release)
    assert found.status is Status.MEASURED
    assert set(found.figures) <= set(metric.card.figures)
    own = [found.figures, *(part.figures for part in found.parts)]
    for figures in own:
        for name, figure in figures.items():
            spec = metric.card.figures[name]
            if figure.value is None:
                continue
            assert spec.minimum is None or figure.value >= spec.minimum
            assert spec.maximum is None or figure.value <= spec.maximum
            assert spec.has_interval == (figure.low is not None), name
    if not found.parts:
        assert set(found.figures) == set(metric.card.figures)


def test_same_seed_same_bytes_on_any_number_of_threads(metric, survey_release):
    once = canonical_bytes(run(metric, survey_release, jobs=1).evidence)
    assert once == canonical_bytes(run(metric, survey_release, jobs=3).evidence)


def test_inputs_stay_as_they_are(metric):
    release = released(**frames())
    before = copy.deepcopy(release)
    run(metric, release)
    for name, table in release.tables.items():
        for column, values in table.values.items():
            assert np.array_equal(
                values, before.tables[name].values[column], equal_nan=values.dtype.kind == "f"
            )


def test_row_order_column_order_and_dtypes_are_irrelevant(metric):
    plain = measured(metric, released(**frames()))
    turned = {}
    for seed, (name, table) in enumerate(frames().items()):
        other = table.sample(frac=1, random_state=seed)[sorted(table.columns, reverse=True)]
        other["age"] = other["age"].astype(str)
        other["married"] = other["married"].map({True: "True", False: "false"})
        other["since"] = other["since"].dt.strftime("%Y-%m-%d")
        turned[name] = other
    columns = dict(reversed(list(COLUMNS.items())))
    again = measured(metric, released(**turned, columns=columns))
    assert canonical_bytes(plain) == canonical_bytes(again)


def test_evidence_survives_storage(metric, survey_release):
    evidence = run(metric, survey_release).evidence
    stored = canonical_bytes(evidence)
    assert canonical_bytes(RunEvidence.model_validate_json(stored)) == stored


def test_records_cover_their_table_and_stay_out_of_evidence(metric, survey_release):
    made = run(metric, survey_release)
    for entries in made.records.values():
        for entry in entries:
            rows = survey_release.tables[entry.table].rows
            assert all(len(scores) == rows for scores in entry.scores.values())


@pytest.fixture(scope="module")
def measured_together(survey_release):
    conditions = Conditions(
        seed=7, seed_source="given", confidence=0.95, created=CREATED, debug=True
    )
    made = measure(survey_release, [planned(m) for m in METRICS], conditions, Silent())
    return {measurement.metric: measurement for measurement in made.evidence.measurements}


def test_another_measurement_changes_no_figure(metric, survey_release, measured_together):
    alone = measured(metric, survey_release)
    assert canonical_bytes(alone) == canonical_bytes(measured_together[metric.name])


def test_without_a_holdout_nothing_that_needs_one_is_stated(metric):
    tables = frames()
    del tables["holdout"]
    found = measured(metric, released(**tables))
    if metric.card.needs and "holdout" in metric.card.needs:
        assert found.status is Status.NOT_ASSESSED
        assert "no holdout" in found.reason
    elif "correspondence" in metric.card.needs:  # has no use for a holdout
        assert found.status is Status.MEASURED
    elif metric.name not in WITHOUT_BASELINE:
        headline = [part.figures for part in found.parts] or [found.figures]
        assert all(figures[metric.card.headline].value is None for figures in headline)


def test_constant_tables_are_never_measured_as_harmless(metric):
    constant = pd.DataFrame({"a": ["x"] * 60, "b": [1.0] * 60})
    release = release_from_frames(
        train=constant,
        synthetic=constant,
        columns={
            "a": {"type": "categorical", "role": "quasi_identifier"},
            "b": {"type": "numeric", "role": "sensitive"},
        },
    )
    found = measured(metric, release)
    assert found.status is Status.NOT_ASSESSED or found.risk == 1


def test_a_copy_of_train_is_the_worst_case_of_every_screen(metric):
    tables = frames()
    tables["synthetic"] = tables["train"].sample(frac=1, random_state=5)
    found = measured(metric, released(**tables))
    if metric.card.family == "screen":
        assert found.risk == (None if metric.name in WITHOUT_RISK else 1)
    honest = measured(metric, released(**frames()))
    headline = metric.card.headline
    if metric.name not in AS_BAD_WITHOUT_COPIES:
        copied, fresh = found.figures[headline].value, honest.figures[headline].value
        assert (
            copied > fresh if metric.card.figures[headline].safe_side == "low" else copied < fresh
        )


def test_parameters_have_descriptions_ranges_and_defaults(metric):
    defaults = metric.params()
    for name, field in metric.params.model_fields.items():
        assert field.description, name
    assert metric.params.model_validate(document(defaults)) == defaults
    with pytest.raises(ValueError, match="Extra inputs"):
        metric.params.model_validate({"no_such_parameter": 1})


def test_a_metric_that_breaks_is_a_recorded_failure_without_its_text(metric, survey_release):
    def broken(*_):
        raise ZeroDivisionError("age 42, income 12345.67")

    entry = planned(replace(metric, measure=broken))
    conditions = Conditions(seed=7, seed_source="given", confidence=0.95, created=CREATED)
    evidence = measure(survey_release, [entry], conditions, Silent()).evidence
    assert evidence.measurements[0].status is Status.FAILED
    assert "ZeroDivisionError" in evidence.measurements[0].reason
    assert "12345" not in canonical_bytes(evidence).decode()


def matrices(distance, train=150, holdout=120):
    """Three draws from one population: 0/1 rows of three families, or points in six dimensions."""
    rng = np.random.default_rng(3)
    rows = {"train": train, "holdout": holdout, "synthetic": train}
    if distance == "hamming":
        families = rng.random((3, 1000))
        return {
            name: (rng.random((count, 1000)) < families[rng.integers(0, 3, count)]).astype(np.int8)
            for name, count in rows.items()
        }
    return {name: rng.normal(size=(count, 6)) + 0.5 for name, count in rows.items()}


def array_release(distance, correspondence=None, **tables):
    release = release_from_arrays(**tables, distance=distance)
    facts = release.facts.model_copy(update={"correspondence": correspondence})
    return replace(release, facts=facts).accompanied_by((PUBLISHED,))


def needs_columns(metric):
    return bool({"columns", "quasi_identifiers", "sensitive"} & set(metric.card.needs))


@pytest.fixture(
    params=[metric for metric in METRICS if not needs_columns(metric)],
    ids=lambda metric: metric.name,
)
def array_metric(request):
    return request.param


def test_metrics_that_need_columns_say_so_of_arrays():
    release = array_release("hamming", "same_order", **matrices("hamming"))
    for metric in METRICS:
        found = measured(metric, release)
        if needs_columns(metric):
            assert found.status is Status.NOT_ASSESSED
            assert "has no columns" in found.reason
        else:
            assert found.status is Status.MEASURED, metric.name


@pytest.mark.parametrize("distance", ARRAY_DISTANCES)
def test_arrays_are_measured_within_the_card(array_metric, distance):
    found = measured(array_metric, array_release(distance, "same_order", **matrices(distance)))
    assert found.status is Status.MEASURED
    assert set(found.figures) == set(array_metric.card.figures)
    for name, figure in found.figures.items():
        spec = array_metric.card.figures[name]
        if figure.value is not None:
            assert spec.minimum is None or figure.value >= spec.minimum
            assert spec.maximum is None or figure.value <= spec.maximum
            assert spec.has_interval == (figure.low is not None), name


@pytest.mark.parametrize("distance", ARRAY_DISTANCES)
def test_rows_types_and_threads_are_irrelevant_to_arrays(array_metric, distance):
    plain = {name: table.astype(np.float32) for name, table in matrices(distance).items()}
    once = measured(array_metric, array_release(distance, **plain))
    rng = np.random.default_rng(4)
    turned = {
        name: np.asfortranarray(rng.permutation(table).astype(np.float64))
        for name, table in plain.items()
    }
    again = measured(array_metric, array_release(distance, **turned), jobs=3)
    assert canonical_bytes(once) == canonical_bytes(again)


@pytest.mark.parametrize("distance", ARRAY_DISTANCES)
def test_copied_arrays_look_worse_than_honest_ones(array_metric, distance):
    tables = matrices(distance)
    copied = tables | {"synthetic": tables["train"]}
    found = measured(array_metric, array_release(distance, "same_order", **copied))
    if array_metric.card.family == "screen":
        assert found.risk == (None if array_metric.name in WITHOUT_RISK else 1)
    honest = measured(array_metric, array_release(distance, "same_order", **tables))
    headline = array_metric.card.headline
    if array_metric.name in AS_BAD_WITHOUT_COPIES:
        return
    bad, good = found.figures[headline].value, honest.figures[headline].value
    low_is_safe = array_metric.card.figures[headline].safe_side == "low"
    assert bad > good if low_is_safe else bad < good


def test_the_distance_of_a_policy_has_to_fit_the_release():
    dcr = all_metrics()["dcr"]

    def reason(release, distance):
        params = dcr.params.model_validate({"distance": distance})
        entry = Planned(measurement_id(dcr, params), dcr, params)
        conditions = Conditions(
            seed=7, seed_source="given", confidence=0.95, created=CREATED, debug=True
        )
        found = measure(release, [entry], conditions, Silent()).evidence.measurements[0]
        return found.reason or found.status.value

    binary = array_release("hamming", **matrices("hamming"))
    points = array_release("euclidean", **matrices("euclidean"))
    table = released(**frames())
    assert "for tables" in reason(binary, "gower")
    assert "does not fit" in reason(binary, "cosine")
    assert "does not fit" in reason(points, "hamming")
    assert "this release is a table" in reason(table, "hamming")
    assert "this release is a table" in reason(table, "cosine")
    assert reason(points, "cosine") == reason(table, "gower") == "measured"
