"""RAPID on releases with published figures (Templ, Thees and Mueller 2026, arXiv 2602.09235)."""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from privgate.data import release_from_frames
from privgate.executors import Threads
from privgate.learners import Attacker
from privgate.metrics.at_risk import ClassSecret
from privgate.metrics.attacks.rapid import RapidParams, rapid
from privgate.metrics.inputs import Inputs
from privgate.metrics.predictions import class_task
from privgate.metrics.refits import refitted_shares
from privgate.stats.disclosure import ScoreMode

REPRODUCE = Path(__file__).parents[2] / "examples" / "reproduce"
REPLICATES = 4
KAPPAS = (0, 5, 10)


@pytest.fixture(scope="module")
def scripts():
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(REPRODUCE))
        names = ("simulation", "cart_synthesis", "published")
        yield SimpleNamespace(**{name: import_module(name) for name in names})
        for name in names:
            sys.modules.pop(name)


def simulated(scripts, kappa, replicate):
    rng = np.random.default_rng([7, replicate])
    train, holdout = (scripts.simulation.simulated_people(1000, kappa, rng) for _ in range(2))
    return Inputs(
        release=release_from_frames(
            train=train,
            holdout=holdout,
            synthetic=scripts.cart_synthesis.synthesised(train, rng),
            columns=scripts.simulation.COLUMNS,
        )
    )


def curve(part, taus):
    chart = part.charts[0]
    return [chart.series[0].y[chart.x.index(tau)] for tau in taus]


@pytest.fixture(scope="module")
def studied(scripts):
    """Mean curve, gap and level of the permuted refits, by kappa."""
    params = RapidParams(attackers=["random_forest"], bootstrap=50)
    found = {}
    for kappa in KAPPAS:
        parts = [
            rapid.measure(simulated(scripts, kappa, place), params, np.random.default_rng(place))
            for place in range(REPLICATES)
        ]
        own = [found.parts[0] for found in parts]
        inputs = simulated(scripts, kappa, 0)
        (column,) = (c for c in inputs.release.columns if c.name == "disease")
        secret = ClassSecret(class_task(inputs, column), ScoreMode.GAIN, 0.3)
        null = refitted_shares(
            secret, [Attacker.RANDOM_FOREST], refits=5, rng=np.random.default_rng(1)
        )
        found[kappa] = SimpleNamespace(
            curve=np.mean([curve(part, scripts.published.RAPID_TAUS) for part in own], axis=0),
            gap=np.mean([part.figures["gap"].value for part in own]),
            null=np.mean(null),
        )
    return found


@pytest.mark.slow
def test_published_shares_are_met(scripts, studied):
    for kappa in KAPPAS:
        published = scripts.published.RAPID_SIMULATION[kappa]
        band = 0.05 if kappa == 0 else 0.03
        assert studied[kappa].curve == pytest.approx(published, abs=band), kappa


@pytest.mark.slow
def test_more_dependence_puts_more_and_higher_thresholds_put_fewer_at_risk(studied):
    curves = np.array([studied[kappa].curve for kappa in sorted(studied)])
    assert (np.diff(curves, axis=0) > 0).all()
    assert (np.diff(curves, axis=1) < 0).all()


@pytest.mark.slow
def test_refits_on_permuted_secrets_come_to_one_level_whatever_the_dependence(studied):
    for own in studied.values():
        assert 0.08 < own.null < 0.18


@pytest.mark.slow
def test_memorised_people_open_a_gap_where_nothing_else_can_be_learned(studied):
    assert 0.04 < studied[0].gap < 0.15
    assert studied[10].gap < 0.04


def test_simulated_people_depend_on_each_other_as_asked(scripts):
    free, bound = (
        scripts.simulation.simulated_people(4000, kappa, np.random.default_rng(3))
        for kappa in (0, 50)
    )
    for people in (free, bound):
        assert people["age"].between(18, 90).all()
        assert people["health"].between(0, 100).all()
        assert set(people["education"]) == {0, 1, 2}
        assert list(people.columns) == list(scripts.simulation.COLUMNS)
    assert free["disease"].value_counts(normalize=True)["healthy"] == pytest.approx(
        1 / (1 + np.exp(-1.5) + np.exp(-1.3)), abs=0.03
    )
    numbers = ["age", "education", "income", "health"]
    off_diagonal = free[numbers].corr().to_numpy()[~np.eye(4, dtype=bool)]
    assert np.abs(off_diagonal).max() < 0.06
    assert bound["age"].corr(bound["health"]) < -0.3


def test_a_synthetic_record_takes_values_of_people_in_its_leaf(scripts):
    train = pd.DataFrame(
        {
            "group": np.repeat(["a", "b"], 40),
            "number": np.repeat([1.0, 2.0], 40),
            "kind": np.repeat(["x", None], 40),
        }
    )
    made = scripts.cart_synthesis.synthesised(train, np.random.default_rng(0), rows=300)
    assert len(made) == 300
    assert set(made["group"]) == {"a", "b"}
    assert (made["number"] == made["group"].map({"a": 1.0, "b": 2.0})).all()
    assert (made["kind"].isna() == (made["group"] == "b")).all()
    again = scripts.cart_synthesis.synthesised(train, np.random.default_rng(0), rows=300)
    pd.testing.assert_frame_equal(made, again)


@pytest.fixture(scope="module")
def adult(shared, scripts):
    """A release of 4,000 of the people of UCI Adult, and as many others as holdout."""
    people = pd.read_csv(shared / "data" / "adult" / "adult.csv.xz", na_values="?")
    people = people.drop(columns=["fnlwgt", "education"]).sample(8000, random_state=11)
    train, holdout = people.iloc[:4000], people.iloc[4000:]
    kinds = {
        name: "numeric" if pd.api.types.is_numeric_dtype(people[name]) else "categorical"
        for name in people
    }
    columns = {
        name: {"type": kind, "role": "sensitive" if name == "income" else "quasi_identifier"}
        for name, kind in kinds.items()
    }
    synthetic = scripts.cart_synthesis.synthesised(train, np.random.default_rng(5))
    return release_from_frames(train=train, holdout=holdout, synthetic=synthetic, columns=columns)


@pytest.mark.slow
def test_adult_comes_close_to_the_published_study(scripts, adult):
    params = RapidParams(null_refits=20, bootstrap=200)
    part = rapid.measure(
        Inputs(release=adult, executor=Threads(2)), params, np.random.default_rng(1)
    ).parts[0]
    figures = part.figures
    assert 0.64 <= figures["fraction"].value <= 0.81
    published = {tau: at for tau, at in scripts.published.ADULT_CURVE.items() if 0.1 <= tau <= 0.9}
    assert curve(part, published) == pytest.approx(list(published.values()), abs=0.1)
    assert figures["null_mean"].value == pytest.approx(0.17, abs=0.05)
    assert figures["gap"].value == pytest.approx(0.02, abs=0.05)
    assert figures["accuracy"].value == pytest.approx(0.873, abs=0.05)
    most, fewer = part.diagnostics["share at risk by class"]
    assert most["train"] == pytest.approx(0.755, abs=0.05)
    assert fewer["train"] < most["train"]
