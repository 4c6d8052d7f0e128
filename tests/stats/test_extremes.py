import numpy as np
import pytest

from privgate.stats.extremes import (
    Family,
    FitMode,
    TailLaw,
    TailNotFittable,
    censored_fit,
    fit_tail,
)

WEIBULL = TailLaw(Family.WEIBULL, -10.0, 5.0)
TO_TRAIN = np.array([2, 5, 6, 8, 3.0])


def test_worked_example_of_the_law():
    f = np.exp(WEIBULL.log_cdf(TO_TRAIN)[0])
    expected = [0.0014517429526, 0.1322700936185, 0.2974437809319, 0.7741004615017, 0.0109715515724]
    assert f == pytest.approx(expected, abs=1e-12)


def test_exact_weibull_quantiles_return_their_parameters():
    ranks = np.arange(1, 200)
    quantiles = (-np.log1p(-ranks / 200) / np.exp(-10)) ** (1 / 5)
    fit = fit_tail(np.append(quantiles, 2 * quantiles[-1]), mode=FitMode.OLS_TAIL)
    assert fit.family is Family.WEIBULL
    assert (fit.a, fit.shape) == pytest.approx((-10, 5), abs=1e-10)


def test_censored_likelihood_of_three_values_out_of_ten():
    values = np.array([1.0, 2.0, 3.0])
    weibull = censored_fit(Family.WEIBULL, values, censored=7, limit=3.0)
    gumbel = censored_fit(Family.GUMBEL, values, censored=7, limit=3.0)
    assert weibull == pytest.approx((-3.3863415506, 2.1325645996, -8.8577654274), abs=1e-10)
    assert gumbel == pytest.approx((-4.2557521965, 1.0730482801, -9.1174565350), abs=1e-10)


@pytest.mark.parametrize("family", list(Family))
def test_censored_fit_is_the_top_of_the_likelihood(family):
    rng = np.random.default_rng(3)
    drawn = np.sort(rng.weibull(4.0, 500) * 10)
    tail = drawn[:100]
    a, shape, best = censored_fit(family, tail, censored=400, limit=float(tail[-1]))

    def likelihood(a, shape):
        position = np.log(tail) if family is Family.WEIBULL else tail
        hazard = np.exp(a + shape * position)
        density = a + np.log(shape) + shape * position
        density -= np.log(tail) if family is Family.WEIBULL else 0
        return density.sum() - hazard.sum() - 400 * hazard[-1]

    assert likelihood(a, shape) == pytest.approx(best, rel=1e-10)
    for step in (0.98, 1.02):
        assert likelihood(a * step, shape) < best
        assert likelihood(a, shape * step) < best


def test_scaling_all_distances_moves_only_the_scale():
    rng = np.random.default_rng(4)
    drawn = rng.weibull(6.0, 400)
    for mode in FitMode:
        fit = fit_tail(drawn, mode=mode)
        scaled = fit_tail(drawn * 1e6, mode=mode)
        if fit.family is scaled.family is Family.WEIBULL:
            assert scaled.shape == pytest.approx(fit.shape, rel=1e-6)
        assert scaled.misfit == pytest.approx(fit.misfit, abs=1e-6)


def test_duplicates_in_train_set_a_hurdle_at_zero():
    rng = np.random.default_rng(6)
    drawn = np.append(rng.weibull(3.0, 380) + 0.1, np.zeros(20))
    fit = fit_tail(drawn, mode=FitMode.CENSORED_MLE)
    assert fit.zero_share == pytest.approx(0.05)
    assert np.exp(fit.log_cdf(np.array([0.0]))[0][0]) == pytest.approx(0.05)
    log_f, log_survival = fit.log_cdf(np.array([0.3, 0.5, 0.9]))
    assert np.exp(log_f) + np.exp(log_survival) == pytest.approx(1.0)


@pytest.mark.parametrize("mode", list(FitMode))
@pytest.mark.parametrize(
    "drawn", [np.ones(300), np.zeros(300), np.arange(1.0, 10), np.array([1.0])]
)
def test_too_few_distinct_distances_are_refused(mode, drawn):
    with pytest.raises(TailNotFittable, match="distinct positive"):
        fit_tail(drawn, mode=mode)


@pytest.mark.parametrize("mode", list(FitMode))
def test_how_well_a_law_fits_is_told_for_every_mode(mode):
    drawn = np.sort(np.random.default_rng(5).weibull(6.0, 300))
    fit = fit_tail(drawn, mode=mode, quantile=0.2)
    places = {"censored_mle": range(60), "full_mle": range(299), "ols_tail": range(3, 60)}[mode]
    assert fit.used == {"censored_mle": 60, "full_mle": 300, "ols_tail": 57}[mode]
    position = np.log(drawn) if fit.family is Family.WEIBULL else drawn
    gaps = [np.log(-np.log(1 - (i + 1) / 300)) - fit.a - fit.shape * position[i] for i in places]
    assert fit.residual == pytest.approx(np.square(gaps).sum() / (len(gaps) - 2), rel=1e-10)
    if mode is FitMode.OLS_TAIL:
        assert fit.residual == fit.criterion


def test_full_likelihood_looks_at_no_quantile():
    drawn = np.random.default_rng(8).weibull(6.0, 300)
    fits = [fit_tail(drawn, mode=FitMode.FULL_MLE, quantile=share) for share in (0.1, 0.9)]
    assert fits[0] == fits[1]
    assert fits[0].shape == pytest.approx(6.0, abs=0.8)
