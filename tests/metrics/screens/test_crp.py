import numpy as np
import pandas as pd
import pytest

from privgate.data import release_from_arrays, release_from_frames
from privgate.metrics.inputs import Inputs
from privgate.metrics.screens.crp import CrpParams, crp

COLUMNS = {
    "c": {"type": "categorical", "role": "other"},
    "x": {"type": "numeric", "role": "other"},
}


def measured(train, synthetic, holdout=None, columns=COLUMNS):
    frame = lambda rows: pd.DataFrame(rows, columns=list(columns))  # noqa: E731
    release = release_from_frames(
        train=frame(train),
        synthetic=frame(synthetic),
        holdout=None if holdout is None else frame(holdout),
        columns=columns,
    )
    inputs = Inputs(release=release)
    return crp.measure(inputs, CrpParams(), np.random.default_rng(0))


def test_worked_example():
    found = measured(
        [("a", 1), ("a", 1), ("b", 2), ("c", 3)], [("a", 1), ("c", 3), ("c", 9), ("c", 3)]
    )
    assert found.raw == found.risk == 0.75
    assert found.figures["copied_synthetic_share"].value == 0.75
    assert found.figures["gap"].value is None
    assert "no holdout" in found.figures["gap"].reason


def test_a_table_with_every_row_twice_copied_reaches_one():
    rows = [("a", 1), ("a", 1), ("b", 2), ("b", 2)]
    assert measured(rows, rows).risk == 1.0


def test_missing_equals_missing_and_numbers_compare_as_numbers():
    found = measured([("a", None), (None, 2), ("b", 1)], [("a", None), (None, 2.0), ("b", 1.5)])
    assert found.figures["share"].value == pytest.approx(2 / 3)


def test_chance_copies_of_holdout_rows_are_taken_off():
    found = measured(
        [("a", 1), ("b", 5)], [("a", 1), ("a", 3)], holdout=[("a", 3), ("b", 9), ("b", 8), ("a", 7)]
    )
    assert found.figures["share"].value == 0.5
    assert found.figures["holdout_share"].value == 0.25
    assert found.figures["gap"].value == 0.25


def test_replayed_identifiers_are_counted():
    columns = {**COLUMNS, "id": {"type": "categorical", "role": "identifier"}}
    found = measured(
        [("a", 1, "007"), ("b", 2, "008")],
        [("a", 5, "008"), ("b", 6, "8"), ("a", 2, "008")],
        columns=columns,
    )
    assert found.figures["identifier_replays"].value == 2
    assert found.figures["share"].value == 0


def test_numbers_can_be_rounded_before_they_are_compared():
    train, synthetic = [("a", 1.234), ("b", -0.001), ("c", 7.0)], [("a", 1.236), ("b", 0.0)]
    frame = lambda rows: pd.DataFrame(rows, columns=list(COLUMNS))  # noqa: E731
    release = release_from_frames(train=frame(train), synthetic=frame(synthetic), columns=COLUMNS)

    def share(**params):
        return crp.measure(
            Inputs(release=release), CrpParams(**params), np.random.default_rng(0)
        ).raw

    assert share() == 0
    assert share(decimals=2) == pytest.approx(1 / 3)
    assert share(decimals=1) == pytest.approx(2 / 3)
    assert release.train.values["x"].tolist() == [1.234, -0.001, 7.0]


def named(found):
    (rows,) = [entry.named for entry in found.records if entry.table == "synthetic"]
    return rows.tolist()


def test_copies_that_no_other_person_explains_are_named():
    people, made = [("a", 1), ("b", 2), ("c", 3)], [("a", 1), ("a", 9), ("b", 2), ("b", 2)]
    assert named(measured(people, made)) == [True, False, True, True]
    assert named(measured(people, made, [("a", 1), ("c", 5)])) == [False, False, True, True]
    assert named(measured(people, [("a", 2)], people[:2])) == [False]


def test_rows_with_a_real_identifier_are_named():
    columns = {**COLUMNS, "who": {"type": "categorical", "role": "identifier"}}
    people = [("a", 1, "p"), ("b", 2, "q")]
    made = [("a", 8, "q"), ("b", 2, None), ("b", 9, "r")]
    assert named(measured(people, made, [("b", 2, "s")], columns)) == [True, False, False]
    assert named(measured(people, made, [("a", 2, "s")], columns)) == [True, True, False]


@pytest.mark.parametrize("distance", ["euclidean", "cosine"])
def test_coordinates_of_arrays_can_be_rounded_too(distance):
    train, synthetic = np.array([[1.234, 0.5], [-0.04, 7]]), np.array([[1.2, 0.51], [5, 0.3]])
    release = release_from_arrays(train=train, synthetic=synthetic, distance=distance)

    def share(decimals):
        params = CrpParams(decimals=decimals)
        return crp.measure(Inputs(release=release), params, np.random.default_rng(0)).raw

    assert (share(None), share(1)) == (0, 0.5)


def test_packed_positions_have_nothing_to_round():
    bits = np.array([[0, 1], [1, 1]])
    release = release_from_arrays(train=bits, synthetic=bits[:1], distance="hamming")
    inputs = Inputs(release=release)
    assert crp.measure(inputs, CrpParams(decimals=0), np.random.default_rng(0)).raw == 0.5
