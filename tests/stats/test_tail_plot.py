import numpy as np
import pytest

from privgate.stats.extremes import Family, FitMode, TailLaw, fit_tail
from privgate.stats.tail_plot import tail_plot

LAW = TailLaw(Family.GUMBEL, a=-2.0, shape=0.5)


def test_a_point_is_a_mean_over_eleven_rows_or_more():
    drawn = np.random.default_rng(0).weibull(3.0, 48) + 0.1
    plot = tail_plot(LAW, drawn)
    ordered = np.sort(drawn)
    assert plot.rows == 11
    assert plot.place == pytest.approx([ordered[i : i + 11].mean() for i in (0, 11, 22, 33)])
    heights = np.log(-np.log(1 - np.arange(1, 45) / 48))
    assert plot.height == pytest.approx(heights.reshape(4, 11).mean(axis=1))
    assert plot.fitted == pytest.approx(-2 + 0.5 * plot.place)


def test_many_rows_make_no_more_than_forty_points():
    plot = tail_plot(LAW, np.random.default_rng(0).weibull(3.0, 5000) + 0.1)
    assert plot.rows == 125
    assert len(plot.place) == 39


def test_no_point_shows_a_single_row():
    drawn = np.random.default_rng(1).weibull(3.0, 300) + 0.1
    plot = tail_plot(LAW, drawn, share=0.2)
    for shown in (*plot.place, plot.end):
        assert np.abs(drawn - shown).min() > 0
    assert plot.place.min() > drawn.min()
    assert plot.place.max() < np.sort(drawn)[-6]
    assert np.sort(drawn)[48] < plot.end < np.sort(drawn)[60]


def test_few_or_equal_rows_make_no_plot():
    assert tail_plot(LAW, np.arange(1.0, 34)) is None
    assert tail_plot(LAW, np.zeros(300)) is None
    assert tail_plot(LAW, np.arange(1.0, 35)) is not None


def test_points_of_the_fitted_range_lie_on_the_line():
    drawn = np.random.default_rng(2).weibull(6.0, 4000)
    fit = fit_tail(drawn, mode=FitMode.CENSORED_MLE)
    plot = tail_plot(fit, drawn, share=0.2)
    inside = plot.place <= plot.end
    assert inside.sum() == 8
    assert np.abs(plot.height - plot.fitted)[inside].max() < 0.2
