import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import mannwhitneyu

from privgate.stats.rank_sum import closeness_z, farther_pairs, weighted_z

PUBLISHED = np.array([0.1, 0.05, 0.2, 0.1, 9.5, 9.8])
FRESH = np.array([0.4, 1, 0.8, 1, 1, 3.5])


def test_worked_example():
    assert farther_pairs(PUBLISHED, FRESH) == 12
    assert closeness_z(PUBLISHED, FRESH) == pytest.approx(-0.8807048459280, abs=1e-12)
    without_the_half = closeness_z(PUBLISHED, FRESH) - 0.5 / np.sqrt(36 * 13 / 12)
    assert without_the_half == pytest.approx(-0.9607689228305, abs=1e-12)
    assert weighted_z([-2, 1], [4, 2]) == -1


distances = st.lists(st.integers(0, 6).map(float), min_size=1, max_size=12).map(np.array)


@given(distances, distances)
def test_pairs_are_counted_with_ties_half(first, second):
    pairs = (first[:, None] > second).sum() + 0.5 * (first[:, None] == second).sum()
    assert farther_pairs(first, second) == pairs
    assert farther_pairs(first, second) == mannwhitneyu(first, second).statistic
    assert farther_pairs(first, second) + farther_pairs(second, first) == first.size * second.size


def test_distances_tied_up_to_rounding_are_tied():
    assert farther_pairs(np.array([0.1 + 0.2]), np.array([0.3])) == 0.5
