"""Privacy loss, in-authenticity and C_T: worked examples, laws, edges and real haplotypes."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from privgate.data import release_from_frames
from privgate.encoding import Distance, binary_space
from privgate.errors import NotAssessable
from privgate.metrics.inputs import Inputs
from privgate.metrics.screens.auth import AuthParams, auth
from privgate.metrics.screens.c_t import CTParams, c_t
from privgate.metrics.screens.in_auth import InAuthParams, in_auth
from privgate.metrics.screens.nnaa import NnaaParams, nnaa
from privgate.metrics.screens.privacy_loss import PrivacyLossParams, privacy_loss
from privgate.neighbors import Neighbours
from privgate.testing.samples import EncodedInputs, encoded

METRICS = {
    "c_t": (c_t, CTParams),
    "in_auth": (in_auth, InAuthParams),
    "privacy_loss": (privacy_loss, PrivacyLossParams),
}
P_VALUES = {"c_t": "p_c_t", "in_auth": "p_gap", "privacy_loss": "p_privacy_loss"}
T = [0, 1, 3, 6, 10, 10.5]
E = [0.4, 2, 2.2, 7, 9, 14]
S = [0.1, 1.05, 1.2, 6.1, 20, 20.3]


def measured(name, inputs, *, seed=0, **params):
    metric, model = METRICS[name]
    params.setdefault("permutations", 19)
    return metric.measure(inputs, model(**params), np.random.default_rng([seed, 0]))


def test_privacy_loss_of_the_worked_example():
    found = measured("privacy_loss", encoded(T, S, E))
    values = {name: figure.value for name, figure in found.figures.items()}
    assert values["aats_train"] == pytest.approx(5 / 12, abs=1e-15)
    assert values["aats_holdout"] == pytest.approx(2 / 3, abs=1e-15)
    assert values["privacy_loss"] == found.raw == pytest.approx(0.25, abs=1e-15)
    assert found.risk == pytest.approx(7 / 12, abs=1e-15)
    assert found.diagnostics["draws"] == 1
    assert found.diagnostics["standard deviation of the loss over draws"] is None


def test_in_authenticity_of_the_worked_example():
    found = measured("in_auth", encoded(T, S, E))
    marked = found.records[0].scores["in_authentic"]
    assert marked.tolist() == [True, True, True, True, False, False]
    assert found.raw == found.risk == found.figures["share"].value == 4 / 6
    assert found.figures["auth_pct"].value == pytest.approx(-16.6666666667, abs=1e-10)
    turned = measured("in_auth", encoded(T, S[::-1], E)).records[0].scores["in_authentic"]
    assert turned.tolist() == marked[::-1].tolist(), "the marks keep the order of the records"


def test_a_record_as_near_as_the_next_person_is_in_authentic():
    assert measured("in_auth", encoded([0, 2, 9], [-2, 4])).raw == 1
    assert measured("in_auth", encoded([0, 2, 9], [-2.1, 4.1])).raw == 0


def test_c_t_of_the_worked_example():
    found = measured("c_t", encoded(T, S, E))
    assert found.raw == pytest.approx(-0.8807048459280, abs=1e-12)
    assert found.figures["nearer_share"].value == pytest.approx(24 / 36, abs=1e-15)
    assert found.risk == pytest.approx(1 / 3, abs=1e-15)


def test_the_p_value_is_the_share_of_labellings_as_extreme():
    inputs = encoded([0, 10, 20], [0, 10, 20], [31, 42, 53])
    found = measured("privacy_loss", inputs, permutations=999)
    # One of the C(6, 3) = 20 labellings has all three copied people in train.
    assert found.figures["p_privacy_loss"].value == pytest.approx(1 / 20, abs=0.02)


def naive_aats(a, s):
    def across(left, right):
        return np.linalg.norm(left[:, None] - right[None], axis=2)

    def others(rows):
        own = across(rows, rows)
        np.fill_diagonal(own, np.inf)
        return own.min(axis=1)

    between = across(a, s)
    people, records = between.min(axis=1) > others(a), between.min(axis=0) > others(s)
    return (people.mean() + records.mean()) / 2


@pytest.mark.parametrize("sizes", [(60, 40, 40), (40, 60, 45), (30, 30, 80), (25, 25, 25)])
def test_unequal_tables_are_drawn_down_to_the_smallest(sizes):
    drawn = np.random.default_rng(1).normal(size=(sum(sizes), 2))
    parts = np.split(drawn, np.cumsum(sizes)[:2])
    found = measured("privacy_loss", encoded(parts[0], parts[2], parts[1]), permutations=0)
    size, rng = min(sizes), np.random.default_rng([0, 0])
    each = []
    for _ in range(50 if max(sizes) > size else 1):
        part = {}
        for name, rows in (("t", parts[0]), ("e", parts[1]), ("s", parts[2])):
            chosen = rng.permutation(len(rows))[:size] if len(rows) > size else slice(None)
            part[name] = rows[chosen]
        each.append([naive_aats(part["t"], part["s"]), naive_aats(part["e"], part["s"])])
    train, holdout = np.mean(each, axis=0)
    assert found.figures["aats_train"].value == pytest.approx(train, abs=1e-12)
    assert found.figures["aats_holdout"].value == pytest.approx(holdout, abs=1e-12)
    assert found.diagnostics["draws"] == len(each)
    if len(each) > 1:
        spread = np.std(np.diff(each, axis=1), ddof=1)
        reported = found.diagnostics["standard deviation of the loss over draws"]
        assert reported == pytest.approx(spread)


points = st.integers(2, 9).flatmap(
    lambda n: st.tuples(*[arrays(np.float64, (n, 2), elements=st.integers(0, 5).map(float))] * 3)
)


@settings(max_examples=30)
@given(points)
def test_what_agrees_with_the_older_metrics(tables):
    inputs = encoded(*tables)
    exposed = auth.measure(inputs, AuthParams(), np.random.default_rng(0)).figures
    share = measured("in_auth", inputs, permutations=0).figures["share"].value
    assert share == pytest.approx(1 - exposed["auth_per_synthetic"].value, abs=1e-15)
    accuracy = nnaa.measure(inputs, NnaaParams(), np.random.default_rng(0))
    loss = measured("privacy_loss", inputs, permutations=0)
    assert loss.figures["aats_train"].value == pytest.approx(accuracy.raw, abs=1e-15)
    assert loss.raw == pytest.approx(accuracy.figures["gap"].value, abs=1e-12)


@settings(max_examples=30)
@given(points)
def test_the_two_real_tables_are_treated_alike(tables):
    train, synthetic, holdout = tables
    there = measured("privacy_loss", encoded(train, synthetic, holdout), permutations=0)
    back = measured("privacy_loss", encoded(holdout, synthetic, train), permutations=0)
    assert there.raw == pytest.approx(-back.raw, abs=1e-12)


@settings(max_examples=30)
@given(points, st.data())
def test_a_copied_record_never_raises_c_t(tables, data):
    train, synthetic, holdout = tables
    place = data.draw(st.integers(0, len(synthetic) - 1))
    swapped = synthetic.copy()
    swapped[place] = train[data.draw(st.integers(0, len(train) - 1))]
    before, after = (
        measured("c_t", encoded(train, rows, holdout), permutations=0).raw
        for rows in (synthetic, swapped)
    )
    assert after <= before + 1e-12


def test_twins_are_counted():
    found = measured("privacy_loss", encoded([0, 0, 5, 9], [1, 1, 1, 7], [2, 3, 4, 8]))
    assert found.diagnostics["share of train rows with an identical twin"] == 0.5
    assert found.diagnostics["share of synthetic rows with an identical twin"] == 0.75


@pytest.mark.parametrize("name", METRICS)
def test_a_copy_of_train_is_full_risk_and_far_records_none(name):
    drawn = np.random.default_rng(2).normal(size=(120, 2))
    train, fresh, holdout = np.split(drawn, 3)
    copied = measured(name, encoded(train, train[::-1], holdout), permutations=99)
    assert copied.risk == 1
    assert copied.figures[P_VALUES[name]].value == 0.01
    assert measured(name, encoded(train, fresh + 1e6, holdout)).risk == 0


@pytest.mark.parametrize("name", METRICS)
def test_too_few_rows_are_not_assessed(name):
    with pytest.raises(NotAssessable, match="at least 2"):
        measured(name, encoded([1.0], [1.0, 2.0], [3.0, 4.0]))


def test_in_authenticity_without_enough_holdout_states_the_share_only():
    for holdout, reason in ((None, "no holdout"), ([2.0], "fewer than 2")):
        found = measured("in_auth", encoded(T, S, holdout))
        assert found.figures["share"].value == 4 / 6
        for name in ("gap", "train_risk", "holdout_risk", "p_gap"):
            assert reason in found.figures[name].reason


@pytest.mark.parametrize("name", METRICS)
def test_without_permutations_there_is_no_p_value(name):
    found = measured(name, encoded(T, S, E), permutations=0)
    assert "no permutations" in found.figures[P_VALUES[name]].reason


def people(rows, seed):
    rng = np.random.default_rng(seed)
    return pd.DataFrame({"x": rng.normal(size=rows), "y": rng.normal(size=rows)})


def clustered(seed, rows=240):
    """Two far clusters, so that cells are plain."""
    rng = np.random.default_rng(seed)
    return rng.normal(size=(rows, 2)) + 50 * (np.arange(rows) % 2)[:, None]


def test_cells_are_judged_apart_and_weighted_by_fresh_people():
    train, holdout, synthetic = clustered(1), clustered(2), clustered(3)
    synthetic[::2] = train[::2] + 0.01  # copied in one cluster,
    synthetic[1::2] = 50 + 3 * np.random.default_rng(4).normal(size=(120, 2))  # missed in the other
    inputs = encoded(train, synthetic, holdout)
    one, two = measured("c_t", inputs), measured("c_t", inputs, cells=2)
    assert two.diagnostics["cells"] == 2
    assert one.figures["p_c_t"].value is not None
    assert "one cell only" in two.figures["p_c_t"].reason
    assert two.raw == pytest.approx(
        np.mean([separate(inputs, side) for side in (0, 1)]), abs=1e-12
    ), "both cells hold half of the holdout"


def separate(inputs, side):
    space = inputs.neighbours().space
    rows = (space.train.numbers, space.synthetic.numbers, space.holdout.numbers)
    train, synthetic, holdout = (table[side::2] for table in rows)
    return measured("c_t", encoded(train, synthetic, holdout), permutations=0).raw


def test_cells_that_cannot_be_judged_are_left_out_and_noted():
    train, holdout, synthetic = clustered(1), clustered(2), clustered(3)
    found = measured("c_t", encoded(train, synthetic, holdout[::2]), cells=2)
    assert found.diagnostics["cells"] == found.diagnostics["cells left out"] == 1
    assert "1 of 2 cells were left out" in found.notes[0]
    with pytest.raises(NotAssessable, match="no cell"):
        measured("c_t", encoded(train, synthetic[:20], holdout), cells=2)


def test_cells_need_coordinates():
    columns = {name: {"type": "numeric", "role": "other"} for name in ("x", "y")}
    release = release_from_frames(
        train=people(90, 1), synthetic=people(90, 3), holdout=people(90, 5), columns=columns
    )
    inputs = Inputs(release=release)
    assert measured("c_t", inputs, distance=Distance.GOWER).figures["p_c_t"].value > 0
    assert measured("c_t", inputs, cells=2).diagnostics["cells"] == 2
    with pytest.raises(NotAssessable, match="gower"):
        measured("c_t", inputs, cells=2, distance=Distance.GOWER)


def test_many_coordinates_are_reduced_before_cells_are_made():
    rng = np.random.default_rng(5)
    train, synthetic, holdout = rng.normal(size=(3, 150, 80))
    found = measured("c_t", encoded(train, synthetic, holdout), cells=2)
    assert abs(found.raw) < 4


@pytest.mark.parametrize("sizes", [(60, 60, 60), (80, 40, 60)])
def test_p_values_are_valid_and_c_t_is_about_zero_for_honest_releases(sizes):
    p_values, values = {name: [] for name in METRICS}, []
    for seed in range(40):
        drawn = np.random.default_rng(100 + seed).normal(size=(sum(sizes), 3))
        train, holdout, synthetic = np.split(drawn, np.cumsum(sizes)[:2])
        inputs = encoded(train, synthetic, holdout)
        for name, found in p_values.items():
            result = measured(name, inputs, seed=seed)
            found.append(result.figures[P_VALUES[name]].value)
        values.append(measured("c_t", inputs, permutations=0).raw)
    for name, found in p_values.items():
        # 40 draws at 10 %: 10 or more rejections have probability 0.5 %
        assert (np.array(found) <= 0.1).sum() < 10, name
        assert 0.3 < np.mean(found) < 0.75, name
    assert abs(np.mean(values)) < 4 / np.sqrt(40)


def leaked(train, synthetic, f_fake, f_copy, rng):
    """Overwrite a random part of the first rows with their nearest train rows."""
    space = binary_space(train, synthetic)
    nearest = Neighbours(space).synthetic_to_real.nearest(np.ones(len(train), bool)).index
    copied = synthetic.copy()
    for row in range(int(np.ceil(f_fake * len(synthetic)))):
        positions = rng.permutation(train.shape[1])[: int(f_copy * train.shape[1])]
        copied[row, positions] = train[nearest[row], positions]
    return copied


# Means of 12 splits of an independent implementation: in-authentic records, recall, precision,
# C_T and privacy loss at a share of leaked records and of copied positions.
PUBLISHED = {
    (0, 0): (85, None, None, -0.06, -0.004),
    (0.05, 0.2): (96, 0.97, 0.16, -1.1, 0.015),
    (0.2, 0.1): (122, 0.86, 0.45, -2.4, 0.065),
    (0.2, 0.15): (127, 0.94, 0.47, -3.2, 0.076),
    (0.2, 0.2): (130, 0.98, 0.48, -3.9, 0.075),
    (0.4, 0.2): (177, 0.98, 0.71, -7.9, 0.153),
    (0.2, 0.5): (131, 1.0, 0.49, -4.4, 0.099),
}


@pytest.mark.slow
@pytest.mark.parametrize("leak", PUBLISHED)
def test_leaks_between_haplotypes_look_as_in_the_table(shared, leak):
    stored = np.load(shared / "data" / "kgp-805" / "haplotypes.npz")
    matrix = np.unpackbits(stored["bits"], axis=1)[:, : int(stored["n_snps"])]
    found = []
    for seed in range(12):
        rng = np.random.default_rng(seed)
        train, holdout, fresh = np.split(matrix[rng.permutation(961)[:960]], 3)
        synthetic = leaked(train, fresh, *leak, rng)
        inputs = EncodedInputs(Neighbours(binary_space(train, synthetic, holdout)))
        marked = measured("in_auth", inputs, permutations=0).records[0].scores["in_authentic"]
        true = int(np.ceil(leak[0] * len(synthetic)))
        hits = marked[:true].sum()
        score = measured("c_t", inputs, permutations=0).raw
        loss = measured("privacy_loss", inputs, permutations=0).raw
        found.append([marked.sum(), hits / max(true, 1), hits / marked.sum(), score, loss])
    count, recall, precision, score, loss = np.mean(found, axis=0)
    expected = PUBLISHED[leak]
    assert count == pytest.approx(expected[0], abs=6)
    if leak[0]:
        assert recall == pytest.approx(expected[1], abs=0.03)
        assert precision == pytest.approx(expected[2], abs=0.03)
    assert score == pytest.approx(expected[3], abs=0.6)  # one split has a deviation of 1
    assert loss == pytest.approx(expected[4], abs=0.02)
