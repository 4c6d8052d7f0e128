from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privgate import PrivgateWarning, split
from privgate.api.split import folds_of
from privgate.errors import InputError
from privgate.testing.samples import survey


def people(rows=400, households=150, seed=1):
    table = survey(rows, seed)
    table["household"] = np.random.default_rng(seed).integers(0, households, rows)
    return table


@pytest.mark.filterwarnings("ignore::privgate.PrivgateWarning")
@settings(max_examples=40)
@given(
    rows=st.integers(2, 60),
    households=st.integers(1, 25),
    share=st.floats(0.05, 0.95),
    seed=st.integers(0, 5),
    grouped=st.booleans(),
)
def test_every_row_is_on_one_side_and_groups_stay_together(rows, households, share, seed, grouped):
    data = people(rows, households)
    try:
        train, holdout = split(
            data, holdout=share, groups="household" if grouped else None, seed=seed
        )
    except InputError:
        return  # too few rows or groups for such a share
    assert sorted([*train.index, *holdout.index]) == list(data.index)
    if grouped:
        assert not set(train["household"]) & set(holdout["household"])
    else:
        assert len(holdout) == round(share * rows)


@settings(max_examples=40)
@given(share=st.floats(0.2, 0.8), seed=st.integers(0, 20))
def test_without_groups_sizes_are_exact_and_strata_within_one_row(share, seed):
    data = people()
    _, holdout = split(data, holdout=share, stratify="region", seed=seed)
    rows = round(share * len(data))
    assert len(holdout) == rows
    asked = data["region"].value_counts(dropna=False) * rows / len(data)
    found = holdout["region"].value_counts(dropna=False)
    assert ((found - asked).abs() < 1).all()


def test_a_number_of_rows_is_taken_at_its_word():
    assert [len(side) for side in split(people(), holdout=37)] == [363, 37]


def test_households_and_sexes_are_divided_together():
    data = people(1000, 300)
    train, holdout = split(data, groups="household", stratify="sex", seed=4)
    assert not set(train["household"]) & set(holdout["household"])
    assert abs(len(train) - len(holdout)) <= 10
    for sex in ("f", "m"):
        assert abs((train["sex"] == sex).sum() - (holdout["sex"] == sex).sum()) <= 10


@pytest.mark.parametrize(
    "options", [{}, {"groups": "household"}, {"stratify": ["sex"], "duplicates": "together"}]
)
def test_neither_row_order_nor_index_decides(options):
    data = people()
    shuffled = data.sample(frac=1, random_state=9)
    for one, other in zip(split(data, **options), split(shuffled, **options), strict=True):
        assert one.equals(other.sort_index())
    renamed = data.set_axis([f"row {n}" for n in range(len(data))])
    assert split(renamed, **options).holdout["age"].tolist() == (
        split(data, **options).holdout["age"].tolist()
    )


def test_another_seed_is_another_division():
    assert not split(people(), seed=1).holdout.equals(split(people(), seed=2).holdout)


def test_chance_decides_within_a_kind():
    """Over many seeds each of four rows is held out in about half of the divisions."""
    data = pd.DataFrame({"age": [30, 41, 52, 63]})
    times = sum(data.index.isin(split(data, seed=seed).holdout.index) for seed in range(200))
    assert (abs(times - 100) < 36).all()  # five standard deviations


def test_equal_rows_on_both_sides_are_told_and_can_be_kept_together():
    data = pd.concat([people(200), people(200)], ignore_index=True)
    own = [name for name in data if name != "household"]
    with pytest.warns(PrivgateWarning, match=r"\d+ of 200 holdout rows are also rows of train"):
        split(data)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        train, holdout = split(data, duplicates="together")
        assert train.merge(holdout, on=own).empty
        train, holdout = split(data, duplicates="together", groups="household", holdout=0.4)
    assert train.merge(holdout, on=own).empty
    assert not set(train["household"]) & set(holdout["household"])


@pytest.mark.parametrize(
    ("change", "options", "words"),
    [
        ({}, {"holdout": 1.0}, "cannot be taken from 400 rows"),
        ({}, {"holdout": 0}, "cannot be taken"),
        ({}, {"holdout": float("nan")}, "cannot be taken"),
        ({}, {"holdout": True}, "cannot be taken"),
        ({}, {"groups": "houshold"}, "did you mean 'household'?"),
        ({}, {"stratify": "sexes"}, "did you mean 'sex'?"),
        ({}, {"duplicates": "drop"}, "'drop' is unknown"),
        ({"household": 1}, {"groups": "household"}, "there are 1 groups"),
        ({"region": ["PLANTED", *["x"] * 399]}, {"stratify": "region"}, "the value in row 1"),
        ({"household": [7] * 399 + [8]}, {"groups": "household", "holdout": 0.3}, "the first is"),
        ({"region": [[1]] * 400}, {}, "lists or other objects"),
    ],
)
def test_what_cannot_be_divided_honestly_is_refused(change, options, words):
    data = people().assign(**change)
    if words == "the first is":
        data.loc[3, "household"] = np.nan
        words = "the group is missing in 1 rows, the first is row 4"
    with pytest.raises(InputError) as refused:
        split(data, **options)
    assert words in str(refused.value)
    assert "PLANTED" not in str(refused.value)


def test_groups_that_leave_a_side_empty_are_refused():
    data = people().assign(household=[1] * 200 + [2] * 200)
    with pytest.raises(InputError, match="too few or too large"):
        split(data, groups="household", holdout=0.1)


def test_groups_that_make_a_holdout_much_smaller_are_told():
    data = people().assign(household=[1] * 399 + [2])
    with pytest.warns(PrivgateWarning, match="the holdout has 1 rows, not 40"):
        split(data, groups="household", holdout=0.1)


def test_a_column_of_numbers_is_no_stratum():
    data = pd.DataFrame({"income": np.arange(20_000.0)})
    with pytest.raises(InputError, match="put numbers into classes"):
        split(data, stratify="income")


def test_what_is_no_data_frame_is_refused():
    with pytest.raises(InputError, match="of type ndarray"):
        split(np.zeros((4, 2)))


def test_folds_cover_everybody_once():
    data = people()
    masks = list(folds_of(data, folds=5, groups="household", stratify="sex", seed=0))
    assert (np.sum(masks, axis=0) == 1).all()
    assert {len(data) // 5 - 10 < mask.sum() < len(data) // 5 + 10 for mask in masks} == {True}
    for mask in masks:
        assert not set(data["household"][mask]) & set(data["household"][~mask])
