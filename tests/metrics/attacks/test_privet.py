import json

import numpy as np
import pytest
from pydantic import ValidationError

from privgate.data import release_from_frames
from privgate.encoding import binary_space
from privgate.errors import NotAssessable
from privgate.executors import Threads
from privgate.metrics import Inputs
from privgate.metrics.attacks.privet import PrivetParams, measure_privet, privet
from privgate.neighbors import Neighbours
from privgate.stats.extremes import Family, FitMode, _least_squares, censored_fit, fit_tail
from privgate.testing.samples import SURVEY_COLUMNS, encoded, survey

PUBLISHED = PrivetParams(fit="ols_tail", rescale="none", permutations=0)


def rng(seed=0):
    return np.random.default_rng(seed)


def stored_matrix(shared, name="kgp-805"):
    stored = np.load(shared / "data" / name / "haplotypes.npz")
    return np.unpackbits(stored["bits"], axis=1)[:, : int(stored["n_snps"])]


def haplotypes(shared):
    matrix = stored_matrix(shared)
    order = sorted(range(961), key=lambda i: (389 * i) % 961)
    return tuple(matrix[order[start : start + 320]] for start in (0, 320, 640))


def leaked(train, synthetic, f_fake, f_copy):
    """Overwrite parts of the first synthetic rows with their nearest train rows."""
    nearest = (synthetic[:, None, :] != train[None]).sum(axis=2).argmin(axis=1)
    rows = np.arange(int(np.ceil(len(synthetic) * f_fake)))
    mask = (7919 * np.arange(train.shape[1]) + 104729 * rows[:, None]) % 1000 < 1000 * f_copy
    copied = synthetic.copy()
    copied[rows] = np.where(mask, train[nearest[rows]], synthetic[rows])
    return copied


GOLDEN = {
    (0, 0): (75385, 75593, 6, -0.248040, None, 0),
    (0.05, 0.2): (74606, 75540, 52, -0.934090, 0.562, 1),
    (0.05, 0.5): (73445, 75535, 85, -4.139273, 1, 16),
    (0.2, 0.1): (73895, 75505, 95, -2.340471, 0.469, 0),
    (0.2, 0.2): (72354, 75439, 131, -9.348746, 0.891, 1),
    (0.4, 0.2): (69353, 75255, 194, -35.789972, 0.984, 1),
    (0.2, 1.0): (60103, 74867, 141, -66.989523, 1, 64),
}


@pytest.mark.parametrize("leak", GOLDEN)
def test_golden_table_on_haplotypes(shared, leak):
    train, holdout, synthetic = haplotypes(shared)
    assert [int(part.sum()) for part in (train, holdout, synthetic)] == [120533, 120355, 120788]
    copied = leaked(train, synthetic, *leak) if leak[0] else synthetic
    neighbours = Neighbours(binary_space(train, copied, holdout))
    sum_u, sum_v, npl, loss, recall, decimated = GOLDEN[leak]
    to_train = neighbours.synthetic_to_real.nearest(neighbours.train).distance
    to_holdout = neighbours.synthetic_to_real.nearest(neighbours.holdout).distance
    assert (to_train.sum(), to_holdout.sum()) == (sum_u, sum_v)
    found = measure_privet(neighbours, PUBLISHED, rng())
    assert found.figures["npl"].value == npl
    assert found.figures["pl"].value == pytest.approx(loss, abs=1e-6)
    assert found.figures["npl_decimated"].value == decimated
    if recall is not None:
        flagged = found.records[0].scores["rank_score"][: int(np.ceil(320 * leak[0]))] <= -3
        assert flagged.mean() == pytest.approx(recall, abs=1e-3)


