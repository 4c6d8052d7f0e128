import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from privgate.stats.extremes import Family, TailLaw
from privgate.stats.leaks import leak_scores

WEIBULL = TailLaw(Family.WEIBULL, -10.0, 5.0)
TO_TRAIN, TO_HOLDOUT = np.array([2, 5, 6, 8, 3.0]), np.array([7, 6.5, 7.5, 6, 8.5])


def test_worked_example_of_the_scores():
    scores = leak_scores(TO_TRAIN, TO_HOLDOUT, WEIBULL)
    assert scores.rank_score == pytest.approx(
        [-1.8909807209, -1.5580359368, -1.1755827867, -0.4744834228, -2.6181185715], abs=1e-10
    )
    assert scores.decimated == pytest.approx(
        [-1.8909807209, -0.1261215468, 0.0267072395, 0.0768722076, -1.2072802058], abs=1e-10
    )
    assert scores.decimated.mean() == pytest.approx(-0.6241606053, abs=1e-10)
    assert scores.point == pytest.approx(
        [-2.5654494179, -0.4907831552, -0.3458147190, 0.4153924334, -1.8975516959], abs=1e-10
    )
    assert scores.loss == pytest.approx(-1.5434402877, abs=1e-10)
    assert (scores.leaks(-3.0), scores.leaks(-1.0)) == (0, 4)


def test_a_holdout_half_as_large_halves_the_hazard():
    scores = leak_scores(TO_TRAIN, TO_HOLDOUT, WEIBULL, factors=(1, 0.5))
    assert scores.rank_score == pytest.approx(
        [-1.4111586850, -1.2423165263, -0.5267915027, -0.3241211357, -1.9420787176], abs=1e-10
    )
    scaled = leak_scores(TO_TRAIN, TO_HOLDOUT * 0.5 ** (1 / 5), WEIBULL)
    assert scaled.rank_score == pytest.approx(scores.rank_score, abs=1e-10)


@pytest.mark.parametrize("family", list(Family))
def test_a_copy_is_always_flagged_whatever_the_family(family):
    law = TailLaw(family, -8.0, 1.2)
    scores = leak_scores(np.array([0.0, 5, 6, 7]), np.array([5.0, 5, 6, 7]), law)
    assert scores.decimated[0] < -250
    assert scores.point[0] < -250
    assert scores.rank_score[0] < -250


def test_a_record_equal_to_rows_of_both_sides_is_no_leak():
    scores = leak_scores(np.array([0.0, 5]), np.array([0.0, 5]), WEIBULL)
    assert scores.rank_score[0] == scores.decimated[0] == scores.point[0] == 0


def test_worked_example_of_both_sides():
    scores = leak_scores(TO_TRAIN, TO_HOLDOUT, WEIBULL)
    assert scores.train.rank.tolist() == [1, 3, 4, 5, 2]
    assert scores.holdout.rank.tolist() == [3, 2, 4, 1, 5]
    assert scores.train.rank_score == pytest.approx(
        [-2.1404012367, -1.7260097389, -1.5254298200, -0.5560133681, -2.9290198477], abs=1e-10
    )
    assert scores.holdout.rank_score == pytest.approx(
        [-0.2494205158, -0.1679738021, -0.3498470334, -0.0815299453, -0.3109012762], abs=1e-10
    )
    assert scores.holdout.probability == pytest.approx(
        [0.5337515440, 0.4094914291, 0.6595073074, 0.2974437809, 0.8666021153], abs=1e-10
    )
    assert scores.train.decimated_score == pytest.approx(
        [-2.1404012367, -0.2940953489, -0.0815299453, -0.0046577377, -1.2702915229], abs=1e-10
    )


def test_ranks_one_too_high_reproduce_the_code():
    scores = leak_scores(TO_TRAIN, TO_HOLDOUT, WEIBULL, late_rank=True)
    assert scores.decimated == pytest.approx(
        [-4.0439622401, -0.3995228936, 0.0187107759, 0.2950441228, -2.6181185715], abs=1e-10
    )
    assert scores.rank_score == pytest.approx(
        leak_scores(TO_TRAIN, TO_HOLDOUT, WEIBULL).rank_score, abs=0
    )


