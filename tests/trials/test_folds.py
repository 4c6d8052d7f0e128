import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from privgate.errors import InputError
from privgate.testing.samples import SURVEY_COLUMNS, survey
from privgate.trials import stratified_folds, synthesised
from privgate.trials.folds import _dealt


def folds(data, *, by="smoker", k=4, seed=0):
    rng = np.random.default_rng(seed)
    return stratified_folds(data, SURVEY_COLUMNS, by=by, folds=k, rng=rng)


def test_everybody_is_held_out_once_and_learned_from_in_all_other_folds():
    data = survey(101, 1).assign(income=np.arange(101.0))
    made = folds(data, by="income")
    assert [fold.name for fold in made] == ["fold 1", "fold 2", "fold 3", "fold 4"]
    assert sorted(len(fold.held_out) for fold in made) == [25, 25, 25, 26]
    assert sorted(pd.concat([fold.held_out for fold in made])["income"]) == list(range(101))
    for fold in made:
        assert len(fold.rest) + len(fold.held_out) == 101
        assert not set(fold.rest["income"]) & set(fold.held_out["income"])


@given(
    st.lists(st.integers(0, 4), min_size=8, max_size=80),
    st.integers(2, 8),
    st.integers(0, 99),
)
def test_no_class_is_more_than_two_rows_oftener_in_one_fold(classes, k, seed):
    values = np.array(classes, np.float64)
    dealt = _dealt(values, k, np.random.default_rng(seed))
    for own in np.unique(values):
        sizes = np.bincount(dealt[values == own], minlength=k)
        assert sizes.max() - sizes.min() <= 2
    sizes = np.bincount(dealt, minlength=k)
    assert sizes.max() - sizes.min() <= 1


def test_numbers_are_spread_alike():
    made = folds(survey(400, 1), by="age")
    means = [fold.held_out["age"].mean() for fold in made]
    assert np.ptp(means) < 1
    assert len({tuple(fold.held_out["income"]) for fold in made}) == 4


def test_row_order_is_irrelevant():
    data = survey(80, 1)
    plain, turned = folds(data), folds(data.sample(frac=1, random_state=3))
    for one, other in zip(plain, turned, strict=True):
        pd.testing.assert_frame_equal(one.rest, other.rest)
        pd.testing.assert_frame_equal(one.held_out, other.held_out)


@pytest.mark.parametrize("k", [0, 1, 81])
def test_impossible_numbers_of_folds_are_refused(k):
    with pytest.raises(InputError, match=f"{k} folds of 80 rows"):
        folds(survey(80, 1), k=k)


def failing(table, rng):
    del rng
    raise RuntimeError(f"cannot learn from {table['income'].iloc[0]}")


@pytest.mark.parametrize(
    ("synthesize", "words"),
    [
        (failing, "fold 1: the synthesizer stopped with RuntimeError; call"),
        (lambda table, _: table.to_numpy(), "fold 1: the synthesizer returned ndarray"),
        (lambda table, _: table.drop(columns=["age", "sex"]), "lacks 'age', 'sex'"),
        (lambda table, _: table.iloc[:0], "fold 1: the synthetic table has no rows"),
    ],
)
def test_what_a_synthesizer_does_wrong_is_told_with_the_fold(synthesize, words):
    fold = folds(survey(80, 1))[0]
    with pytest.raises(InputError) as caught:
        synthesised(synthesize, fold, SURVEY_COLUMNS, np.random.default_rng(0))
    assert words in str(caught.value)
    assert str(fold.rest["income"].iloc[0]) not in str(caught.value)


def test_a_synthesizer_cannot_change_what_is_measured():
    def spoiling(table, rng):
        del rng
        table["income"] = 0.0
        return table

    fold = folds(survey(80, 1))[0]
    before = fold.rest.copy()
    made = synthesised(spoiling, fold, SURVEY_COLUMNS, np.random.default_rng(0))
    assert (made["income"] == 0).all()
    pd.testing.assert_frame_equal(fold.rest, before)
