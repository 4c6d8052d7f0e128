"""Associations: examples worked by hand, the yardsticks, and what is lost is seen."""

import math
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy.stats import spearmanr

from privgate.data import release_from_frames
from privgate.errors import NotAssessable
from privgate.metrics.inputs import Inputs
from privgate.metrics.utility.associations import AssociationsParams, associations
from privgate.stats.association import associations as matrix
from privgate.stats.association import cramers_v
from privgate.testing.samples import survey_release


def found(release, **params):
    return associations.measure(
        Inputs(release=release), AssociationsParams(**params), np.random.default_rng(0)
    )


def of_two(train, synthetic, holdout=None, kinds=("numeric", "numeric")):
    columns = {
        name: {"type": kind, "role": "other"} for name, kind in zip("ab", kinds, strict=True)
    }
    tables = {"train": train, "synthetic": synthetic, "holdout": holdout}
    frames = {
        name: pd.DataFrame(table, columns=list("ab"))
        for name, table in tables.items()
        if table is not None
    }
    return release_from_frames(**frames, columns=columns)


def test_the_example_worked_by_hand():
    """Ranks that agree (1), and {1, 2, 3} with {9, 7, 8} (-1/2) or {7, 9, 8} (1/2)."""
    train = [(1, 7), (2, 8), (3, 9)] * 5
    turned = [(1, 9), (2, 7), (3, 8)] * 5
    half = [(1, 7), (2, 9), (3, 8)] * 5
    figures = found(of_two(train, half, turned)).figures
    assert figures["similarity"].value == pytest.approx(0.5, abs=1e-12)
    assert figures["column_similarity"].value == pytest.approx(0.5, abs=1e-12)
    assert figures["holdout_similarity"].value == pytest.approx(0, abs=1e-12)
    assert figures["independent_similarity"].value == pytest.approx(0, abs=1e-12)


def test_cramers_v_worked_by_hand():
    """Counts (8, 2 | 2, 8): φ² = 0.36, φ̃² = 0.36 - 1/19, r̃ - 1 = 1 - 1/19."""
    expected = math.sqrt((0.36 - 1 / 19) / (1 - 1 / 19))
    assert cramers_v(np.array([[8, 2], [2, 8]])) == pytest.approx(expected, abs=1e-12)
    assert math.isnan(cramers_v(np.array([[8, 2], [0, 0]])))
    assert cramers_v(np.array([[8, 2, 0], [2, 8, 0]])) == pytest.approx(expected, abs=1e-12)


def test_the_correlation_ratio_worked_by_hand():
    """Ranks 1, 2 | 3, 4: sums of squares 4 of 5, so η² = 0.8 and 1 - 0.2·3/2 = 0.7."""
    found_ = matrix(np.array([[10.0], [20], [30], [40]]), [np.array([0, 0, 1, 1])])
    assert found_[0, 1] == found_[1, 0] == pytest.approx(math.sqrt(0.7), abs=1e-12)


def test_rows_without_a_number_are_left_out_and_missing_levels_are_a_level():
    numbers = np.array([[1.0, 2], [2, 1], [3, 3], [np.nan, 9], [4, np.nan]])
    # Ranks in each column are over all its numbers; the pair has rows 1 to 3.
    z = np.array([[-1.5, -0.5], [-0.5, -1.5], [0.5, 0.5]])
    assert matrix(numbers, [])[0, 1] == pytest.approx(np.corrcoef(z.T)[0, 1], abs=1e-12)
    both = matrix(np.empty((20, 0)), [np.repeat([0, -1], 10), np.repeat([0, 1], 10)])
    assert both[0, 1] == pytest.approx(1, abs=1e-12)


def test_spearman_agrees_with_scipy():
    table = np.random.default_rng(2).integers(0, 9, (200, 3)).astype(float)
    table[:, 2] += table[:, 0]
    own = matrix(table, [])
    assert own[0, 2] == pytest.approx(spearmanr(table[:, 0], table[:, 2]).statistic, abs=1e-12)


def test_a_column_that_no_longer_varies_has_lost_all():
    train = [(1, 4), (2, 5), (3, 6)] * 5
    assert found(of_two(train, [(1, 4)] * 15)).figures["similarity"].value == 0


def test_columns_that_do_not_vary_in_train_are_left_out():
    with pytest.raises(NotAssessable, match="no two columns"):
        found(of_two([(1, 4)] * 15, [(1, 4), (2, 5), (3, 6)] * 5))
    with pytest.raises(NotAssessable, match="at least 11 rows"):
        found(of_two([(1, 4), (2, 5)], [(1, 4), (2, 5)]))


def test_a_copy_keeps_all_and_shuffled_columns_keep_nothing():
    own = survey_release(600)
    copy = found(replace(own, synthetic=own.train)).figures
    assert copy["similarity"].value == 1
    rng = np.random.default_rng(1)
    values = {name: rng.permutation(column) for name, column in own.train.values.items()}
    lost = found(replace(own, synthetic=replace(own.train, values=values))).figures
    nothing = lost["independent_similarity"].value
    assert lost["similarity"].value == pytest.approx(nothing, abs=0.02)
    assert lost["column_similarity"].value < lost["similarity"].value


def test_an_honest_draw_is_near_the_yardstick():
    figures = found(survey_release(1500)).figures
    assert figures["similarity"].value == pytest.approx(
        figures["holdout_similarity"].value, abs=0.01
    )


def test_a_large_table_is_sampled_and_says_so():
    measured = found(survey_release(300), most_rows=100)
    assert sum("seeded sample of 100" in note for note in measured.notes) == 3


def test_outliers_and_units_do_not_matter():
    rng = np.random.default_rng(3)
    table = rng.normal(size=(50, 2))
    huge = table.copy()
    huge[np.argmax(huge[:, 0]), 0] = 1e300
    assert matrix(table, [])[0, 1] == matrix(huge * [1, 1e-300], [])[0, 1]
