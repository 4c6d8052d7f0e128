import numpy as np
import pytest

from privgate.data import release_from_frames
from privgate.errors import NotAssessable
from privgate.metrics import Inputs
from privgate.metrics.synthetic_groups import synthetic_groups
from privgate.testing.samples import SURVEY_COLUMNS, encoded, survey


def release(rows=400):
    return release_from_frames(
        train=survey(rows, 1),
        holdout=survey(rows, 2),
        synthetic=survey(rows, 3),
        columns=SURVEY_COLUMNS,
    )


def groups(names, given, **more):
    return synthetic_groups(
        names, neighbours=Inputs(release=given).neighbours(), release=given, **more
    )


def test_a_column_makes_a_group_of_each_level_and_of_missing_values():
    given = release()
    found = groups(["region"], given, least=1)
    codes = given.synthetic.values["region"]
    assert len(found.members) == 5
    assert found.members.sum(axis=1).tolist() == [(codes == code).sum() for code in range(-1, 4)]
    assert found.members.sum(axis=0).tolist() == [1] * 400


def test_small_groups_are_left_out_and_counted():
    found = groups(["region", "married"], release(), least=100)
    assert len(found.members) == 4
    assert found.left_out == 3
    assert found.reason == ""
    none = groups(["region"], release(), least=300)
    assert (len(none.members), none.left_out) == (0, 5)
    assert none.reason == "no group has 300 synthetic records"
    assert groups([], release(), least=1).reason == "the rule names no groups"


@pytest.mark.parametrize("name", ["income", "nonsense"])
def test_a_column_without_levels_is_refused(name):
    with pytest.raises(NotAssessable, match=f"'{name}' is not a measured column with levels"):
        groups([name], release(40), least=1)


def test_rows_without_a_release_have_no_columns():
    shared = encoded([0, 1, 2], [0, 1], [3, 4]).neighbours()
    with pytest.raises(NotAssessable, match="'sex' is not a measured column"):
        synthetic_groups(["sex"], least=1, neighbours=shared, release=None)


def test_outlying_records_are_nearest_to_an_outlying_real_row():
    # Of 8 real rows the farthest 1 % is one: 90, which is 45 away from all others.
    shared = encoded([0, 1, 2, 3], [0.2, 71, 100, 60], [4, 5, 45, 90]).neighbours()
    found = synthetic_groups(["outliers"], least=1, neighbours=shared, release=None)
    assert found.members.tolist() == [[False, True, True, False]]


def test_outlying_records_do_not_depend_on_who_is_train():
    draw = np.random.default_rng(0)
    real, made = draw.integers(0, 30, (300, 2)), draw.integers(0, 40, (200, 2))
    found = [
        synthetic_groups(
            ["outliers"],
            least=1,
            neighbours=encoded(real[order[:150]], made, real[order[150:]]).neighbours(),
            release=None,
        ).members
        for order in (np.arange(300), draw.permutation(300))
    ]
    assert found[0].any()
    assert np.array_equal(found[0], found[1])
