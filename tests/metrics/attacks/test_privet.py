import numpy as np
import pytest

from privgate.encoding import binary_space
from privgate.errors import NotAssessable
from privgate.metrics.attacks.privet import PrivetParams, measure_privet
from privgate.neighbors import Neighbours
from privgate.stats.extremes import FitMode, fit_tail

PUBLISHED = PrivetParams(fit="ols_tail", rescale="none", permutations=0)


def rng(seed=0):
    return np.random.default_rng(seed)


def haplotypes(shared):
    stored = np.load(shared / "data" / "kgp-805" / "haplotypes.npz")
    matrix = np.unpackbits(stored["bits"], axis=1)[:, : int(stored["n_snps"])]
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
    censored = fit_tail(between, mode=FitMode.CENSORED_MLE)
    assert (censored.a, censored.shape) == pytest.approx((-185.480952, 34.2881015), rel=1e-7)
    assert censored.criterion == pytest.approx(-342.6918245, abs=1e-6)
    full = fit_tail(between, mode=FitMode.FULL_MLE)
    assert full.shape == pytest.approx(11.1944818, abs=1e-6)
    assert full.criterion == pytest.approx(-1460.1569336, abs=1e-6)


@pytest.mark.slow
def test_clean_haplotypes_are_rarely_flagged_and_leaks_are_seen(shared):
    stored = np.load(shared / "data" / "kgp-805" / "haplotypes.npz")
    matrix = np.unpackbits(stored["bits"], axis=1)[:, : int(stored["n_snps"])]
    params = PrivetParams(permutations=59)
    clean, rejected = 0, 0
    for seed in range(30):
        parts = np.split(matrix[np.random.default_rng(seed).permutation(961)[:960]], 3)
        neighbours = Neighbours(binary_space(parts[0], parts[2], parts[1]), jobs=2)
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
@pytest.mark.parametrize(("sizes", "bound"), [((200, 400), 0.3), ((400, 200), 0.6)])
def test_the_hazard_rule_carries_over_to_unequal_sizes(shared, sizes, bound):
    stored = np.load(shared / "data" / "kgp-805" / "haplotypes.npz")
    matrix = np.unpackbits(stored["bits"], axis=1)[:, : int(stored["n_snps"])]
    losses = {"hazard": [], "none": []}
    for seed in range(20):
        order = np.random.default_rng(seed).permutation(961)
        train, rest = matrix[order[: sizes[0]]], matrix[order[sizes[0] :]]
        neighbours = Neighbours(binary_space(train, rest[-320:], rest[: sizes[1]]), jobs=2)
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
        Neighbours(binary_space(train[::-1], synthetic[::-1], holdout[::-1]), jobs=2), params, rng()
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
