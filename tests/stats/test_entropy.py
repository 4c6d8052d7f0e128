import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from privgate.stats.entropy import bin_counts, entropy


@given(st.lists(st.integers(0, 50), min_size=1, max_size=12).filter(any), st.randoms())
def test_entropy_does_not_depend_on_the_order_of_values(counts, random):
    turned = counts.copy()
    random.shuffle(turned)
    assert entropy(counts) == entropy(turned)
    assert 0 <= entropy(counts) <= np.log(len(counts)) + 1e-12


def test_entropies_of_the_worked_example():
    assert entropy(bin_counts(np.array([0.0, 0, 0, 2]))) == pytest.approx(
        0.5623351446188083, abs=1e-15
    )
    assert entropy(bin_counts(np.array([0.0, 3, 6, 9]))) == pytest.approx(
        1.3862943611198906, abs=1e-15
    )


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=30))
def test_every_value_falls_in_one_bin(values):
    counts = bin_counts(np.array([*values, np.nan]))
    assert counts.sum() == len(values) + 1
    assert counts[-1] == 1


def test_bins_are_those_of_numpy():
    values = np.arange(1.0, 11.0)
    assert bin_counts(values)[:10].tolist() == np.histogram(values, bins=10)[0].tolist()


def test_neighbouring_floats_are_told_apart():
    values = np.array([1.0, np.nextafter(1.0, 2)])
    assert bin_counts(values).tolist() == [1, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0]


def test_a_constant_or_missing_column_has_no_entropy():
    assert entropy(bin_counts(np.array([7.0, 7, 7]))) == 0
    assert entropy(bin_counts(np.array([np.nan, np.nan]))) == 0
    assert entropy(bin_counts(np.array([7.0, np.nan]))) == pytest.approx(np.log(2))
