import numpy as np
import pytest
from scipy.special import logsumexp
from scipy.stats import gaussian_kde

from privgate.executors import Threads
from privgate.stats import density
from privgate.stats.density import log_density, scott_bandwidth


def test_densities_are_those_of_scipy_up_to_the_constant():
    rng = np.random.default_rng(1)
    sample, points = rng.normal(size=(200, 1)), rng.normal(size=(50, 1))
    width = sample.std(ddof=1) * 0.3
    expected = np.log(gaussian_kde(sample.T, bw_method=0.3)(points.T))
    found = log_density(points, sample, bandwidth=width)
    assert found - np.log(np.sqrt(2 * np.pi) * width) == pytest.approx(expected, abs=1e-10)


def test_a_point_has_one_density_wherever_it_stands_and_whoever_computes_it():
    rng = np.random.default_rng(2)
    sample, points = rng.normal(size=(301, 7)), rng.normal(size=(3 * density.BLOCK + 5, 7))
    points[-1] = points[0]
    order = rng.permutation(len(points))
    found = log_density(points, sample, bandwidth=0.4)
    moved = log_density(points[order], sample, bandwidth=0.4, executor=Threads(2))
    assert found[0] == found[-1]
    assert moved.tolist() == found[order].tolist()


@pytest.mark.parametrize("far", [0.0, 1e3, 1e9], ids=["near", "outlier", "beyond products"])
def test_far_points_do_not_blur_the_density_around_them(far):
    rng = np.random.default_rng(3)
    sample = np.vstack([rng.normal(size=(200, 3)), far + 0.1 * rng.normal(size=(2, 3))])
    points = np.vstack([rng.normal(size=(20, 3)), sample[-2:]])
    squared = ((points[:, None] - sample[None]) ** 2).sum(axis=2)
    expected = logsumexp(-squared / (2 * 0.3**2), axis=1) - np.log(len(sample))
    found = log_density(points, sample, bandwidth=0.3)
    assert found == pytest.approx(expected, abs=density.TOLERANCE)


def test_scotts_rule_by_hand():
    sample = np.array([[0.0, 0.0], [2.0, 0.0], [0.0, 4.0], [2.0, 4.0]])
    assert scott_bandwidth(sample) == pytest.approx(np.sqrt(2.5) * 4 ** (-1 / 6), abs=1e-12)
    assert scott_bandwidth(np.ones((5, 2))) == 0
