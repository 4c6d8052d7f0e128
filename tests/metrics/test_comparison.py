from dataclasses import replace
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest

from privgate.data import Role, release_from_frames
from privgate.errors import NotAssessable
from privgate.metrics.comparison import compared
from privgate.metrics.inputs import Inputs
from privgate.metrics.subgroups import GroupedParams, members, worst_group
from privgate.stats.intervals import residual_risk


def test_success_is_compared_with_the_holdout():
    figures = compared(np.arange(100) < 60, np.arange(50) < 10, level=0.95)
    assert figures["train_rate"].value == 0.6
    assert figures["holdout_rate"].value == 0.2
    assert figures["gap"].value == pytest.approx(0.4)
    assert figures["excess"].value == pytest.approx(0.5)
    assert figures["excess"].low < 0.5 < figures["excess"].high <= 1


def test_what_cannot_be_compared_is_unknown():
    hits = np.ones(10, bool)
    assert "no holdout" in compared(hits, None, level=0.95)["excess"].reason
    assert "no holdout record" in compared(hits, hits[:0], level=0.95)["gap"].reason
    assert "every holdout record" in compared(hits, hits, level=0.95)["excess"].reason


@pytest.mark.parametrize(("a", "b", "n"), [(0.3, 0.2, 200), (0.05, 0.05, 500), (0.9, 0.8, 100)])
def test_residual_risk_covers_the_truth(a, b, n):
    rng = np.random.default_rng(1)
    truth, covered = (a - b) / (1 - b), 0
    for hits, others in zip(rng.binomial(n, a, 1500), rng.binomial(n, b, 1500), strict=True):
        found = residual_risk(int(hits), n, int(others), n, level=0.95)
        covered += found.low <= truth <= found.high
    assert covered / 1500 > 0.93


def test_residual_risk_of_a_lost_cause_is_refused():
    with pytest.raises(ValueError, match="nothing was left"):
        residual_risk(5, 10, 10, 10, level=0.95)


def test_the_worst_group_is_found_and_its_interval_widened(survey_release):
    inputs = Inputs(release=survey_release)
    sex = survey_release.train.values["sex"]
    train, holdout = sex == 0, np.zeros(survey_release.holdout.rows, bool)
    figures, counted = worst_group(inputs, GroupedParams(groups=("sex",)), train, holdout)
    gap = figures["worst_group_gap"]
    assert gap.value == 1
    assert gap.level == 0.975
    table = counted.pop("success by sex")
    assert counted == {"groups": 2, "groups with too few people, left out": 0}
    assert sorted(row["train"] for row in table) == [0, 1]
    assert [row["holdout"] for row in table] == [0, 0]


def test_small_groups_are_left_out_and_counted(survey_release):
    inputs = Inputs(release=survey_release)
    train = np.ones(survey_release.train.rows, bool)
    holdout = np.ones(survey_release.holdout.rows, bool)
    figures, counted = worst_group(
        inputs, GroupedParams(groups=("outliers",), min_group=200), train, holdout
    )
    assert "no group has 200 people" in figures["worst_group_gap"].reason
    assert counted["groups with too few people, left out"] == 1
    _, counted = worst_group(inputs, GroupedParams(groups=("region",)), train, holdout)
    assert counted["groups"] + counted["groups with too few people, left out"] == 5


def test_groups_need_levels(survey_release):
    with pytest.raises(NotAssessable, match="'age' is not a measured column with levels"):
        worst_group(
            Inputs(release=survey_release),
            GroupedParams(groups=("age",)),
            np.ones(survey_release.train.rows, bool),
            np.ones(survey_release.holdout.rows, bool),
        )


def test_every_quasi_identifier_makes_groups(survey_release):
    """Levels of sex, region and married, and quarters of age: each person is in four groups."""
    inputs = Inputs(release=survey_release)
    params = GroupedParams(groups=("quasi_identifiers",))
    groups = list(members(inputs, params))
    per_person = sum(masks["train"].astype(int) for masks in groups)
    assert per_person.tolist() == [4] * survey_release.train.rows
    age = survey_release.train.values["age"]
    quarters = [age[masks["train"]] for masks in groups[:4]]
    assert sum(map(len, quarters)) == len(age)
    assert all(below.max() < above.min() for below, above in pairwise(quarters))
    assert min(map(len, quarters)) > len(age) / 5


def test_a_group_of_a_number_that_is_wide_open_is_found(survey_release):
    age = survey_release.train.values["age"]
    train = age > np.quantile(age, 0.75, method="inverted_cdf")
    holdout = np.zeros(survey_release.holdout.rows, bool)
    figures, counted = worst_group(
        Inputs(release=survey_release),
        GroupedParams(groups=("quasi_identifiers",)),
        train,
        holdout,
    )
    assert figures["worst_group_gap"].value == 1
    assert figures["worst_group_gap"].level == pytest.approx(1 - 0.05 / counted["groups"])
    assert "success by quasi_identifiers" in counted


def test_groups_of_quasi_identifiers_need_some(survey_release):
    columns = tuple(c for c in survey_release.columns if c.role is not Role.QUASI_IDENTIFIER)
    bare = Inputs(release=replace(survey_release, columns=columns))
    with pytest.raises(NotAssessable, match="no column is declared as quasi_identifier"):
        list(members(bare, GroupedParams(groups=("quasi_identifiers",))))


def test_a_missing_number_is_a_group_of_its_own():
    frame = pd.DataFrame({"age": [1.0, 2, 3, 4, None, None], "ill": [0, 1, 0, 1, 0, 1]})
    columns = {
        "age": {"type": "numeric", "role": "quasi_identifier"},
        "ill": {"type": "boolean", "role": "sensitive"},
    }
    release = release_from_frames(train=frame, holdout=frame[1:], synthetic=frame, columns=columns)
    groups = list(members(Inputs(release=release), GroupedParams(groups=("quasi_identifiers",))))
    assert [int(masks["train"].sum()) for masks in groups] == [2, 1, 1, 1, 1]
