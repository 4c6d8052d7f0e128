import numpy as np
import pytest

from privgate.stats.disclosure import (
    ErrorMeasure,
    exceeds,
    normalised_gain,
    prediction_error,
    resampled_gain_shares,
    resampled_hit_shares,
)
from privgate.stats.intervals import clopper_pearson, wilson


def test_gain_of_the_papers_example():
    gain = normalised_gain(np.array([0.70, 0.85, 0.55]), np.full(3, 0.6))
    assert gain == pytest.approx([0.25, 0.625, -0.125], abs=1e-12)
    assert exceeds(gain, 0.3).tolist() == [False, True, False]


def test_ten_people_three_of_whom_sit_exactly_on_tau():
    base = np.repeat([0.6, 0.3, 0.1], [6, 3, 1])
    guess = np.array([0.9, 0.72, 0.6, 0.55, 0.99, 0.3, 0.51, 0.52, 0.1, 0.37])
    gain = normalised_gain(guess, base)
    expected = [0.75, 0.3, 0, -0.125, 0.975, -0.75, 0.3, 0.314285714286, -0.285714285714, 0.3]
    assert gain == pytest.approx(expected, abs=1e-12)
    hit = exceeds(gain, 0.3)
    assert np.flatnonzero(hit).tolist() == [0, 4, 7]
    score, exact = wilson(3, 10, level=0.95), clopper_pearson(3, 10, level=0.95)
    assert (score.low, score.high) == pytest.approx((0.107791267406, 0.603221852539), abs=1e-12)
    assert (exact.low, exact.high) == pytest.approx((0.066739511178, 0.652452850060), abs=1e-12)


PAPER_TRUTH, PAPER_GUESS = np.array([5e4, 3.5e4, 8e4]), np.array([4.7e4, 3.9e4, 9e4])
ZERO_TRUTH, ZERO_GUESS = np.array([0, 0, 1, -2, 100.0]), np.array([0, 0.0005, 1.04, -2.3, 0])


@pytest.mark.parametrize(
    ("measure", "truth", "guess", "expected", "at_risk"),
    [
        ("relative", PAPER_TRUTH, PAPER_GUESS, [0.06, 0.1142857142857, 0.125], 1),
        (
            "stabilised_relative",
            PAPER_TRUTH,
            PAPER_GUESS,
            [0.0599999880000, 0.1142856816327, 0.1249999843750],
            1,
        ),
        (
            "symmetric",
            PAPER_TRUTH,
            PAPER_GUESS,
            [0.0618556573493, 0.1081080788897, 0.1176470449827],
            1,
        ),
        (
            "stabilised_relative",
            ZERO_TRUTH,
            ZERO_GUESS,
            [0, 0.05, 0.0396039603960, 0.1492537313433, 0.9999000099990],
            3,
        ),
        (
            "symmetric",
            ZERO_TRUTH,
            ZERO_GUESS,
            [0, 0.0487804878049, 0.0388349514563, 0.1388888888889, 1.9996000799840],
            3,
        ),
        ("absolute", ZERO_TRUTH, ZERO_GUESS, [0, 0.0005, 0.04, 0.3, 100], 3),
    ],
)
def test_errors_of_numeric_guesses(measure, truth, guess, expected, at_risk):
    error = prediction_error(truth, guess, measure=ErrorMeasure(measure), delta=0.01)
    assert error == pytest.approx(expected, abs=1e-12)
    assert int((error < 0.1).sum()) == at_risk


def test_normalised_error_is_in_units_of_the_spread():
    error = prediction_error(ZERO_TRUTH, ZERO_GUESS, measure=ErrorMeasure.NORMALISED, spread=2.0)
    assert error.tolist() == pytest.approx([0, 0.00025, 0.02, 0.15, 50])


def test_relative_error_of_zero_is_refused():
    with pytest.raises(ValueError, match="true value of 0"):
        prediction_error(ZERO_TRUTH, ZERO_GUESS, measure=ErrorMeasure.RELATIVE)


def test_nothing_can_be_gained_where_everyone_has_the_class():
    assert normalised_gain(np.array([1.0]), np.array([1.0])).tolist() == [-np.inf]


def test_bootstrap_of_gains_spreads_like_the_binomial():
    rng = np.random.default_rng(5)
    classes = rng.integers(0, 2, 2000)
    guess = rng.random(2000)
    shares = resampled_gain_shares(guess, classes, tau=0.3, replicates=400, rng=rng)
    base = np.bincount(classes) / 2000
    point = exceeds(normalised_gain(guess, base[classes]), 0.3).mean()
    assert shares.mean() == pytest.approx(point, abs=0.005)
    assert shares.std() == pytest.approx(np.sqrt(point * (1 - point) / 2000), rel=0.2)
    hits = resampled_hit_shares(guess > 0.5, replicates=400, rng=rng)
    assert hits.mean() == pytest.approx((guess > 0.5).mean(), abs=0.005)
