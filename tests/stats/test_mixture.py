import numpy as np
import pytest

from privgate.executors import SERIAL, Threads
from privgate.stats import mixture
from privgate.stats.mixture import Mixture, fitted_mixture, generalisation_gap


def example():
    return Mixture(np.array([[0.0], [2.0]]), np.log([1.0, 0.25]))


def test_density_of_the_worked_example():
    train = example().log_density(np.array([[0.0], [2.0]]))
    holdout = example().log_density(np.array([[1.0], [3.0]]))
    assert train == pytest.approx([-1.6114150134785, -0.8534620380851], abs=1e-12)
    assert holdout == pytest.approx([-1.7431045783634, -2.8787159189374], abs=1e-12)
    assert generalisation_gap(train, holdout, 1) == pytest.approx(-107.8471722868531, abs=1e-10)


def test_far_points_keep_a_finite_density():
    assert np.isfinite(example().log_density(np.array([[1e6]]))).all()


def test_the_greatest_kernels():
    # ln N(0; 0, 1) = -0.9189..., ln N(2; 2, 1/4) = -0.9189... + ln 2
    of_points, of_centres = example().nearest_kernels(np.array([[0.0], [2.0]]))
    peak = -0.5 * np.log(2 * np.pi)
    assert of_points == pytest.approx([peak, peak + np.log(2)], abs=1e-12)
    assert of_centres == pytest.approx([peak, peak + np.log(2)], abs=1e-12)


@pytest.mark.parametrize("offset", [0.0, 1e3, 1e9])
def test_kernels_by_products_are_those_by_differences(offset):
    rng = np.random.default_rng(6)
    points, centres = rng.normal(size=(30, 5)), rng.normal(size=(20, 5))
    points[:5] = centres[:5]  # copies
    points[-1] += offset
    mixture_ = Mixture(centres, np.concatenate([np.full(10, -40.0), rng.normal(size=10)]))
    squares = ((points[:, None] - centres) ** 2).sum(axis=2)
    variances = np.exp(mixture_.log_variances)
    expected = -squares / (2 * variances) - 2.5 * np.log(2 * np.pi * variances)
    found = mixture_.log_kernels(points)
    assert np.allclose(found, expected, rtol=1e-12, atol=1e-8)
    assert found[:5].max(axis=1) == pytest.approx([100 - 2.5 * np.log(2 * np.pi)] * 5, abs=1e-8)


def test_the_gradient_is_that_of_the_loss():
    rng = np.random.default_rng(1)
    centres, sample, at = rng.normal(size=(7, 3)), rng.normal(size=(11, 3)), rng.normal(size=8)
    shared = centres, sample, sample.mean(axis=0, keepdims=True)
    _, gradient = mixture._loss(at, shared, SERIAL)
    step = 1e-6
    numeric = [
        (
            mixture._loss(at + step * axis, shared, SERIAL)[0]
            - mixture._loss(at - step * axis, shared, SERIAL)[0]
        )
        / (2 * step)
        for axis in np.eye(8)
    ]
    assert gradient == pytest.approx(numeric, abs=1e-8)


@pytest.mark.parametrize("spread", [0.3, 3.0, 30.0])
def test_terms_too_faint_to_count_change_nothing(spread, monkeypatch):
    rng = np.random.default_rng(5)
    centres, sample = spread * rng.normal(size=(2, 40, 6))
    at = rng.normal(size=41)
    shared = centres, sample, sample.mean(axis=0, keepdims=True)
    monkeypatch.setattr(mixture, "FEW", 0)
    loss, gradient = mixture._loss(at, shared, SERIAL)
    monkeypatch.setattr(mixture, "FEW", 1)
    shorter, of_few = mixture._loss(at, shared, SERIAL)
    assert shorter == pytest.approx(loss, rel=1e-14)
    assert of_few == pytest.approx(gradient, rel=1e-12, abs=1e-15)


def test_while_fitting_one_more_gaussian_has_weight_one():
    centres, sample = np.array([[0.0], [2.0]]), np.array([[0.0], [3.0]])
    shared = centres, sample, sample.mean(axis=0, keepdims=True)
    at = np.log([1.0, 0.25, 2.0])
    loss, _ = mixture._loss(at, shared, SERIAL)
    base = np.exp(-0.81 * 1.5**2 / (2 * 2)) / np.sqrt(2 * np.pi * 2)  # both 1.5 from the mean
    density = np.exp(Mixture(centres, at[:2]).log_density(sample)) + base
    assert loss == pytest.approx(-np.log(density).mean(), abs=1e-12)


def test_a_fit_finds_the_width_of_the_sample():
    sample = np.random.default_rng(2).normal(size=(4000, 5)) * 3
    found = fitted_mixture(np.zeros((1, 5)), sample)
    # The further Gaussian of the same shape takes its half, and neither moves the width.
    assert np.exp(found.log_variances[0]) == pytest.approx(9, rel=0.1)


def test_copies_take_the_smallest_variance():
    rng = np.random.default_rng(3)
    sample = rng.normal(size=(60, 4))
    copied = fitted_mixture(sample[:5], sample)
    assert copied.log_variances == pytest.approx([-40.0] * 5)


def test_blocks_and_threads_change_no_digit(monkeypatch):
    rng = np.random.default_rng(4)
    centres, sample = rng.normal(size=(2, 50, 3))
    whole = fitted_mixture(centres, sample)
    assert np.array_equal(
        whole.log_variances, fitted_mixture(centres, sample, executor=Threads(3)).log_variances
    )
    monkeypatch.setattr(mixture, "TILE_BYTES", 8 * 50 * 7)
    blocks = fitted_mixture(centres, sample)
    assert blocks.log_density(sample) == pytest.approx(whole.log_density(sample), abs=1e-3)
    assert np.array_equal(
        blocks.log_variances, fitted_mixture(centres, sample, executor=Threads(2)).log_variances
    )


def test_distances_that_are_not_kept_change_no_digit(monkeypatch):
    rng = np.random.default_rng(3)
    centres, sample = rng.normal(size=(2, 120, 4))
    kept = fitted_mixture(centres, sample)
    monkeypatch.setattr(mixture, "MOST_KEPT", 0)
    monkeypatch.setattr(mixture, "TILE_BYTES", 8 * 120 * 7)
    blocks = fitted_mixture(centres, sample, executor=Threads(2))
    monkeypatch.setattr(mixture, "MOST_KEPT", 2**28)
    again = fitted_mixture(centres, sample)
    assert np.array_equal(again.log_variances, blocks.log_variances)
    assert np.allclose(kept.log_variances, blocks.log_variances, atol=0.01)
