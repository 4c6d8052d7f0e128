import numpy as np
import pytest

from privgate.errors import NotAssessable
from privgate.learners import Attacker, fit_classifier, fit_regressor, settings

CLASSES = [attacker for attacker in Attacker if attacker.guesses_classes]
NUMBERS = [attacker for attacker in Attacker if attacker.guesses_numbers]


def people(rows, seed):
    rng = np.random.default_rng(seed)
    features = np.column_stack([rng.normal(size=rows), rng.normal(1e6, 1e4, rows), np.ones(rows)])
    return features, features[:, 0] + (features[:, 1] - 1e6) / 1e4


def test_who_guesses_what():
    assert {*map(str, CLASSES)} == {"lightgbm", "random_forest", "cart", "logistic"}
    assert {*map(str, NUMBERS)} == {"lightgbm", "random_forest", "cart", "linear"}
    with pytest.raises(ValueError, match="linear guesses no classes"):
        fit_classifier(Attacker.LINEAR, np.eye(2), np.arange(2), class_count=2, seed=0)
    with pytest.raises(ValueError, match="logistic guesses no numbers"):
        fit_regressor(Attacker.LOGISTIC, np.eye(2), np.arange(2.0), seed=0)


@pytest.mark.parametrize("attacker", CLASSES)
def test_probabilities_of_classes_are_learned_and_of_absent_ones_are_zero(attacker):
    features, signal = people(600, 1)
    classes = np.where(signal > 0.3, 4, np.where(signal < -0.5, 0, 2))
    predict = fit_classifier(attacker, features, classes, class_count=6, seed=3)
    asked, truth = people(400, 2)
    guessed = predict(asked)
    assert guessed.shape == (400, 6)
    assert guessed.sum(axis=1) == pytest.approx(np.ones(400))
    assert not guessed[:, [1, 3, 5]].any()
    right = guessed.argmax(axis=1) == np.where(truth > 0.3, 4, np.where(truth < -0.5, 0, 2))
    assert right.mean() > 0.75


@pytest.mark.parametrize("attacker", NUMBERS)
@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e9])
def test_numbers_are_learned_in_any_unit(attacker, scale):
    features, signal = people(600, 1)
    predict = fit_regressor(attacker, features, scale * (signal + 5), seed=3)
    asked, truth = people(400, 2)
    assert np.corrcoef(predict(asked), truth)[0, 1] > 0.85
    assert predict(asked).mean() == pytest.approx(5 * scale, rel=0.1)


@pytest.mark.parametrize("attacker", CLASSES)
def test_same_seed_same_digits_on_any_number_of_threads(attacker):
    features, signal = people(200, 1)
    classes = (signal > 0).astype(np.int64)
    one, two = (
        fit_classifier(attacker, features, classes, class_count=2, seed=3, jobs=jobs)(features)
        for jobs in (1, 2)
    )
    assert np.array_equal(one, two)


def test_linear_attacker_finds_the_line_and_survives_columns_that_say_the_same():
    x = np.linspace(0, 1, 50)
    features = np.column_stack([x, 2 * x, np.zeros(50)])
    predict = fit_regressor(Attacker.LINEAR, features, 3 * x + 1, seed=0)
    assert predict(np.array([[2.0, 4.0, 7.0]])) == pytest.approx([7.0])


def test_a_tree_has_seven_people_in_each_leaf():
    features = np.arange(26.0)[:, None]
    classes = (features[:, 0] >= 13).astype(np.int64)
    guessed = fit_classifier(Attacker.CART, features, classes, class_count=2, seed=0)(features)
    assert guessed[:, 1].tolist() == [0.0] * 13 + [1.0] * 13
    few = (features[:, 0] >= 20).astype(np.int64)
    guessed = fit_classifier(Attacker.CART, features, few, class_count=2, seed=0)(features)
    assert guessed[-1, 1] == pytest.approx(6 / 7)


def test_a_logistic_fit_that_does_not_end_is_not_believed(monkeypatch):
    monkeypatch.setattr("privgate.learners.linear_models._STEPS", 1)
    features, signal = people(100, 1)
    with (
        pytest.warns(UserWarning, match="failed to converge"),
        pytest.raises(NotAssessable, match="did not converge"),
    ):
        fit_classifier(Attacker.LOGISTIC, features, (signal > 0).astype(int), class_count=2, seed=0)


@pytest.mark.parametrize("attacker", list(Attacker))
def test_settings_are_told(attacker):
    assert settings(attacker)
