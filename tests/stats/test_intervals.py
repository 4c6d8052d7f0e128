import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest

from privgate.evidence import Estimate
from privgate.stats.intervals import (
    clopper_pearson,
    clopper_pearson_upper,
    difference,
    newcombe,
    percentile_interval,
    residual,
    residual_risk,
    wilson,
)

counts = st.integers(1, 400).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))
levels = st.sampled_from([0.8, 0.95, 0.99])


@given(counts, levels)
def test_shares_agree_with_scipy(count, level):
    k, n = count
    for own, method in ((wilson, "wilson"), (clopper_pearson, "exact")):
        expected = binomtest(k, n).proportion_ci(level, method)
        found = own(k, n, level=level)
        assert found.low == pytest.approx(expected.low, abs=1e-12)
        assert found.high == pytest.approx(expected.high, abs=1e-12)


@given(counts, levels)
def test_one_sided_bound_is_the_end_of_a_wider_interval(count, level):
    k, n = count
    two_sided = clopper_pearson(k, n, level=2 * level - 1)
    assert clopper_pearson_upper(k, n, level=level) == pytest.approx(two_sided.high, abs=1e-12)


@given(counts, counts, levels)
def test_newcombe_contains_the_difference_and_changes_sign_with_the_sides(a, b, level):
    forth = newcombe(*a, *b, level=level)
    back = newcombe(*b, *a, level=level)
    assert forth.low <= forth.value <= forth.high
    assert forth.low >= -1
    assert forth.high <= 1
    assert (forth.low, forth.high) == pytest.approx((-back.high, -back.low), abs=1e-12)


@given(counts, levels)
def test_intervals_shrink_with_more_people(count, level):
    k, n = count
    for own in (wilson, clopper_pearson):
        few, many = own(k, n, level=level), own(3 * k, 3 * n, level=level)
        assert many.high - many.low < few.high - few.low


def test_newcombe_reproduces_the_published_examples():
    # Newcombe 1998, table II, method 10: 9/10 - 3/10, 6/7 - 2/7, 5/56 - 0/29, 0/10 - 0/20.
    published = {
        (9, 10, 3, 10): (0.1705, 0.8090),
        (6, 7, 2, 7): (0.0582, 0.8062),
        (5, 56, 0, 29): (-0.0381, 0.1926),
        (0, 10, 0, 20): (-0.1611, 0.2775),
    }
    for sides, (low, high) in published.items():
        found = newcombe(*sides, level=0.95)
        assert found.low == pytest.approx(low, abs=6e-5)
        assert found.high == pytest.approx(high, abs=6e-5)


@pytest.mark.parametrize(("k", "n"), [(1, 0), (-1, 4), (5, 4)])
def test_what_is_no_share_is_refused(k, n):
    for own in (wilson, clopper_pearson, clopper_pearson_upper):
        with pytest.raises(ValueError, match="not a share"):
            own(k, n, level=0.95)


def test_percentile_interval_always_holds_its_value_and_refuses_nan():
    found = percentile_interval(0.9, [0.1, 0.2, 0.3], level=0.95, method="bootstrap", n=3)
    assert found.low <= 0.9 == found.high
    with pytest.raises(ValueError, match="finite"):
        percentile_interval(0.5, [float("nan")], level=0.95, method="bootstrap", n=3)


def test_estimates_without_intervals_or_of_two_levels_are_not_compared():
    share = wilson(3, 10, level=0.95)
    for compare in (difference, residual):
        with pytest.raises(ValueError, match="without an interval"):
            compare(share, Estimate(value=0.1))
        with pytest.raises(ValueError, match="different levels"):
            compare(share, wilson(3, 10, level=0.9))


def test_counts_and_their_estimates_are_compared_alike():
    rates = wilson(30, 80, level=0.95), wilson(10, 60, level=0.95)
    for by_count, by_rate in ((newcombe, difference), (residual_risk, residual)):
        one, other = by_count(30, 80, 10, 60, level=0.95), by_rate(*rates)
        assert (one.value, one.low, one.high, one.n) == (other.value, other.low, other.high, 60)
