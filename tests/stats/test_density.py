import numpy as np
import pytest
from scipy.stats import gaussian_kde

from privgate.stats import density
from privgate.stats.density import log_density, scott_bandwidth


def test_densities_are_those_of_scipy_up_to_the_constant():
    rng = np.random.default_rng(1)
    sample, points = rng.normal(size=(200, 1)), rng.normal(size=(50, 1))
    width = sample.std(ddof=1) * 0.3
    expected = np.log(gaussian_kde(sample.T, bw_method=0.3)(points.T))
    found = log_density(points, sample, bandwidth=width)
    assert found - np.log(np.sqrt(2 * np.pi) * width) == pytest.approx(expected, abs=1e-10)


def test_tiles_change_nothing(monkeypatch):
    rng = np.random.default_rng(2)
    sample, points = rng.normal(size=(40, 3)), rng.normal(size=(70, 3))
    whole = log_density(points, sample, bandwidth=0.4)
    monkeypatch.setattr(density, "TILE_BYTES", 8 * 40 * 7)
    assert log_density(points, sample, bandwidth=0.4).tolist() == whole.tolist()


def test_scotts_rule_by_hand():
    sample = np.array([[0.0, 0.0], [2.0, 0.0], [0.0, 4.0], [2.0, 4.0]])
    assert scott_bandwidth(sample) == pytest.approx(np.sqrt(2.5) * 4 ** (-1 / 6), abs=1e-12)
    assert scott_bandwidth(np.ones((5, 2))) == 0
