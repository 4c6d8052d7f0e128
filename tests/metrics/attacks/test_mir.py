import numpy as np
import pandas as pd
import pytest

from privgate.data import RowOrder, load_release, release_from_frames
from privgate.errors import NotAssessable
from privgate.metrics.attacks.mir import MirParams, advantage, mir
from privgate.metrics.inputs import Inputs
from privgate.testing.samples import SURVEY_COLUMNS, encoded, survey

COLUMNS = {name: {"type": "numeric", "role": "other"} for name in "abcd"}


def drawn(rows, seed):
    return pd.DataFrame(np.random.default_rng(seed).normal(size=(rows, 4)), columns=list("abcd"))


def measure(train, synthetic, holdout, columns=COLUMNS, **params):
    release = release_from_frames(
        train=train, synthetic=synthetic, holdout=holdout, columns=columns
    )
    return mir.measure(Inputs(release=release), MirParams(**params), np.random.default_rng(0))


@pytest.mark.parametrize(
    ("tpr", "fpr", "expected"), [(0.8, 0.3, 0.5), (1, 1, 0), (0.2, 0.6, 0), (1, 0, 1)]
)
def test_worked_examples(tpr, fpr, expected):
    assert advantage(tpr, fpr) == pytest.approx(expected, abs=1e-12)


def test_a_copy_of_train_gives_its_people_away_but_not_all():
    train = drawn(200, 1)
    found = measure(train, train, drawn(200, 2), repetitions=10)
    figures = found.figures
    assert 0.75 < figures["tpr"].value < 0.95
    assert 0.4 < figures["fpr"].value < 0.65
    assert 0.6 < figures["auc"].value < 0.8
    assert figures["advantage"].low > 0.1
    assert found.risk == figures["advantage"].value > 0.2
    assert found.raw == figures["tpr"].value


def test_fresh_people_and_far_ones_are_not_recognised():
    fresh = measure(drawn(600, 1), drawn(600, 3), drawn(600, 2))
    assert fresh.figures["advantage"].low < 0 < fresh.figures["advantage"].high < 0.15
    assert fresh.figures["auc"].low < 0.5 < fresh.figures["auc"].high
    corner = drawn(200, 1).max().to_frame().T  # a synthetic column has to touch its train column
    far = pd.concat([drawn(199, 3) + 100, corner])
    found = measure(drawn(200, 1), far, drawn(200, 2))
    assert found.risk == 0
    assert found.figures["advantage"].high < 0.1
    assert "nobody was called" in found.figures["precision"].reason


def test_the_figures_agree_with_each_other(survey_release):
    found = mir.measure(Inputs(release=survey_release), MirParams(), np.random.default_rng(5))
    value = {name: figure.value for name, figure in found.figures.items()}
    assert value["advantage"] == pytest.approx(value["tpr"] - value["fpr"], abs=1e-12)
    assert value["precision"] == pytest.approx(
        value["tpr"] / (value["tpr"] + value["fpr"]), abs=1e-12
    )
    harmonic = 2 / (1 / value["precision"] + 1 / value["tpr"])
    assert value["f1"] == pytest.approx(harmonic, abs=1e-12)
    train, holdout = (entry.scores["called_member"] for entry in found.records)
    # 300 holdout rows: 75 people of each kind are asked about, five times.
    assert 75 <= found.figures["tpr"].n < np.isfinite(train).sum() <= 375
    assert 75 <= found.figures["fpr"].n < np.isfinite(holdout).sum() <= 300


def test_one_repetition_counts_everyone_once(survey_release):
    found = mir.measure(
        Inputs(release=survey_release), MirParams(repetitions=1), np.random.default_rng(5)
    )
    train, holdout = (entry.scores["called_member"] for entry in found.records)
    assert found.figures["tpr"].n == found.figures["fpr"].n == 75
    assert np.nanmean(train) == pytest.approx(found.figures["tpr"].value, abs=1e-12)
    assert np.nanmean(holdout) == pytest.approx(found.figures["fpr"].value, abs=1e-12)
    assert not [name for name in found.diagnostics if "standard error" in name]


def test_repeating_the_questions_does_not_pretend_to_more_people(survey_release):
    inputs = Inputs(release=survey_release)
    worth = [
        mir.measure(inputs, MirParams(repetitions=r), np.random.default_rng(5)).figures["fpr"].n
        for r in (1, 5, 20)
    ]
    assert worth == sorted(worth)
    assert worth[-1] <= 300


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        ((100, 100, 52), "taught with fewer than 40 rows"),
        ((100, 39, 200), "taught with fewer than 40 rows"),
        ((9, 100, 200), "needs 10 rows"),
    ],
)
def test_too_few_rows_are_not_assessed(rows, words):
    train, synthetic, holdout = (drawn(n, seed) for seed, n in enumerate(rows))
    with pytest.raises(NotAssessable, match=words):
        measure(train, synthetic, holdout)


def test_the_least_rows_are_assessed():
    found = measure(drawn(10, 1), drawn(40, 2), drawn(54, 3))
    assert 0 <= found.figures["tpr"].value <= 1


def test_without_a_holdout_there_is_nothing_to_measure():
    with pytest.raises(NotAssessable, match="no holdout"):
        mir.measure(encoded(np.arange(60), np.arange(60)), MirParams(), np.random.default_rng(0))


def test_shared_rows_are_counted():
    train = drawn(100, 1)
    holdout = pd.concat([drawn(100, 2), train[:7]])
    found = measure(train, drawn(100, 3), holdout)
    assert found.diagnostics["holdout rows that are train rows"] == 7


def test_a_group_that_was_copied_is_the_worst():
    train, holdout, synthetic = survey(1500, 1), survey(1500, 2), survey(1500, 3)
    copied = train[train["sex"] == "f"]
    leaky = pd.concat([copied, synthetic[synthetic["sex"] == "m"]])
    found = measure(train, leaky, holdout, SURVEY_COLUMNS, groups=("sex",))
    worst = found.figures["worst_group_gap"]
    assert worst.value > found.figures["advantage"].value
    assert worst.low > 0
    assert worst.level == 0.975
    assert found.diagnostics["groups"] == 2


@pytest.mark.parametrize(("name", "leaks"), [("flip30", True), ("mostly", False)])
def test_the_perturbed_copy_of_census_stands_out(shared, name, leaks):
    path = shared / "releases" / f"census2k-syn_{name}.yaml"
    release = load_release(path, row_order=RowOrder.GIVEN)
    found = mir.measure(Inputs(release=release), MirParams(), np.random.default_rng([0, 0]))
    assert (found.figures["advantage"].low > 0.03) == leaks
