from math import comb

import numpy as np
import pandas as pd
import pytest

from privgate.data import RowOrder, load_release, release_from_frames
from privgate.errors import NotAssessable
from privgate.executors import Threads
from privgate.metrics.attacks.linkability import LinkabilityParams, linkability, random_link
from privgate.metrics.inputs import Inputs
from privgate.testing.samples import SURVEY_COLUMNS, survey

NUMBERS = {
    "x": {"type": "numeric", "role": "other"},
    "y": {"type": "numeric", "role": "other"},
}
SETS = {"first_columns": ["x"], "second_columns": ["y"]}
SURVEY_SETS = {
    "first_columns": ["age", "region", "since"],
    "second_columns": ["income", "sex", "smoker"],
}


def inputs(train, synthetic, holdout=None, columns=NUMBERS):
    release = release_from_frames(
        train=train,
        synthetic=synthetic,
        holdout=holdout,
        columns=columns,
        row_order=RowOrder.GIVEN,
    )
    return Inputs(release=release)


def measure(given, seed=0, **params):
    return linkability.measure(given, LinkabilityParams(**params), np.random.default_rng(seed))


def example():
    return (
        pd.DataFrame({"x": [0.0, 5, 9], "y": [0.0, 2, 4]}),
        pd.DataFrame({"x": [1.0, 5, 9, 9], "y": [4.0, 2, 2, 4]}),
    )


def test_worked_example():
    found = measure(inputs(*example()), **SETS)
    assert np.abs(found.records[0].scores["linked"] - [0, 0.5, 0.25]).max() < 1e-12
    assert abs(found.figures["train_rate"].value - 0.25) < 1e-12
    assert found.figures["baseline_rate"].value == 0.25


@pytest.mark.parametrize("k", [1, 2, 3])
def test_a_random_link_is_as_likely_as_counting_says(k):
    rng = np.random.default_rng(k)
    draws = [rng.permutation(9)[:k] for _ in range(20_000)]
    met = np.mean([bool(set(a) & set(b)) for a, b in zip(draws[::2], draws[1::2], strict=True)])
    assert abs(random_link(9, k) - met) < 0.02
    assert random_link(9, k) == 1 - comb(9 - k, k) / comb(9, k)


@pytest.mark.parametrize("distance", ["euclidean", "gower"])
def test_a_copy_links_nearly_everyone_and_a_fresh_sample_nobody(distance):
    people, others, fresh = survey(300, 1), survey(200, 2), survey(300, 3)
    copied = measure(inputs(people, people, others, SURVEY_COLUMNS), distance=distance).figures
    honest = measure(inputs(people, fresh, others, SURVEY_COLUMNS), distance=distance).figures
    assert copied["excess"].low > 0.7
    assert copied["gap"].low > 0.7
    assert honest["excess"].high < 0.05
    assert honest["gap"].low <= 0 <= honest["gap"].high


def test_a_copy_of_a_part_is_seen():
    people, others, fresh = survey(400, 1), survey(300, 2), survey(400, 3)
    partly = pd.concat([people[:80], fresh[80:]], ignore_index=True)
    figures = measure(inputs(people, partly, others, SURVEY_COLUMNS), **SURVEY_SETS).figures
    assert figures["gap"].low > 0.1


def test_order_of_rows_and_names_of_levels_do_not_matter():
    tables = survey(120, 1), survey(90, 2), survey(80, 3)
    plain = measure(inputs(*tables, SURVEY_COLUMNS), k=2, **SURVEY_SETS).figures
    turned = [table.sample(frac=1, random_state=4).reset_index(drop=True) for table in tables]
    for table in turned:
        table["region"] = table["region"].map(
            {"north": "d", "south": "a", "east": "c", "west": "b"}
        )
    again = measure(inputs(*turned, SURVEY_COLUMNS), k=2, **SURVEY_SETS).figures
    for name in ("train_rate", "holdout_rate", "excess"):
        assert abs(plain[name].value - again[name].value) < 1e-12


