"""Every metric on tables that break careless code: a typed status or a finite value, never more."""

from dataclasses import replace
from datetime import UTC, datetime

import numpy as np
import pandas as pd
import pytest

from privgate.data import release_from_frames
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
    if same_order:
        facts = release.facts.model_copy(update={"correspondence": "same_order"})
        release = replace(release, facts=facts)
    params = metric.params.model_validate(SMALL.get(metric.name, {}))
    entry = Planned(measurement_id(metric, params), metric, params)
    conditions = Conditions(
        seed=3, seed_source="given", confidence=0.95, created=CREATED, debug=True
    )
    return measure(release, [entry], conditions, Silent()).evidence.measurements[0]


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
    assert after.raw == pytest.approx(before.raw, rel=1e-9)
