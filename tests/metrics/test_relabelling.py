"""A statistic beside its law under random relabellings."""

import numpy as np
import pytest

from privgate.evidence import SafeSide
from privgate.executors import Threads
from privgate.metrics.relabelling import (
    calibrated,
    least_p_value,
    permutation_p_value,
    relabelled,
)

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


def test_worked_example_of_the_lowest_of_two_statistics():
    # Standardised over all three labellings: (-1.22, 0, 1.22) and (0, 1.22, -1.22); lowest of each
    # labelling -1.22, 0, -1.22. One relabelling of two is as low as the true labelling.
    observed, null = np.array([-1.0, 5.0]), np.array([[0.0, 6.0], [1.0, 4.0]])
    assert least_p_value(observed, null).value == pytest.approx(2 / 3)


def test_a_statistic_that_never_varies_says_nothing():
    null = np.zeros((19, 1))
    assert least_p_value(np.zeros(1), null).value == 1
    both = np.column_stack([np.zeros(19), np.arange(19.0)])
    assert least_p_value(np.array([0.0, -1.0]), both).value == 0.05


def test_honest_statistics_are_rejected_as_often_as_stated():
    draw = np.random.default_rng(0)
    found = []
    for _ in range(1000):
        common = draw.normal(size=(20, 1))  # groups of one release are not independent
        values = (common + draw.normal(size=(20, 5))) * [1, 2, 5, 10, 100]
        found.append(least_p_value(values[0], values[1:]).value)
    # 1000 draws at 10 %: 4.2 standard deviations
    assert np.mean(np.array(found) <= 0.1) == pytest.approx(0.1, abs=0.04)


def test_one_low_group_among_many_is_seen():
    draw = np.random.default_rng(1)
    null = draw.normal(size=(99, 8))
    assert least_p_value(np.array([0, 0, 0, -6.0, 0, 0, 0, 0]), null).value == 0.01


def test_without_relabellings_nothing_is_stated():
    assert "no permutations" in least_p_value(np.zeros(2), np.empty((0, 2))).reason
    assert "no permutations" in permutation_p_value([]).reason


def test_threads_do_not_change_the_order_of_the_answers():
    labels = np.arange(50) < 20
    answers = [
        relabelled(
            lambda mask: mask.nonzero()[0].tolist(),
            labels,
            permutations=30,
            rng=np.random.default_rng(3),
            executor=Threads(jobs),
        )
        for jobs in (1, 4)
    ]
    assert answers[0] == answers[1]
    assert all(len(chosen) == 20 for chosen in answers[0])
