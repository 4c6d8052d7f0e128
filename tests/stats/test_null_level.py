import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from privgate.stats.intervals import wilson
from privgate.stats.null_level import mean_share, upper_point


def test_without_spread_between_refits_only_the_people_are_uncertain():
    mean, people = mean_share([0.2] * 5, n=50, level=0.95), wilson(10, 50, level=0.95)
    assert (mean.value, mean.low, mean.high) == pytest.approx((0.2, people.low, people.high))


def test_the_two_distances_are_squared_and_added():
    # The deviations of 0.1 have the variance 0.04 / 3; t(0.975, 3 degrees) = 3.1824.
    mean = mean_share([0.4, 0.4, 0.6, 0.6], n=100, level=0.95)
    people = wilson(50, 100, level=0.95)
    reach = 3.182446305284263 * np.sqrt(0.04 / 3) / 2
    assert mean.value - mean.low == pytest.approx(np.hypot(0.5 - people.low, reach))
    assert mean.high - mean.value == pytest.approx(np.hypot(people.high - 0.5, reach))


@given(st.lists(st.floats(0, 1), min_size=2, max_size=40), st.integers(1, 500))
def test_interval_holds_its_mean_and_stays_a_share(shares, n):
    mean = mean_share(shares, n=n, level=0.95)
    assert 0 <= mean.low <= mean.value <= mean.high <= 1


@pytest.mark.parametrize("shares", [[], [0.1], [0.1, 1.2], [0.1, float("nan")]])
def test_what_is_no_set_of_shares_is_refused(shares):
    with pytest.raises(ValueError, match="at least 2 shares"):
        mean_share(shares, n=10, level=0.95)


def test_upper_point_is_one_of_the_shares():
    shares = [step / 20 for step in range(20)]
    assert upper_point(shares, 0.95) == shares[18]
    assert upper_point([0.3], 0.95) == 0.3
