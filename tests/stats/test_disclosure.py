import numpy as np
import pytest

from privgate.stats.disclosure import (
    ErrorMeasure,
    ScoreMode,
    class_reference,
    class_score,
    conditional_ratio,
    exceeds,
    normalised_cross_entropy,
    normalised_gain,
    prediction_error,
    resampled_class_shares,
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


def test_ratio_is_to_the_mean_of_the_own_class():
    guess, classes = np.array([0.9, 0.6, 0.3, 0.2, 0.0, 0.0]), np.array([0, 0, 0, 1, 1, 2])
    mean = class_reference(ScoreMode.CONDITIONAL_RATIO, guess, classes, class_count=4)
    assert mean == pytest.approx([0.6, 0.1, 0, 0])
    ratio = class_score(ScoreMode.CONDITIONAL_RATIO, guess, mean[classes])
    assert ratio == pytest.approx([1.5, 1, 0.5, 2, 0, -np.inf])
    assert exceeds(ratio, 1.25).tolist() == [True, False, False, True, False, False]


def test_ratio_exactly_on_the_cut_is_not_at_risk():
    assert not exceeds(conditional_ratio(np.array([0.5]), np.array([0.4])), 1.25).any()


def test_cross_entropy_counts_the_classes_that_occur():
    guess = np.array([1.0, 0.5, 2**-0.4, 0.76, 0.0])
    classes = np.array([0, 0, 3, 3, 3])
    count = class_reference(ScoreMode.NCE, guess, classes, class_count=5)
    assert count.tolist() == [2.0] * 5
    score = class_score(ScoreMode.NCE, guess, count[classes])
    assert score == pytest.approx([1, 0, 0.6, 0.604071323669, -32.219280948874])
    assert exceeds(score, 0.6).tolist() == [True, False, False, True, False]
    assert normalised_cross_entropy(np.array([1 / 9]), 3).tolist() == pytest.approx([-1])


def counted_one_by_one(guess, classes, mode, cut, drawn):
    """The definition, one bootstrap sample after the other."""
    shares = []
    for people in drawn:
        own, kind = guess[people], classes[people]
        hits = 0
        for g, k in zip(own, kind, strict=True):
            base, mean = (kind == k).mean(), own[kind == k].mean()
            score = {
                "gain": (g - base) / (1 - base) if base < 1 else -np.inf,
                "conditional_ratio": g / mean,
                "nce": 1 + np.log(g) / np.log(len(np.unique(classes))),
            }[mode]
            hits += score > cut + 1e-12
        shares.append(hits / len(people))
    return shares


@pytest.mark.parametrize(
    ("mode", "cut"), [("gain", 0.3), ("conditional_ratio", 1.25), ("nce", 0.6)]
)
def test_bootstrap_takes_the_reference_anew_in_each_sample(mode, cut):
    rng = np.random.default_rng(2)
    classes, guess = rng.integers(0, 3, 40), rng.random(40)
    drawn = np.random.default_rng(9).integers(40, size=(30, 40))
    found = resampled_class_shares(
        [guess, guess**2],
        classes,
        mode=ScoreMode(mode),
        threshold=cut,
        replicates=30,
        rng=np.random.default_rng(9),
    )
    assert found.shape == (30, 2)
    for attacker, own in enumerate((guess, guess**2)):
        expected = counted_one_by_one(own, classes, mode, cut, drawn)
        assert found[:, attacker] == pytest.approx(expected)


def test_bootstrap_does_not_depend_on_how_many_samples_are_held_at_once(monkeypatch):
    rng = np.random.default_rng(2)
    classes, guess = rng.integers(0, 3, 50), rng.random(50)

    def shares():
        how = {"mode": ScoreMode.GAIN, "threshold": 0.3, "replicates": 20}
        return resampled_class_shares([guess], classes, **how, rng=np.random.default_rng(1))

    together = shares()
    monkeypatch.setattr("privgate.stats.disclosure._BLOCK", 150)
    assert np.array_equal(shares(), together)


def test_bootstrap_of_gains_spreads_like_the_binomial():
    rng = np.random.default_rng(5)
    classes = rng.integers(0, 2, 2000)
    guess = rng.random(2000)
    shares = resampled_class_shares(
        [guess], classes, mode=ScoreMode.GAIN, threshold=0.3, replicates=400, rng=rng
    )
    base = np.bincount(classes) / 2000
    point = exceeds(normalised_gain(guess, base[classes]), 0.3).mean()
    assert shares.mean() == pytest.approx(point, abs=0.005)
    assert shares.std() == pytest.approx(np.sqrt(point * (1 - point) / 2000), rel=0.2)


def test_all_attackers_face_the_same_resampled_people():
    rng = np.random.default_rng(5)
    hit = rng.random(500) < 0.4
    shares = resampled_hit_shares([hit, ~hit], replicates=300, rng=rng)
    assert shares.sum(axis=1) == pytest.approx(np.ones(300))
    assert shares[:, 0].mean() == pytest.approx(hit.mean(), abs=0.01)
    assert shares[:, 0].std() == pytest.approx(np.sqrt(0.24 / 500), rel=0.2)