def test_leaks_by_counting():
    # M F of the sorted distances: train .0, .1, .7, 1.5, 3.9; holdout 1.5, 2.0, 2.7, 3.3, 4.3
    scores = leak_scores(TO_TRAIN, TO_HOLDOUT, WEIBULL)
    assert scores.train.expected.tolist() == [0, 0, 0, 1, 3]
    assert scores.holdout.expected.tolist() == [1, 2, 2, 3, 4]
    assert scores.leaks_up_to.tolist() == [1, 2, 2, 2, 1]
    assert scores.leaks_in_tail(0.2) == 1
    assert scores.leaks_in_tail(1.0) == 2
    assert leak_scores(TO_HOLDOUT, TO_TRAIN, WEIBULL).leaks_in_tail(1.0) == 0


def test_copies_move_the_count_in_the_tail_and_not_the_last_one():
    drawn = np.random.default_rng(3).weibull(5.0, (2, 400)) * np.exp(2)
    clean = leak_scores(drawn[0], drawn[1], WEIBULL)
    copied = drawn[0].copy()
    copied[np.argsort(copied)[100:160]] = 0
    leaky = leak_scores(copied, drawn[1], WEIBULL)
    assert leaky.leaks_up_to[-1] == clean.leaks_up_to[-1]
    assert leaky.leaks_in_tail(0.2) - clean.leaks_in_tail(0.2) > 40


def test_equal_distances_have_equal_ranks_and_scores():
    scores = leak_scores(np.array([2.0, 1, 2, 5]), np.array([2.0, 2, 2, 3]), WEIBULL)
    assert scores.train.rank.tolist() == [3, 1, 3, 4]
    assert scores.holdout.rank.tolist() == [3, 3, 3, 4]
    for values in (scores.rank_score, scores.decimated, scores.point):
        assert values[0] == values[2]


def test_twins_in_train_hide_copies():
    # P(X >= 1) of 4 records, each at distance 0 with probability 0.1: 1 - 0.9^4 = 0.3439
    twins = TailLaw(Family.WEIBULL, -10.0, 5.0, zero_share=0.1)
    scores = leak_scores(np.array([0.0, 0, 5, 6]), np.array([5.0, 6, 5, 6]), twins)
    assert scores.least_decimated == pytest.approx(np.log10(0.3439))
    assert scores.least_point == pytest.approx(-1)
    assert scores.train.decimated_score.min() == pytest.approx(scores.least_decimated)
    plain = leak_scores(np.array([0.0, 5]), np.array([5.0, 5]), WEIBULL)
    assert plain.least_decimated == plain.least_point == -300


distances = st.lists(st.floats(0, 20).map(lambda u: round(u, 1)), min_size=2, max_size=30)


@given(distances, st.randoms(use_true_random=False), st.sampled_from(list(Family)))
def test_scores_are_finite_and_do_not_depend_on_row_order(u, random, family):
    to_train = np.array(u)
    to_holdout = np.array(random.sample(u, len(u)))
    turned = np.array(random.sample(range(len(u)), len(u)))
    law = TailLaw(family, -8.0, 1.2)
    plain = leak_scores(to_train, to_holdout, law)
    other = leak_scores(to_train[turned], to_holdout[turned], law)
    for name in ("rank_score", "decimated", "point"):
        values = getattr(plain, name)
        assert np.isfinite(values).all()
        assert np.array_equal(values[turned], getattr(other, name))
    assert np.array_equal(plain.leaks_up_to, other.leaks_up_to)


@given(
    st.sampled_from(list(Family)),
    st.floats(-60, -4),
    st.floats(0.5, 20),
    st.lists(st.tuples(st.just(0.0) | st.floats(0.5, 9), st.floats(0.5, 9)), min_size=1),
)
def test_a_copy_is_flagged_by_decimated_score_whatever_the_law(family, a, shape, pairs):
    to_train, to_holdout = np.array(pairs).T
    scores = leak_scores(to_train, to_holdout, TailLaw(family, a, shape))
    assert (scores.decimated[to_train == 0] < -3).all()
    assert (scores.point[to_train == 0] < -3).all()
