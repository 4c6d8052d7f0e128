import numpy as np
import pandas as pd
import pytest

from privgate.data import release_from_frames
from privgate.data.assembly import RowOrder
from privgate.encoding import Distance, binary_space, space_of
from privgate.errors import NotAssessable


def release(train, synthetic, columns, holdout=None):
    return release_from_frames(
        train=pd.DataFrame(train),
        synthetic=pd.DataFrame(synthetic),
        holdout=None if holdout is None else pd.DataFrame(holdout),
        columns={name: {"type": kind, "role": "other"} for name, kind in columns.items()},
        row_order=RowOrder.GIVEN,
    )


def test_distance_is_that_of_standardised_numbers_and_indicators():
    made = release(
        {"x": [0.0, 2.0, 4.0], "c": ["a", "b", "a"], "f": [True, False, True]},
        {"x": [2.0, 6.0], "c": ["a", "z"], "f": [True, True]},
        {"x": "numeric", "c": "categorical", "f": "boolean"},
    )
    space = space_of(made, Distance.EUCLIDEAN)
    sd = np.std([0, 2, 4])
    expected = [
        [np.sqrt((2 / sd) ** 2), np.sqrt((6 / sd) ** 2 + 2)],
        [np.sqrt(4), np.sqrt((4 / sd) ** 2 + 4)],
        [np.sqrt((2 / sd) ** 2), np.sqrt((2 / sd) ** 2 + 2)],
    ]
    assert space.train.distances(space.synthetic) == pytest.approx(np.array(expected))


def test_a_missing_number_sits_at_the_mean_with_an_indicator():
    made = release({"x": [0.0, 2.0, np.nan]}, {"x": [1.0, np.nan]}, {"x": "numeric"})
    space = space_of(made, Distance.EUCLIDEAN)
    assert space.train.distances(space.synthetic) == pytest.approx(
        np.array([[1, np.sqrt(2)], [1, np.sqrt(2)], [1, 0]])
    )


def test_the_synthetic_table_does_not_choose_the_scale():
    columns = {"x": "numeric"}
    small = space_of(release({"x": [0.0, 1]}, {"x": [0.0, 1]}, columns), Distance.EUCLIDEAN)
    wide = space_of(release({"x": [0.0, 1]}, {"x": [0.0, 1e9]}, columns), Distance.EUCLIDEAN)
    assert np.array_equal(small.train.numbers, wide.train.numbers)


def test_a_constant_number_has_no_coordinate_and_is_listed():
    made = release(
        {"x": [0.0, 1], "k": [5.0, 5]},
        {"x": [0.0, 1], "k": [5.0, 6]},
        {"x": "numeric", "k": "numeric"},
    )
    space = space_of(made, Distance.EUCLIDEAN)
    assert space.constant == space.varying == ("k",)
    assert space.train.numbers.shape[1] == 1


def test_gower_counts_a_number_that_is_constant_in_train_as_a_level():
    made = release(
        {"x": [0.0, 4], "k": [5.0, 5]},
        {"x": [1.0, 9], "k": [5.0, 6]},
        {"x": "numeric", "k": "numeric"},
    )
    space = space_of(made, Distance.GOWER)
    assert space.train.distances(space.synthetic).tolist() == [[0.125, 1.0], [0.375, 1.0]]


def test_no_varying_column_is_not_assessable():
    made = release({"k": [5.0, 5]}, {"k": [5.0, 5]}, {"k": "numeric"})
    for distance in Distance:
        with pytest.raises(NotAssessable):
            space_of(made, distance)


def test_binary_matrices_must_be_zero_one_and_of_one_width():
    with pytest.raises(ValueError, match="0 and 1"):
        binary_space(np.array([[0, 2]]), np.array([[0, 1]]))
    with pytest.raises(ValueError, match="different numbers"):
        binary_space(np.array([[0, 1]]), np.array([[0]]))


@pytest.mark.parametrize("scale", [1e300, 1e-300, 1.0])
def test_values_of_any_size_keep_their_distances(scale):
    made = release(
        {"x": [0.0, 1 * scale, 2 * scale]}, {"x": [1 * scale, 2 * scale]}, {"x": "numeric"}
    )
    space = space_of(made, Distance.EUCLIDEAN)
    step = 1 / np.std([0, 1, 2])
    assert space.train.distances(space.synthetic) == pytest.approx(
        np.array([[step, 2 * step], [0, step], [step, 0]])
    )


@pytest.mark.parametrize("distance", [Distance.EUCLIDEAN, Distance.GOWER])
def test_real_rows_are_held_once(distance):
    made = release(
        {"x": [0.0, 2.0, 4.0], "c": ["a", "b", "a"]},
        {"x": [2.0, 6.0], "c": ["a", "z"]},
        {"x": "numeric", "c": "categorical"},
        {"x": [1.0, 3.0], "c": ["b", "b"]},
    )
    space = space_of(made, distance)
    assert (len(space.train), len(space.holdout), len(space.real)) == (3, 2, 5)
    for table in (space.train, space.holdout):
        assert np.shares_memory(table.numbers, space.real.numbers)
        assert np.shares_memory(table.levels, space.real.levels)
    assert np.array_equal(space.real.numbers[3:], space.holdout.numbers)
    assert np.array_equal(space.real.levels[:3], space.train.levels)
