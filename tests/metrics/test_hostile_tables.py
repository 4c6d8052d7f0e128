"""Every metric on tables that break careless code: a typed status or a finite value, never more."""

from dataclasses import replace
from datetime import UTC, datetime

import numpy as np
import pandas as pd
import pytest

from privgate.data import release_from_arrays, release_from_frames
from privgate.engine.plan import Planned
from privgate.engine.progress import Silent
from privgate.engine.run import Conditions, measure
from privgate.evidence import Status
from privgate.metrics import all_metrics
from privgate.policy import measurement_id

CREATED = datetime(2026, 1, 1, tzinfo=UTC)
SMALL = {
    "air": {"bootstrap": 50},
    "c_t": {"permutations": 5},
    "detection_mlp": {"epochs": 10, "folds": 2},
    "gcap": {"bins": 3},
    "in_auth": {"permutations": 5},
    "nnaa": {"repetitions": 2},
    "pqmass": {"tessellations": 20},
    "privacy_loss": {"permutations": 5, "repetitions": 5},
    "privet": {"permutations": 5},
    "rapid": {"bootstrap": 50},
    "tstr": {"bootstrap": 50},
    "zcap": {"bins": 3},
}
# Their digits depend on the order of levels: first weights, random features and draws, votes, sums.
RENAMING_MATTERS = {
    "air",
    "detection_mlp",
    "domias",
    "fld",
    "inference",
    "mir",
    "pqmass",
    "rapid",
    "singling_out",
    "tstr",
}


def people(rows, seed, columns=6):
    rng = np.random.default_rng(seed)
    table = {f"x{place}": rng.normal(size=rows) for place in range(columns)}
    table["sex"] = rng.choice(["f", "m"], rows)
    table["town"] = rng.choice(["a", "b", "c", "d"], rows)
    table["ill"] = np.where(rng.random(rows) < 0.4, "yes", "no")
    return pd.DataFrame(table)


def declared(table):
    roles = {"ill": "sensitive", "x0": "sensitive"}
    return {
        name: {
            "type": "numeric" if name.startswith("x") else "categorical",
            "role": roles.get(name, "quasi_identifier"),
        }
        for name in table.columns
    }


def three(make):
    return {name: make(seed) for seed, name in enumerate(("train", "holdout", "synthetic"))}


def half_missing(seed):
    table = people(90, seed)
    return table.mask(np.random.default_rng(seed + 9).random(table.shape) < 0.5)


def constant(seed):
    return people(90, seed).assign(x0=1.0, sex="f")


def ties(seed):
    return people(90, seed)[["sex", "ill"]].assign(
        x0=np.random.default_rng(seed).integers(0, 2, 90)
    )


def unseen(seed):
    return people(90, seed).assign(town=["a", f"new{seed}", f"other{seed}"] * 30)


def two_rows(seed):
    """Tables that share their first row and differ a little in the second."""
    table = people(2, 5)
    numbers = [name for name in table if name.startswith("x")]
    table.loc[1, numbers] -= 0.2 * seed * (table.loc[1, numbers] - table.loc[0, numbers])
    return table


HOSTILE = {
    "half of the cells missing": half_missing,
    "a constant secret and a constant key": constant,
    "one class": lambda seed: people(90, seed).assign(ill="no"),
    "levels of one table only": unseen,
    "33 columns": lambda seed: people(90, seed, columns=33),
    "300 columns": lambda seed: people(60, seed, columns=300),
    "heavy ties": ties,
    "twelve rows": lambda seed: people(12, seed),
    "two rows": two_rows,
    "huge and tiny numbers": lambda seed: people(90, seed).assign(
        x1=np.random.default_rng(seed).normal(size=90) * 1e300,
        x2=np.random.default_rng(seed + 5).normal(size=90) * 1e-300,
    ),
}


def measured(metric, tables, *, same_order=False):
    release = release_from_frames(**tables, columns=declared(tables["train"]))
    return measured_on(metric, release, same_order=same_order)