def test_more_neighbours_link_at_least_as_many_people():
    given = inputs(survey(150, 1), survey(150, 2), survey(100, 3), SURVEY_COLUMNS)
    rates = [measure(given, k=k, **SURVEY_SETS).raw for k in (1, 2, 5, 20, 50)]
    assert rates == sorted(rates)


def test_columns_dealt_by_the_seed_are_disjoint_complete_and_stated():
    given = inputs(survey(60, 1), survey(60, 2), survey(50, 3), SURVEY_COLUMNS)
    dealt = set()
    for seed in range(5):
        stated = measure(given, seed).diagnostics
        first, second = stated["first columns"], stated["second columns"]
        assert sorted(first + second) == sorted(SURVEY_COLUMNS)
        assert stated["columns drawn by the seed"] is True
        dealt.add(tuple(first))
    assert len(dealt) > 1
    assert measure(given, **SURVEY_SETS).diagnostics["columns drawn by the seed"] is False


def test_searches_in_a_set_of_columns_are_kept():
    given = inputs(survey(60, 1), survey(60, 2), survey(50, 3), SURVEY_COLUMNS)
    assert given.neighbours(columns=["age", "sex"]) is given.neighbours(columns=("sex", "age"))
    assert given.neighbours(columns=SURVEY_COLUMNS) is given.neighbours()
    with pytest.raises(KeyError):
        given.neighbours(columns=["no such column"])


def test_without_a_holdout_only_the_rate_is_known():
    figures = measure(inputs(*example()), **SETS).figures
    assert figures["train_rate"].value is not None
    assert {figures[name].reason for name in ("holdout_rate", "gap", "excess")} == {
        "there is no holdout table"
    }


def test_the_worst_group_is_reported():
    people, others, fresh = survey(400, 1), survey(300, 2), survey(400, 3)
    leaky = people.where(people["sex"] == "f", fresh).astype(people.dtypes)
    given = inputs(people, leaky, others, SURVEY_COLUMNS)
    figures = measure(given, groups=["sex"], **SURVEY_SETS).figures
    assert figures["worst_group_gap"].value > figures["gap"].value + 0.2


@pytest.mark.parametrize(
    ("params", "words"),
    [
        ({"first_columns": ["x"], "second_columns": ["z"]}, "'z' is not a measured column"),
        ({"k": 3, **SETS}, "any two lists of 3 among 4"),
    ],
)
def test_what_cannot_be_attacked_is_not_assessed(params, words):
    with pytest.raises(NotAssessable, match=words):
        measure(inputs(*example()), **params)


def test_a_set_that_does_not_vary_is_not_assessed():
    train, synthetic = example()
    with pytest.raises(NotAssessable, match="no column varies"):
        measure(inputs(train.assign(y=2.0), synthetic), **SETS)


def test_one_column_cannot_be_split():
    one = pd.DataFrame({"x": [1.0, 2, 3]})
    with pytest.raises(NotAssessable, match="at least two"):
        measure(inputs(one, one, columns={"x": NUMBERS["x"]}))


@pytest.mark.parametrize(
    "params",
    [
        {"first_columns": ["x"]},
        {"first_columns": ["x"], "second_columns": ["x"]},
        {"first_columns": ["x", "x"], "second_columns": ["y"]},
        {"k": 0},
        {"k": 51},
        {"distance": "manhattan"},
    ],
)
def test_parameters_out_of_range_are_refused(params):
    with pytest.raises(ValueError, match="validation error"):
        LinkabilityParams(**params)


def test_a_known_leak_of_real_data_is_seen(shared):
    release = load_release(shared / "releases" / "census2k-syn_flip30.yaml")
    figures = measure(Inputs(release=release, executor=Threads(2))).figures
    assert figures["gap"].low > 0.02
    release = load_release(shared / "releases" / "census2k-syn_mostly.yaml")
    assert measure(Inputs(release=release, executor=Threads(2))).figures["excess"].high < 0.02
