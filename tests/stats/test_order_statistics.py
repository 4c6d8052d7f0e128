import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mpmath import mp, mpf

from privgate.stats import order_statistics
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


def test_a_floor_moves_nothing_above_it_and_spares_the_sums_below(monkeypatch):
    rng = np.random.default_rng(1)
    rank, log_f = rng.integers(1, 3001, 4000), np.log(rng.random(4000) * 0.4)
    given = rank, 3000, log_f, np.log1p(-np.exp(log_f))
    exact = log10_at_least(*given)
    summed = []
    tail = order_statistics._log_tail
    monkeypatch.setattr(
        order_statistics,
        "_log_tail",
        lambda rank, *rest: summed.append(len(rank)) or tail(rank, *rest),
    )
    assert np.array_equal(
        np.maximum(log10_at_least(*given, floor=-300), -300), np.maximum(exact, -300)
    )
    assert 300 < (exact > -300).sum() < 3000
    assert 0 < sum(summed) < 0.2 * (exact <= -300).sum()
