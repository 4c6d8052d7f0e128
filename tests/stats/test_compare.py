import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from privgate.stats.compare import at_most, less, tie_levels, tied

distances = st.floats(0, 1e12, allow_nan=False)


def test_zero_is_tied_with_zero_only():
    assert tied(0.0, 0.0)
    assert less(0.0, 1e-300)


def test_a_relative_billionth_is_a_tie():
    assert tied(1.0, 1.0 + 5e-10)
    assert less(1.0, 1.0 + 5e-9)


@given(distances, distances)
def test_exactly_one_of_less_greater_tied_holds(a, b):
    assert int(less(a, b)) + int(less(b, a)) + int(tied(a, b)) == 1
    assert at_most(a, b) == (not less(b, a))


def test_comparison_is_element_wise():
    assert less(np.array([1.0, 2.0]), np.array([2.0, 1.0])).tolist() == [True, False]


def test_tied_distances_share_a_place():
    distances = np.array([0.3, 0.0, 0.1 + 0.2, 1e-300, 5.0, 0.0])
    assert tie_levels(distances).tolist() == [2, 0, 2, 1, 3, 0]
    assert tie_levels([]).tolist() == []
