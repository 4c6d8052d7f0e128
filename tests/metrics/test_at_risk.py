from dataclasses import dataclass

import numpy as np
import pytest

from privgate.errors import NotAssessable
from privgate.learners import Attacker
from privgate.metrics.at_risk import ClassSecret
from privgate.metrics.attackers_compared import (
    attacker_figures,
    class_figures,
    strongest_of,
)
from privgate.metrics.predictions import ClassGuesses
from privgate.metrics.refits import null_figures
from privgate.stats.disclosure import ScoreMode
from privgate.stats.intervals import clopper_pearson

TRUTH = np.repeat([0, 1, 2], [6, 3, 1])
CERTAIN = np.array([0.9, 0.72, 0.6, 0.55, 0.99, 0.3, 0.51, 0.52, 0.1, 0.37])


@dataclass(frozen=True)
class Fixed:
    """A task whose attackers give the probabilities they are told to."""

    given: dict
    truth: dict
    class_count: int = 3

    def guesses(self, attacker, *, seed, jobs=1, order=None):
        del seed, jobs, order
        own = self.given[attacker]
        return ClassGuesses(own, {name: guess > 0.5 for name, guess in own.items()})


def secret(given, *, holdout=None, mode=ScoreMode.GAIN, threshold=0.3):
    truth = {"train": TRUTH} | ({} if holdout is None else {"holdout": holdout})
    return ClassSecret(Fixed(given, truth), mode, threshold)


def attacked(own):
    return {attacker: own.attack(attacker, seed=0) for attacker in own.task.given}


def figures(own, *, rng=0):
    return attacker_figures(
        own, attacked(own), level=0.95, bootstrap=200, rng=np.random.default_rng(rng)
    )


def test_ten_people_three_of_whom_are_at_risk():
    own = secret({Attacker.CART: {"train": CERTAIN}})
    attack = own.attack(Attacker.CART, seed=0)
    assert np.flatnonzero(own.at_risk(attack, "train")).tolist() == [0, 4, 7]
    found = figures(own)
    assert found["fraction"].value == 0.3
    assert (found["fraction"].low, found["fraction"].high) == pytest.approx(
        (0.066739511178, 0.652452850060), abs=1e-12
    )
    assert found["n_at_risk"].value == 3
    assert found["gap"].value is None


def test_holdout_people_are_cut_at_the_shares_of_train():
    own = secret(
        {Attacker.CART: {"train": CERTAIN, "holdout": np.array([0.5, 0.5, 0.5])}},
        holdout=np.array([0, 1, 2]),
    )
    attack = own.attack(Attacker.CART, seed=0)
    # Cuts 0.72, 0.51 and 0.37; the holdout's own shares would cut all three at 0.533.
    assert own.at_risk(attack, "holdout").tolist() == [False, False, True]
    assert figures(own)["gap"].value == pytest.approx(3 / 10 - 1 / 3)


def test_mean_and_maximum_over_attackers():
    own = secret(
        {
            Attacker.CART: {"train": CERTAIN},
            Attacker.LIGHTGBM: {"train": np.zeros(10)},
            Attacker.LOGISTIC: {"train": np.where(TRUTH == 0, 1.0, CERTAIN)},
        }
    )
    assert strongest_of(own, attacked(own)) is Attacker.LOGISTIC
    found = figures(own)
    assert found["fraction"].value == found["max_over_attackers"].value == 0.7
    assert found["max_over_attackers"].level == pytest.approx(1 - 0.05 / 3)
    assert found["max_over_attackers"].high == clopper_pearson(7, 10, level=1 - 0.05 / 3).high
    assert found["mean_over_attackers"].value == pytest.approx((0.3 + 0 + 0.7) / 3)
    assert found["mean_over_attackers"].low < 1 / 3 < found["mean_over_attackers"].high


def test_nobody_at_risk_in_every_resample_proves_no_zero():
    found = figures(secret({Attacker.CART: {"train": np.zeros(10)}}))
    for name in ("fraction_bootstrap", "mean_over_attackers"):
        assert found[name].value == 0
        assert found[name].high == pytest.approx(0.2775, abs=1e-4)  # Wilson, 0 of 10


def test_worst_class_is_the_one_whose_interval_reaches_highest():
    own = secret({Attacker.CART: {"train": CERTAIN}})
    attack = own.attack(Attacker.CART, seed=0)
    found, listed = class_figures(own, attack, fewest=3, level=0.95)
    worst = found["worst_class_fraction"]
    # 2 of 6 and 1 of 3 are the same share, but three people say less.
    assert (worst.value, worst.n, worst.level) == (pytest.approx(1 / 3), 3, 0.975)
    assert listed == {"share at risk by class": []}  # fewer than 11 people each
    found, _ = class_figures(own, attack, fewest=7, level=0.95)
    assert found["worst_class_fraction"].value is None


def test_ratio_of_a_class_that_is_guessed_throughout_is_not_assessed():
    how = {"mode": ScoreMode.CONDITIONAL_RATIO, "threshold": 1.25}
    sure = secret({Attacker.CART: {"train": np.where(TRUTH == 0, 0.8, CERTAIN)}}, **how)
    with pytest.raises(NotAssessable, match="use the score 'gain'"):
        sure.attack(Attacker.CART, seed=0)
    less = secret({Attacker.CART: {"train": np.where(TRUTH == 2, 0.5, CERTAIN)}}, **how)
    attack = less.attack(Attacker.CART, seed=0)
    # Means 4.06/6, 1.13/3 and 0.5, so cuts 0.846, 0.471 and 0.625.
    assert np.flatnonzero(less.at_risk(attack, "train")).tolist() == [0, 4, 6, 7]


def test_null_figures_of_twenty_refits():
    observed = clopper_pearson(60, 200, level=0.95)
    shares = [0.2] * 17 + [0.25, 0.3, 0.35]
    found = null_figures(observed, shares, level=0.95)
    assert found["null_mean"].value == pytest.approx(4.3 / 20)
    assert found["null_q95"].value == 0.3  # 19 of 20 refits do not exceed it
    assert found["null_p"].value == 3 / 21
    excess = found["excess_over_null"]
    assert excess.value == pytest.approx(0.3 - 4.3 / 20)
    assert excess.high == pytest.approx(
        excess.value
        + np.hypot(observed.high - 0.3, found["null_mean"].value - found["null_mean"].low)
    )


@pytest.mark.parametrize(("refits", "words"), [(0, "no refits"), (19, "only 19 refits")])
def test_a_null_of_few_refits_is_unknown(refits, words):
    found = null_figures(clopper_pearson(6, 20, level=0.95), [0.1] * refits, level=0.95)
    assert {figure.value for figure in found.values()} == {None}
    assert all(words in figure.reason for figure in found.values())
