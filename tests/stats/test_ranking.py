import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm
from sklearn.metrics import roc_auc_score

from privgate.stats.ranking import auc, called, placements, recall_at, recall_estimate

scores = st.lists(st.integers(-4, 4).map(float), min_size=2, max_size=30).map(np.array)
shares = st.floats(0.01, 0.99)


def area(members, others, level=0.95):
    return auc(*placements(members, others), level=level)


@given(scores, scores)
def test_the_area_is_that_of_scikit_learn_and_its_mirror_image(members, others):
    labels = np.repeat([1, 0], [len(members), len(others)])
    found = area(members, others)
    expected = roc_auc_score(labels, np.concatenate([members, others]))
    assert found.value == pytest.approx(expected, abs=1e-12)
    assert found.value == pytest.approx(1 - area(others, members).value, abs=1e-12)
    assert 0 <= found.low <= found.value <= found.high <= 1


def test_infinite_scores_rank_first():
    assert area(np.array([np.inf, np.inf]), np.array([1.0, 0.0])).value == 1
    assert recall_at(np.array([np.inf, 0.0]), np.array([1.0, 2.0]), false_alarms=0.0) == 0.5


def test_the_variance_is_delongs():
    rng = np.random.default_rng(1)
    members, others = rng.normal(0.5, 1, 70), rng.normal(0, 1, 50)
    wins = (members[:, None] > others[None, :]).astype(float)
    variance = wins.mean(axis=1).var(ddof=1) / 70 + wins.mean(axis=0).var(ddof=1) / 50
    value = wins.mean()
    throws = int(value * (1 - value) / variance)
    found = area(members, others)
    spread = np.sqrt(value * (1 - value) / throws + 1.959963984540054**2 / (4 * throws**2))
    width = 2 * 1.959963984540054 * spread / (1 + 1.959963984540054**2 / throws)
    assert found.high - found.low == pytest.approx(width, rel=1e-9)


@pytest.mark.parametrize("shift", [0.0, 1.0, 2.5])
@pytest.mark.parametrize(("n", "m"), [(30, 30), (400, 60)])
def test_the_interval_of_the_area_covers_the_truth(shift, n, m):
    rng = np.random.default_rng(2)
    truth, covered = norm.cdf(shift / np.sqrt(2)), 0
    for _ in range(600):
        found = area(rng.normal(shift, 1, n), rng.normal(0, 1, m))
        covered += found.low <= truth <= found.high
    assert covered / 600 > 0.93


def test_scores_that_say_nothing_keep_the_uncertainty_of_few_people():
    found = area(np.zeros(20), np.zeros(20))
    assert found.value == 0.5
    assert found.high > 0.6


def test_repeated_questions_widen_the_interval():
    rng = np.random.default_rng(3)
    placed = placements(rng.normal(size=200), rng.normal(size=200))
    once, counted = auc(*placed, level=0.95), auc(*placed, level=0.95, sizes=(50, 50))
    assert counted.value == once.value
    assert counted.high - counted.low > 1.8 * (once.high - once.low)


@given(scores, scores, shares, shares)
def test_more_false_alarms_never_find_fewer(members, others, one, two):
    fewer, more = sorted([one, two])
    low = recall_at(members, others, false_alarms=fewer)
    high = recall_at(members, others, false_alarms=more)
    assert 0 <= low <= high + 1e-12 <= 1 + 1e-9
    assert recall_at(others, others, false_alarms=one) == pytest.approx(one, abs=1e-9)


def test_a_recall_that_too_few_people_can_speak_about_is_unknown():
    few = recall_estimate(np.arange(500.0), np.arange(999.0), false_alarms=0.001, level=0.95)
    assert few.value is None
    assert "999 people" in few.reason
    assert "needs 1000" in few.reason
    enough = recall_estimate(np.arange(500.0), np.arange(1000.0), false_alarms=0.001, level=0.95)
    assert enough.value == 0


@pytest.mark.parametrize("shift", [0.0, 1.0])
@pytest.mark.parametrize(("rate", "m"), [(0.01, 100), (0.01, 400), (0.001, 1000)])
def test_the_interval_of_the_recall_covers_the_truth(shift, rate, m):
    rng = np.random.default_rng(4)
    truth, below, above = norm.sf(norm.isf(rate) - shift), 0, 0
    for _ in range(600):
        found = recall_estimate(
            rng.normal(shift, 1, 800), rng.normal(0, 1, m), false_alarms=rate, level=0.95
        )
        below += found.high < truth
        above += found.low > truth
    assert below / 600 < 0.04, "the unfavourable end is the one that a policy judges"
    assert above / 600 < 0.04


@given(scores, scores, shares)
def test_the_share_called_is_the_share_asked_for(members, others, share):
    hits, alarms = called(members, others, share=share)
    assert share * hits.mean() + (1 - share) * alarms.mean() == pytest.approx(share, abs=1e-9)
    assert np.concatenate([hits, alarms]).min() >= 0
    assert np.concatenate([hits, alarms]).max() <= 1
    best = max(members.max(), others.max())
    assert np.all(np.concatenate([hits[members == best], alarms[others == best]]) > 0)
