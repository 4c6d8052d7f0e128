import math

import mpmath
import numpy as np
import pytest
from scipy.stats import chi2, chi2_contingency

from privgate.stats.tessellation import at_freedom, log_survival, pearson


def test_worked_example():
    value, freedom = pearson([10, 20, 30, 0], [15, 15, 20, 10])
    assert (value, freedom) == (pytest.approx(13.7142857142857, abs=1e-12), 3)
    assert chi2.sf(value, freedom) == pytest.approx(0.0033210179495, abs=1e-12)


def test_an_empty_cell_counts_in_the_scale_only():
    value, freedom = pearson([10, 20, 0], [15, 15, 0])
    assert (value, freedom) == (pytest.approx(1.7142857142857, abs=1e-12), 1)
    assert at_freedom(value, freedom, 2) == pytest.approx(3.3169384411849, abs=1e-12)
    assert at_freedom(value, 2, 2) == value


def test_pearson_is_that_of_the_contingency_table():
    counts = 1 + np.random.default_rng(1).poisson(4, (2, 30))
    expected = chi2_contingency(counts, correction=False)
    assert pearson(*counts) == (pytest.approx(expected.statistic), expected.dof)


@pytest.mark.parametrize("counts", [([3, 0], [4, 0]), ([0, 0], [1, 2])])
def test_too_few_cells_or_rows_are_no_comparison(counts):
    with pytest.raises(ValueError, match="two"):
        pearson(*counts)


def reference(value, freedom):
    with mpmath.workdps(40):
        tail = mpmath.gammainc(
            mpmath.mpf(freedom) / 2, mpmath.mpf(value) / 2, mpmath.inf, regularized=True
        )
        return float(mpmath.log(tail))


@pytest.mark.parametrize(("value", "freedom"), [(12, 3), (150, 99), (1500, 99), (1e5, 41)])
def test_the_logarithm_of_the_tail(value, freedom):
    assert log_survival(value, freedom) == pytest.approx(reference(value, freedom), rel=1e-12)


@pytest.mark.parametrize("value", [1200.0, 2000.0, 50_000.0])
def test_below_the_smallest_probability_the_logarithms_match(value):
    mapped = at_freedom(value, 60, 99)
    assert math.isfinite(mapped)
    assert mapped > value
    assert reference(mapped, 99) == pytest.approx(reference(value, 60), rel=1e-11)


def test_the_two_ways_meet_where_they_change():
    values = [at_freedom(value, 60, 99) for value in np.arange(1300.0, 1700.0, 20.0)]
    steps = np.diff(values)
    assert (steps > 0).all()
    assert steps.max() / steps.min() < 1.01