def measured_on(metric, release, *, same_order):
    if same_order:
        facts = release.facts.model_copy(update={"correspondence": "same_order"})
        release = replace(release, facts=facts)
    params = metric.params.model_validate(SMALL.get(metric.name, {}))
    entry = Planned(measurement_id(metric, params), metric, params)
    conditions = Conditions(
        seed=3, seed_source="given", confidence=0.95, created=CREATED, debug=True
    )
    return measure(release, [entry], conditions, Silent()).evidence.measurements[0]


def points(rows, width, *, most=1):
    """Whole numbers from 0 to ``most``, the first one of a row never 0."""

    def make(seed):
        matrix = np.random.default_rng(seed).integers(0, most + 1, (rows, width))
        matrix[:, 0] = np.maximum(matrix[:, 0], 1)
        return matrix

    return make


HOSTILE_ARRAYS = {
    "two positions": points(60, 2),
    "one position": lambda seed: np.ones((30 + seed % 2, 1), int),
    "more positions than rows": points(40, 700),
    "twelve rows": points(12, 40),
    "two rows": points(2, 30),
    "one row": points(1, 30),
    "rows of one kind in train": lambda seed: points(40, 20)(seed) if seed else np.ones((40, 20)),
    "every row many times": lambda seed: np.repeat(points(9, 30)(seed), 10, axis=0),
    "huge and tiny numbers": lambda seed: points(40, 9, most=5)(seed) * np.logspace(-80, 80, 9),
    "multiples of one row": lambda seed: np.arange(1, 41 + seed % 2)[:, None] * np.ones(8),
}


@pytest.fixture(params=list(all_metrics().values()), ids=list(all_metrics()))
def metric(request):
    return request.param


@pytest.mark.parametrize("case", HOSTILE)
def test_a_typed_status_or_finite_figures(metric, case):
    found = measured(metric, three(HOSTILE[case]), same_order=True)
    assert found.status in {Status.MEASURED, Status.NOT_ASSESSED}
    assert found.status is Status.MEASURED or found.reason


def test_a_single_person_is_never_harmless(metric):
    rows = {"train": people(1, 1), "synthetic": people(1, 1)}
    found = measured(metric, rows, same_order=True)
    assert found.status is Status.NOT_ASSESSED or found.risk == 1


def test_names_of_categories_are_irrelevant(metric):
    if metric.name in RENAMING_MATTERS:
        pytest.skip("its digits depend on the order of levels")
    plain = three(lambda seed: people(150, seed))
    names = {"town": {"a": "z", "b": "y", "c": "x", "d": "w"}, "sex": {"f": "2", "m": "1"}}
    renamed = {
        name: table.assign(**{column: table[column].map(names[column]) for column in names})
        for name, table in plain.items()
    }
    before = measured(metric, plain, same_order=True)
    after = measured(metric, renamed, same_order=True)
    assert before.status is after.status
    if before.status is Status.NOT_ASSESSED:  # as it looks at tables beside the release
        assert (metric.name, after.reason) == ("small_cells", before.reason)
        return
    assert after.raw == pytest.approx(before.raw, rel=1e-9)


@pytest.fixture(
    params=[
        metric
        for metric in all_metrics().values()
        if not {"columns", "quasi_identifiers", "sensitive"} & set(metric.card.needs)
    ],
    ids=lambda metric: metric.name,
)
def array_metric(request):
    return request.param


@pytest.mark.parametrize("distance", ["hamming", "euclidean", "cosine"])
@pytest.mark.parametrize("case", HOSTILE_ARRAYS)
def test_arrays_give_a_typed_status_or_finite_figures(array_metric, case, distance):
    tables = three(HOSTILE_ARRAYS[case])
    if distance == "hamming":
        tables = {name: table % 2 == 1 for name, table in tables.items()}
    release = release_from_arrays(**tables, distance=distance)
    found = measured_on(array_metric, release, same_order=True)
    assert found.status in {Status.MEASURED, Status.NOT_ASSESSED}
    assert found.status is Status.MEASURED or found.reason


@pytest.mark.parametrize("distance", ["hamming", "euclidean", "cosine"])
def test_a_single_person_in_an_array_is_never_harmless(metric, distance):
    row = np.array([[1, 0, 1, 1]])
    release = release_from_arrays(train=row, synthetic=row, distance=distance)
    found = measured_on(metric, release, same_order=True)
    assert found.status is Status.NOT_ASSESSED or found.risk == 1
