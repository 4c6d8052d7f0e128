import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from privgate.stats.medians import median_ends


@given(st.integers(1, 400), st.sampled_from([0.8, 0.9, 0.95, 0.975, 0.99]))
def test_coverage_is_at_least_the_level_and_not_by_more_than_a_rank(n, level):
    low, _ = median_ends(np.arange(1.0, n + 1), level=level)
    rank = 0 if math.isinf(low) else int(low)
    below = [sum(math.comb(n, x) for x in range(k)) / 2**n for k in (rank, rank + 1)]
    assert below[0] <= (1 - level) / 2 * (1 + 1e-9)
    assert below[1] > (1 - level) / 2 * (1 - 1e-9)


@given(st.lists(st.integers(-3, 3), min_size=1, max_size=40))
def test_the_median_lies_between_the_ends(values):
    low, high = median_ends(np.array(values, float), level=0.9)
    assert low <= np.median(values) <= high


def test_known_medians_are_covered_about_as_often_as_stated():
    drawn = np.random.default_rng(1).exponential(size=(2000, 51))
    held = [low <= math.log(2) <= high for low, high in (median_ends(r, level=0.9) for r in drawn)]
    assert np.mean(held) == pytest.approx(0.92, abs=0.03)
