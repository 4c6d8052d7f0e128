import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mpmath import mp, mpf

from privgate.stats.order_statistics import log10_at_least


def reference(rank, size, f):
    with mp.workdps(60):
        total = mp.betainc(rank, size - rank + 1, 0, mpf(f), regularized=True)
        return float(mp.log10(total))


def measured(rank, size, f):
    log_f = np.array([np.log(f)])
    return float(log10_at_least(np.array([rank]), size, log_f, np.log1p(-np.array([f])))[0])


@given(
    st.integers(1, 300).flatmap(lambda m: st.tuples(st.integers(1, m), st.just(m))),
    st.floats(1e-9, 0.999),
)
def test_agrees_with_high_precision(size, f):
    rank, m = size
    assert measured(rank, m, f) == pytest.approx(reference(rank, m, f), rel=1e-9, abs=1e-13)


@pytest.mark.parametrize(
    ("rank", "size", "f", "expected"),
    [(300, 1668, 1e-6, -1460.2744655300), (1, 5, 0.0014517429526102496, -2.1404012366708307)],
)
def test_given_values(rank, size, f, expected):
    assert measured(rank, size, f) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize(("rank", "f"), [(1600, 0.3), (1668, 0.01), (900, 1e-3), (1000, 0.2)])
def test_far_tails_are_summed_beyond_the_smallest_float(rank, f):
    assert measured(rank, 1668, f) == pytest.approx(reference(rank, 1668, f), rel=1e-11)


def test_a_probability_of_zero_is_minus_infinity():
    found = log10_at_least(np.array([1]), 5, np.array([-np.inf]), np.array([0.0]))
    assert found.tolist() == [-np.inf]
