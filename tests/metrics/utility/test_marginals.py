"""Marginals: examples worked by hand, the yardstick, and no few people told apart."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import ks_2samp

from privgate.data import release_from_frames
from privgate.errors import NotAssessable
from privgate.metrics.inputs import Inputs
from privgate.metrics.utility.marginals import MarginalsParams, marginals
from privgate.stats.similarity import level_similarity, number_similarity
from privgate.testing.samples import survey_release

COLUMNS = {
    "sex": {"type": "categorical", "role": "quasi_identifier"},
    "age": {"type": "numeric", "role": "other"},
}


def found(release):
    return marginals.measure(Inputs(release=release), MarginalsParams(), np.random.default_rng(0))


def release(train, synthetic, holdout=None, columns=COLUMNS):
    tables = {"train": train, "synthetic": synthetic, "holdout": holdout}
    frames = {name: pd.DataFrame(table) for name, table in tables.items() if table is not None}
    return release_from_frames(**frames, columns=columns)


def times(count, values):
    return np.repeat(values, count)


def test_the_example_worked_by_hand():
    """Shares (1/2, 1/2) and (1/4, 3/4): 3/4. F = 1, G = 1/2 at 4: 1/2. Mean 5/8."""
    train = {"sex": times(11, ["f", "f", "m", "m"]), "age": times(11, [1, 2, 3, 4])}
    synthetic = {"sex": times(11, ["f", "m", "m", "m"]), "age": times(11, [1, 2, 9, 9])}
    holdout = {"sex": times(11, ["f", "f", "m", "m"]), "age": times(11, [1, 2, 3, 9])}
    measured = found(release(train, synthetic, holdout))
    values = {name: figure.value for name, figure in measured.figures.items()}
    assert values["similarity"] == pytest.approx(0.625, abs=1e-12)
    assert values["column_similarity"] == pytest.approx(0.5, abs=1e-12)
    assert values["holdout_similarity"] == pytest.approx((1 + 0.75) / 2, abs=1e-12)
    assert values["holdout_column_similarity"] == pytest.approx(0.75, abs=1e-12)
    parts = {part.of: part.figures["column_similarity"].value for part in measured.parts}
    assert parts == pytest.approx({"age": 0.5, "sex": 0.75}, abs=1e-12)
    assert measured.risk is None


def test_unlike_shares_of_missing_values_are_a_distance():
    train = {"sex": times(11, ["f", "f", "m", "m"]), "age": times(11, [1, 2, 3, 4])}
    synthetic = {"sex": times(11, ["f", None, "m", "m"]), "age": times(11, [1, 2, 3, np.nan])}
    parts = found(release(train, synthetic)).parts
    assert [part.figures["column_similarity"].value for part in parts] == [0.75, 0.75]


def test_a_copy_is_equal_and_without_a_holdout_the_yardstick_is_unknown():
    own = survey_release(300)
    copied = found(replace(own, synthetic=own.train, holdout=None))
    assert copied.figures["similarity"].value == 1
    assert copied.figures["holdout_similarity"].value is None


@pytest.mark.parametrize("few", [1, 5, 10])
def test_a_count_of_few_people_cannot_be_worked_out(few):
    """Whatever few people of train have a value, the figures are the same."""
    values = set()
    for count in (few, 3):
        train = {
            "sex": ["f"] * count + ["m"] * (60 - count),
            "age": [1.0] * count + [0.0] * (60 - count),
            "town": ["a"] * 30 + ["b"] * 30,
        }
        synthetic = {"sex": ["f"] * 30 + ["m"] * 30, "age": [1.0] * 60, "town": ["a"] * 60}
        columns = COLUMNS | {"town": {"type": "categorical", "role": "other"}}
        measured = found(release(train, synthetic, columns=columns))
        values.add(repr(measured.figures))
        reasons = {part.of: part.figures["column_similarity"].reason for part in measured.parts}
        assert "at least 11 people" in reasons["sex"]
        assert "at least 11 people" in reasons["age"]
    assert len(values) == 1


def test_nothing_to_compare_is_not_assessed():
    tiny = {"sex": ["f"] * 5 + ["m"] * 15, "age": np.arange(20)}
    with pytest.raises(NotAssessable, match="at least 11 people"):
        found(release(tiny, tiny))
    with pytest.raises(NotAssessable, match="at least 11 rows"):
        found(release({"sex": ["f"] * 5, "age": [1.0] * 5}, tiny))


def test_an_honest_draw_is_near_the_yardstick_and_a_shifted_column_is_far_below():
    honest = found(survey_release(2000)).figures
    assert honest["similarity"].value == pytest.approx(honest["holdout_similarity"].value, abs=0.01)
    own = survey_release(2000)
    moved = dict(own.synthetic.values) | {"age": own.synthetic.values["age"] + 40}
    shifted = found(replace(own, synthetic=replace(own.synthetic, values=moved)))
    assert shifted.figures["column_similarity"].value < 0.6
    assert min(shifted.parts, key=lambda p: p.figures["column_similarity"].value).of == "age"


def test_numbers_agree_with_scipy():
    rng = np.random.default_rng(4)
    first, second = rng.normal(size=500).round(1), rng.normal(0.3, size=300).round(1)
    distance = ks_2samp(first, second).statistic
    assert number_similarity(first, second, fewest=1) == pytest.approx(1 - distance, abs=1e-12)


codes = st.lists(st.integers(-1, 4), min_size=1, max_size=40).map(np.array)


@given(codes, codes, st.integers(1, 12))
def test_levels_keep_laws(first, second, fewest):
    value = level_similarity(first, second, levels=5, fewest=fewest)
    assert np.isnan(value) or 0 <= value <= 1
    turned = [np.where(own < 0, -1, 4 - own) for own in (first, second)]
    again = level_similarity(*turned, levels=5, fewest=fewest)
    assert again == value or (np.isnan(again) and np.isnan(value))
    assert level_similarity(first, first, levels=5, fewest=1) == 1


numbers = st.lists(st.sampled_from([0.0, 1, 2, 3, np.nan]), min_size=1, max_size=40).map(np.array)


@given(numbers, numbers, st.integers(1, 12))
def test_numbers_keep_laws(first, second, fewest):
    value = number_similarity(first, second, fewest=fewest)
    assert np.isnan(value) or 0 <= value <= 1
    assert number_similarity(first, first, fewest=1) == 1
    whole = number_similarity(first, second, fewest=1)
    assert np.isnan(value) or value >= whole  # fewer places to differ at