def test_golden_fits_on_haplotypes(shared):
    train, holdout, synthetic = haplotypes(shared)
    neighbours = Neighbours(binary_space(train, synthetic, holdout))
    between = neighbours.real_to_real.nearest(neighbours.train).distance[neighbours.train]
    assert (between.min(), between.max(), between.sum()) == (191, 304, 75211)
    ols = fit_tail(between, mode=FitMode.OLS_TAIL)
    assert (ols.a, ols.shape) == pytest.approx((-198.8419334328, 36.8032297024), rel=1e-10)
    assert ols.criterion == pytest.approx(0.0155007960946, abs=1e-12)
    positive = np.sort(between)
    gumbel = _least_squares(Family.GUMBEL, positive, np.arange(4, 64))
    assert gumbel == pytest.approx((-39.3606743892, 0.1776488771541, 0.0159840821177), rel=1e-9)
    gumbel = censored_fit(Family.GUMBEL, positive[:64], censored=256, limit=positive[63])
    assert gumbel == pytest.approx((-36.6545586, 0.1643147117, -343.0459401), rel=1e-7)
    gumbel = censored_fit(Family.GUMBEL, positive, censored=0, limit=positive[-1])
    assert gumbel[1:] == pytest.approx((0.0452311462, -1472.6284509), rel=1e-8)
    censored = fit_tail(between, mode=FitMode.CENSORED_MLE)
    assert (censored.a, censored.shape) == pytest.approx((-185.480952, 34.2881015), rel=1e-7)
    assert censored.criterion == pytest.approx(-342.6918245, abs=1e-6)
    full = fit_tail(between, mode=FitMode.FULL_MLE)
    assert full.shape == pytest.approx(11.1944818, abs=1e-6)
    assert full.criterion == pytest.approx(-1460.1569336, abs=1e-6)


@pytest.mark.slow
def test_clean_haplotypes_are_rarely_flagged_and_leaks_are_seen(shared):
    matrix = stored_matrix(shared)
    params = PrivetParams(permutations=59)
    clean, rejected = 0, 0
    for seed in range(30):
        parts = np.split(matrix[np.random.default_rng(seed).permutation(961)[:960]], 3)
        neighbours = Neighbours(binary_space(parts[0], parts[2], parts[1]), executor=Threads(2))
        figures = measure_privet(neighbours, params, rng(seed)).figures
        clean += figures["npl_decimated"].value == figures["npl_point"].value == 0
        rejected += figures["p_pl"].value <= 0.05
    assert clean >= 28
    assert rejected <= 5
    train, holdout, synthetic = haplotypes(shared)
    weak = Neighbours(binary_space(train, leaked(train, synthetic, 0.2, 0.2), holdout))
    strong = Neighbours(binary_space(train, leaked(train, synthetic, 0.2, 0.5), holdout))
    seen = measure_privet(weak, params, rng())
    assert seen.figures["p_pl"].value <= 0.05
    assert (seen.records[0].scores["rank_score"][:64] <= -3).mean() >= 0.8
    named = measure_privet(strong, params, rng()).records[0].scores["decimated_score"] < -3
    assert named[:64].mean() >= 0.9
    assert named[:64].sum() >= 0.95 * named.sum()


@pytest.mark.slow
@pytest.mark.parametrize("sizes", [(200, 400), (400, 200)])
def test_permutation_p_values_are_valid_on_haplotypes_at_unequal_sizes(shared, sizes):
    matrix = stored_matrix(shared)
    params = PrivetParams(permutations=59)
    found = []
    for seed in range(30):
        drawn = matrix[np.random.default_rng(seed).permutation(961)]
        train, rest = drawn[: sizes[0]], drawn[sizes[0] :]
        neighbours = Neighbours(
            binary_space(train, rest[-320:], rest[: sizes[1]]), executor=Threads(2)
        )
        found.append(measure_privet(neighbours, params, rng(seed)).figures["p_pl"].value)
    assert (np.array(found) <= 0.05).sum() <= 5
    assert 0.3 < np.mean(found) < 0.7


@pytest.mark.slow
def test_close_haplotypes_have_published_leaks_without_a_leak(shared):
    # One region of people of one ancestry: the law is far from exact, the permutation test holds.
    matrix = stored_matrix(shared, "kgp-chr20")
    frequency = matrix.mean(axis=0)
    matrix = matrix[:, np.minimum(frequency, 1 - frequency) >= 0.01]
    assert matrix.shape == (600, 10187)
    params = PrivetParams(fit="ols_tail", permutations=59)
    leaks, p_values = [], []
    for seed in range(12):
        parts = np.split(matrix[np.random.default_rng(seed).permutation(600)], 3)
        neighbours = Neighbours(binary_space(parts[0], parts[2], parts[1]), executor=Threads(2))
        figures = measure_privet(neighbours, params, rng(seed)).figures
        leaks.append(figures["npl"].value)
        p_values.append(figures["p_pl"].value)
    assert np.mean(leaks) > 5
    assert (np.array(p_values) <= 0.05).sum() <= 3
    assert np.median(p_values) > 0.15


