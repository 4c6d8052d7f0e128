"""A statistic beside its law under random relabellings."""

import numpy as np
import pytest

from privgate.evidence import SafeSide
from privgate.metrics.relabelling import calibrated

TRAIN = np.arange(20) < 10
RISING = np.arange(20.0)


def judged(side, permutations=199):
    return calibrated(
        lambda mask: float(RISING[mask].mean()),
        TRAIN,
        safe_side=side,
        permutations=permutations,
        rng=np.random.default_rng(1),
    )


def test_the_unsafe_end_is_that_of_the_safe_side():
    low_is_bad, law = judged(SafeSide.HIGH)
    assert low_is_bad.value == 1 / 200, "train has the lowest mean there is"
    assert law["limit that 95 % of random relabellings keep"] < 9.5
    high_is_bad, law = judged(SafeSide.LOW)
    assert high_is_bad.value == 1
    assert law["limit that 95 % of random relabellings keep"] > 9.5
    assert law["mean under random relabelling"] == pytest.approx(9.5, abs=0.4)


def test_equal_statistics_count_as_equal_in_spite_of_rounding():
    noise = iter(np.random.default_rng(2).normal(0, 1e-13, 400))
    found, _ = calibrated(
        lambda _: 0.1 + next(noise),
        TRAIN,
        safe_side=SafeSide.LOW,
        permutations=99,
        rng=np.random.default_rng(1),
    )
    assert found.value == 1


def test_no_permutations_no_law():
    found, law = judged(SafeSide.LOW, permutations=0)
    assert found.value is None
    assert law == {}