@pytest.mark.slow
@pytest.mark.parametrize(("sizes", "bound"), [((200, 400), 0.3), ((400, 200), 0.6)])
def test_the_hazard_rule_carries_over_to_unequal_sizes(shared, sizes, bound):
    matrix = stored_matrix(shared)
    losses = {"hazard": [], "none": []}
    for seed in range(20):
        order = np.random.default_rng(seed).permutation(961)
        train, rest = matrix[order[: sizes[0]]], matrix[order[sizes[0] :]]
        neighbours = Neighbours(
            binary_space(train, rest[-320:], rest[: sizes[1]]), executor=Threads(2)
        )
        for rule, found in losses.items():
            params = PrivetParams(fit="ols_tail", rescale=rule, permutations=0)
            found.append(measure_privet(neighbours, params, rng()).figures["pl"].value)
    assert abs(np.mean(losses["hazard"])) < bound
    if sizes[0] < sizes[1]:
        assert np.mean(losses["none"]) > 0.7


def panel(rows, seed, loci=2000):
    """Return invented haplotypes: recombinations of a few ancestors, with mutations."""
    draw = np.random.default_rng(seed)
    ancestors = np.random.default_rng(99).integers(0, 2, (40, loci)).astype(np.uint8)
    blocks = np.repeat(draw.integers(0, 40, (rows, loci // 20)), 20, axis=1)
    made = ancestors[blocks, np.arange(loci)]
    return made ^ (draw.random((rows, loci)) < 0.2)


def test_planted_copies_are_counted_exactly_and_an_honest_release_is_not_flagged():
    train, holdout, honest = panel(250, 1), panel(250, 2), panel(250, 3)
    params = PrivetParams(permutations=99)
    clean = measure_privet(Neighbours(binary_space(train, honest, holdout)), params, rng())
    assert clean.figures["npl_decimated"].value == 0
    assert clean.figures["p_pl"].value > 0.05
    assert clean.figures["exact_matches"].value == 0
    assert clean.figures["p_exact"].value == 1
    leaky = honest.copy()
    leaky[:12] = train[:12]
    found = measure_privet(Neighbours(binary_space(train, leaky, holdout)), params, rng())
    assert found.figures["exact_matches"].value == 12
    assert found.figures["npl_decimated"].value == 12
    assert found.figures["p_exact"].value == 0.01
    assert found.figures["p_pl"].value == 0.01


def test_permutation_p_values_are_valid_at_unequal_sizes():
    params = PrivetParams(permutations=19)
    found = []
    for seed in range(40):
        drawn = panel(300, 100 + seed, loci=6000)
        neighbours = Neighbours(binary_space(drawn[:160], drawn[250:], drawn[160:250]))
        found.append(measure_privet(neighbours, params, rng(seed)).figures["p_pl"].value)
    # 40 draws at 10 %: 10 or more rejections have probability 0.5 %
    assert (np.array(found) <= 0.1).sum() < 10
    assert 0.3 < np.mean(found) < 0.75


def test_many_twins_make_the_law_inapplicable_but_copies_are_still_tested():
    train = np.vstack([panel(90, 4), panel(90, 4)[:10]])
    leaky = np.vstack([train[20:32], panel(88, 6)])
    params = PrivetParams(permutations=19)
    found = measure_privet(Neighbours(binary_space(train, leaky, panel(100, 5))), params, rng())
    for name in ("npl", "pl", "p_pl", "npl_decimated", "npl_excess"):
        assert found.figures[name].value is None
        assert "identical twin" in found.figures[name].reason
    assert found.figures["exact_matches"].value == 12
    assert found.figures["p_exact"].value == 0.05
    assert any("only exact matches" in note for note in found.notes)


def test_without_permutations_nothing_calibrated_is_stated():
    neighbours = Neighbours(binary_space(panel(100, 7), panel(100, 8), panel(100, 9)))
    figures = measure_privet(neighbours, PUBLISHED, rng()).figures
    assert figures["npl"].value is not None
    for name in ("p_pl", "p_npl", "p_exact", "npl_excess"):
        assert "no permutations" in figures[name].reason


def test_a_holdout_is_needed():
    with pytest.raises(NotAssessable, match="holdout"):
        measure_privet(Neighbours(binary_space(panel(9, 1), panel(9, 2))), PUBLISHED, rng())


def test_threads_and_row_order_change_nothing():
    train, holdout, synthetic = panel(180, 1), panel(170, 2), panel(190, 3)
    params = PrivetParams(permutations=0)
    plain = measure_privet(Neighbours(binary_space(train, synthetic, holdout)), params, rng())
    turned = measure_privet(
        Neighbours(binary_space(train[::-1], synthetic[::-1], holdout[::-1]), executor=Threads(2)),
        params,
        rng(),
    )
    stated = {name: figure for name, figure in plain.figures.items() if figure.value is not None}
    assert {"npl", "pl", "npl_decimated", "exact_matches"} <= set(stated)
    for name, figure in stated.items():
        assert turned.figures[name].value == pytest.approx(figure.value, rel=1e-12), name
    assert np.array_equal(
        plain.records[0].scores["rank_score"], turned.records[0].scores["rank_score"][::-1]
    )


def test_a_release_larger_than_train_is_warned_about():
    neighbours = Neighbours(binary_space(panel(60, 1), panel(120, 2), panel(60, 3)))
    notes = measure_privet(neighbours, PUBLISHED, rng()).notes
    assert any("more rows (120) than train (60)" in note for note in notes)


@pytest.mark.parametrize(
    ("given", "share"),
    [
        ({}, 0.2),
        ({"fit": "ols_tail"}, 0.2),
        ({"fit": "ols_tail", "quantile": 0.1}, 0.1),
        ({"fit": "full_mle"}, 1),
        ({"fit": "full_mle", "quantile": None}, 1),
    ],
)
def test_the_share_fitted_follows_from_the_fit(given, share):
    params = PrivetParams.model_validate_json(json.dumps(given), strict=True)
    assert params.share_fitted == share
    assert PrivetParams.model_validate(params.model_dump()) == params


def test_a_quantile_that_contradicts_the_fit_is_refused():
    with pytest.raises(ValidationError, match=r"full_mle fits all distances, not the share 0\.2"):
        PrivetParams.model_validate({"fit": "full_mle", "quantile": 0.2})
    with pytest.raises(ValidationError, match="less than 1"):
        PrivetParams.model_validate({"fit": "ols_tail", "quantile": 1})


def test_every_fit_sees_copies():
    train, holdout, honest = panel(250, 1), panel(250, 2), panel(250, 3)
    honest[:12] = train[:12]
    neighbours = Neighbours(binary_space(train, honest, holdout))
    for mode in FitMode:
        found = measure_privet(neighbours, PrivetParams(fit=mode, permutations=19), rng())
        assert found.figures["npl_decimated"].value == 12, mode
        assert found.figures["p_pl"].value == 0.05, mode
        assert found.diagnostics["residual mean square on the plot"] > 0


def test_leaks_by_counting_see_copies_in_the_fitted_range_only(shared):
    train, holdout, synthetic = haplotypes(shared)
    copied = leaked(train, synthetic, 0.2, 1.0)
    params = PrivetParams(permutations=0)
    clean, leaky = (
        measure_privet(Neighbours(binary_space(train, made, holdout)), params, rng()).figures
        for made in (synthetic, copied)
    )
    assert clean["n_leaks"].value == leaky["n_leaks"].value == 0
    assert (clean["n_leaks_tail"].value, leaky["n_leaks_tail"].value) == (18, 56)


def test_code_ranks_accuse_more_records():
    neighbours = Neighbours(binary_space(panel(250, 1), panel(250, 2), panel(250, 3)))
    plain, code = (
        measure_privet(neighbours, PrivetParams(permutations=0, compat_code=compat), rng())
        for compat in (False, True)
    )
    assert plain.figures["npl"] == code.figures["npl"]
    assert not any("too high" in note for note in plain.notes)
    assert any("one too high" in note for note in code.notes)
    scores = [one.records[0].scores["decimated_score"] for one in (plain, code)]
    assert scores[1].min() < scores[0].min()


def test_records_say_who_is_near_whom_and_name_copies():
    train, holdout, made = panel(250, 1), panel(240, 2), panel(230, 3)
    made[5], made[9] = train[77], holdout[33]
    train[100] = holdout[200] = made[12]  # equal to rows of both sides: no leak
    found = measure_privet(Neighbours(binary_space(train, made, holdout)), PUBLISHED, rng())
    (records,) = found.records
    scores = records.scores
    assert records.table == "synthetic"
    assert set(records.named.nonzero()[0]) == {5}
    assert (scores["nearest_train_row"][5], scores["distance_to_train"][5]) == (78, 0)
    assert (scores["nearest_holdout_row"][9], scores["distance_to_holdout"][9]) == (34, 0)
    assert scores["exact_match"].nonzero()[0].tolist() == [5, 12]
    apart = (made[:, None, :] != train[None]).sum(axis=2)
    assert np.array_equal(scores["distance_to_train"], apart.min(axis=1))
    assert np.array_equal(scores["nearest_train_row"], apart.argmin(axis=1) + 1)
    for side in ("train", "holdout"):
        distance = scores[f"distance_to_{side}"]
        assert np.array_equal(
            scores[f"rank_to_{side}"], (distance[:, None] >= distance).sum(axis=1)
        )
    assert scores["rank_score"] == pytest.approx(
        scores["log10_pi_train"] - scores["log10_pi_holdout"]
    )
    inside = (scores["distance_to_train"] > 0) & (scores["distance_to_holdout"] > 0)
    chances = [scores[f"probability_{side}"][inside] for side in ("train", "holdout")]
    assert scores["point_score"][inside] == pytest.approx(np.log10(chances[0] / chances[1]))
    assert np.array_equal(scores["rank_leak"], scores["rank_score"] <= -3)
    assert np.array_equal(scores["decimated_leak"], scores["decimated_score"] < -3)
    assert np.array_equal(scores["point_leak"], scores["point_score"] <= -3)
    for values in scores.values():
        assert len(values) == 230
        assert np.isfinite(values).all()


def test_the_lowest_scores_are_ranked_and_name_no_record():
    train, holdout, made = panel(250, 1), panel(240, 2), panel(230, 3)
    made[5] = train[77]
    found = measure_privet(Neighbours(binary_space(train, made, holdout)), PUBLISHED, rng())
    ranking = found.diagnostics["published records with the lowest scores"]
    scores = found.records[0].scores
    lowest = np.sort(scores["rank_score"])[:20]
    assert [row["rank"] for row in ranking] == list(range(1, 21))
    assert [row["score"] for row in ranking] == pytest.approx(lowest.tolist())
    assert (ranking[0]["distance to train"], ranking[0]["score"]) == (0, scores["rank_score"][5])
    assert set(ranking[0]) == {
        "rank", "score", "decimated score", "distance to train", "distance to holdout"
    }  # fmt: skip


def test_rows_are_named_by_their_position_in_the_file():
    tables = {
        name: survey(120, seed) for seed, name in enumerate(("train", "holdout", "synthetic"))
    }
    tables["synthetic"].iloc[30] = tables["train"].iloc[70]
    release = release_from_frames(**tables, columns=SURVEY_COLUMNS)
    params = PrivetParams(permutations=0)
    (records,) = privet.measure(Inputs(release=release), params, rng()).records
    row = release.synthetic.positions.tolist().index(31)
    assert records.named.nonzero()[0].tolist() == [row]
    assert records.scores["nearest_train_row"][row] == 71
    holdout_row = release.holdout.positions.tolist().index(
        records.scores["nearest_holdout_row"][row]
    )
    nearest = Inputs(release=release).neighbours()
    found = nearest.synthetic_to_real.nearest(nearest.holdout)
    assert found.index[row] == 120 + holdout_row


def test_a_leak_in_one_group_is_seen_in_the_worst_group():
    def tables(copied):
        train, holdout, made = (survey(800, seed) for seed in (31, 32, 33))
        west = made.index[made["region"] == "west"][:copied]
        people = train.index[train["region"] == "west"][:copied]
        near = train.loc[people].copy()
        near["income"] *= 1.01
        made.loc[west] = near.to_numpy()
        return release_from_frames(
            train=train, holdout=holdout, synthetic=made, columns=SURVEY_COLUMNS
        )

    params = PrivetParams(permutations=199, groups=("region", "sex"))
    clean, leaky = (
        privet.measure(Inputs(release=tables(copied)), params, rng()) for copied in (0, 14)
    )
    assert clean.figures["p_worst_group"].value > 0.05
    assert leaky.figures["p_worst_group"].value <= 0.01
    assert leaky.figures["p_pl"].value > leaky.figures["p_worst_group"].value
    assert leaky.diagnostics["groups"] == 6
    assert leaky.diagnostics["groups with too few records, left out"] == 1


def test_a_worst_group_needs_groups_and_relabellings():
    neighbours = Neighbours(binary_space(panel(100, 7), panel(100, 8), panel(100, 9)))
    for given, reason in (
        ({"permutations": 9}, "names no groups"),
        ({"permutations": 9, "groups": ["outliers"]}, "no group has 50 synthetic records"),
        ({"permutations": 0, "groups": ["outliers"], "min_group": 11}, "no"),
    ):
        params = PrivetParams.model_validate(given)
        figure = measure_privet(neighbours, params, rng()).figures["p_worst_group"]
        assert figure.value is None
        assert reason in figure.reason
    with pytest.raises(NotAssessable, match="'sex' is not a measured column"):
        measure_privet(neighbours, PrivetParams(groups=("sex",)), rng())


def test_records_near_outliers_are_a_group():
    draw = np.random.default_rng(5)
    shared = encoded(
        draw.standard_t(2, (900, 2)), draw.standard_t(2, (900, 2)), draw.standard_t(2, (900, 2))
    ).neighbours()
    params = PrivetParams(permutations=19, groups=("outliers",), min_group=11)
    found = measure_privet(shared, params, rng())
    assert found.diagnostics["groups"] == 1
    assert 0.05 < found.figures["p_worst_group"].value <= 1


def test_few_distinct_distances_are_refused_and_copies_seen_all_the_same(shared):
    train, holdout, synthetic = (part[:, :15] for part in haplotypes(shared))
    copied = synthetic.copy()
    copied[:32] = train[:32]
    params = PrivetParams(permutations=199)
    clean, leaky = (
        measure_privet(Neighbours(binary_space(train, made, holdout)), params, rng())
        for made in (synthetic, copied)
    )
    for found in (clean, leaky):
        for name in ("npl", "pl", "p_pl", "n_leaks", "n_leaks_tail", "npl_decimated", "npl_point"):
            assert found.figures[name].value is None
            assert "identical twin" in found.figures[name].reason
        assert found.charts == ()
        assert found.raw is None
    assert clean.figures["p_exact"].value > 0.05
    assert leaky.figures["p_exact"].value <= 0.05


def test_the_fit_is_drawn_and_no_point_stands_for_few_rows():
    neighbours = Neighbours(binary_space(panel(250, 1), panel(250, 2), panel(250, 3)))
    found = measure_privet(neighbours, PrivetParams(permutations=0), rng())
    plot = found.charts[-1]
    assert plot.kind == "points"
    assert plot.series[0].name == "train rows, mean of 11 per point"
    assert len(plot.x) == 22
    assert list(plot.marks) == ["end of the fitted range"]
    full = measure_privet(neighbours, PrivetParams(fit="full_mle", permutations=0), rng())
    assert full.charts[-1].marks == {}
    few = Neighbours(binary_space(panel(33, 1), panel(33, 2), panel(33, 3)))
    found = measure_privet(few, PrivetParams(quantile=0.9, permutations=0), rng())
    assert found.raw is not None
    assert [chart.kind for chart in found.charts] == ["curve"]


def test_a_high_loss_at_unequal_sizes_is_doubted():
    train, holdout = panel(150, 1), panel(300, 2)
    away = panel(150, 3)
    away[:40] = holdout[:40]
    found = measure_privet(Neighbours(binary_space(train, away, holdout)), PUBLISHED, rng())
    assert found.figures["pl"].value > 0.5
    assert any("may not carry over from 150 train to 300" in note for note in found.notes)
    equal = Neighbours(binary_space(train, away, holdout[:150]))
    assert not any("carry over" in note for note in measure_privet(equal, PUBLISHED, rng()).notes)


def test_few_fitted_distances_are_warned_about():
    drawn = np.random.default_rng(0).normal(size=(3, 95, 20))
    notes = measure_privet(encoded(*drawn).neighbours(), PrivetParams(permutations=0), rng()).notes
    assert any("distances were fitted; the scores are rough" in note for note in notes)


def test_threads_change_no_digit():
    draw = np.random.default_rng(0)
    rows = [draw.normal(size=(count, 3)) for count in (150, 180, 120)]
    params = PrivetParams(permutations=49, groups=("outliers",), min_group=11)
    once, again = (
        measure_privet(encoded(*rows).neighbours(), params, rng(), executor=Threads(jobs))
        for jobs in (1, 3)
    )
    assert once.figures == again.figures
    assert once.charts == again.charts


def test_a_count_that_cannot_see_copies_is_unknown():
    train, holdout, made = panel(250, 1), panel(250, 2), panel(250, 3)
    train[1] = train[0]
    made[:12] = train[100:112]
    params = PrivetParams(permutations=19)
    found = measure_privet(Neighbours(binary_space(train, made, holdout)), params, rng())
    assert found.diagnostics["share of train rows with an identical twin"] == 0.008
    for name in ("npl_decimated", "npl_point"):
        assert found.figures[name].value is None
        assert "judge p_exact" in found.figures[name].reason
    assert found.figures["p_exact"].value == 0.05
    assert found.records[0].named.sum() == 12
    code = params.model_copy(update={"compat_code": True})
    assert (
        measure_privet(Neighbours(binary_space(train, made, holdout)), code, rng())
        .figures["npl_decimated"]
        .value
        is None
    )


def grid(rows, seed, values):
    return np.random.default_rng(seed).integers(0, values, (rows, 2))


ALL = set(FitMode)


@pytest.mark.parametrize(
    ("tables", "fitted"),
    [
        ((panel(200, 1), panel(500, 2), panel(100, 3)), ALL),  # larger than train
        ((panel(400, 1), panel(50, 2), panel(120, 3)), ALL),
        ((panel(220, 1), panel(50, 2), panel(400, 3)), ALL),
        ((panel(250, 1), panel(1, 2), panel(250, 3)), ALL),
        ((panel(250, 1), panel(250, 2), panel(1, 3)), ALL),
        ((panel(30, 1), panel(30, 2), panel(30, 3)), {"full_mle"}),  # few distances
        ((panel(2, 1), panel(2, 2), panel(2, 3)), set()),
        (
            (panel(200, 1, loci=60), panel(200, 2, loci=60), panel(200, 3, loci=60)),
            {"full_mle"},
        ),  # ties
        ((grid(200, 1, 5), grid(200, 2, 5), grid(200, 3, 5)), set()),  # most rows have twins
        ((np.zeros((90, 2), int), np.zeros((90, 2), int), np.zeros((90, 2), int)), set()),
    ],
)
@pytest.mark.parametrize("mode", list(FitMode))
def test_sizes_ties_and_zeros_have_a_stated_status(tables, fitted, mode):
    params = PrivetParams(fit=mode, permutations=9, groups=("outliers",), min_group=11)
    if tables[0].max() > 1 or not tables[0].any():
        train, made, holdout = (part.astype(float) for part in tables)
        neighbours = encoded(train, made, holdout).neighbours()
    else:
        neighbours = Neighbours(binary_space(*tables))
    found = measure_privet(neighbours, params, rng())
    known = mode in fitted
    assert set(found.figures) == set(privet.card.figures)
    for name, figure in found.figures.items():
        assert (figure.value is None) == bool(figure.reason), name
    assert found.figures["exact_matches"].value is not None
    assert found.figures["p_exact"].value is not None
    assert (found.figures["p_pl"].value is not None) is known
    assert (found.figures["pl"].value is not None) is known
    if not known:
        assert any("only exact matches were tested" in note for note in found.notes)
    for values in found.records[0].scores.values():
        assert np.isfinite(values).all()
