"""Identifiability, NNDR, MDCR and NNAA beside authenticity: examples, laws, edges."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from privgate.data import release_from_frames
from privgate.errors import NotAssessable
from privgate.metrics.inputs import Inputs
from privgate.metrics.screens.auth import AuthParams, auth
from privgate.metrics.screens.dcr import DcrParams, dcr
from privgate.metrics.screens.identifiability import IdentifiabilityParams, identifiability
from privgate.metrics.screens.mdcr import MdcrParams, mdcr
from privgate.metrics.screens.nnaa import NnaaParams, nnaa
from privgate.metrics.screens.nndr import NndrParams, nndr
from privgate.testing.samples import encoded

METRICS = {
    "auth": (auth, AuthParams),
    "identifiability": (identifiability, IdentifiabilityParams),
    "mdcr": (mdcr, MdcrParams),
    "nnaa": (nnaa, NnaaParams),
    "nndr": (nndr, NndrParams),
}
EXAMPLE_B = (
    [(0, 0), (0, 3), (0, 6), (2, 9)],
    [(2, 0), (0, 3.5), (2, 6), (0, 9)],
)


def measured(name, inputs, **params):
    metric, model = METRICS[name]
    return metric.measure(inputs, model(**params), np.random.default_rng([0, 0]))


def test_worked_example(example_a):
    found = {name: measured(name, example_a) for name in ("nndr", "mdcr", "nnaa")}
    assert found["nndr"].raw == pytest.approx(0.6307692307692307, abs=1e-15)
    assert found["nndr"].risk == pytest.approx(0.36923076923076925, abs=1e-15)
    assert (found["mdcr"].raw, found["mdcr"].risk) == (1.5, 0.4)
    assert (found["nnaa"].raw, found["nnaa"].risk) == (0.25, 0.75)
    for half in ("real_half", "synthetic_half"):
        assert found["nnaa"].figures[half].value == 0.25


def test_identifiability_of_the_worked_example():
    inputs = encoded(*EXAMPLE_B)
    weighted = inputs.weighted_neighbours()
    assert weighted.real_to_real.nearest(weighted.train).distance == pytest.approx(
        [2.16404, 2.16404, 2.16404, 4.16323], abs=5e-6
    )
    assert weighted.real_to_synthetic.distance == pytest.approx(
        [2.52472, 0.36067, 1.80337, 2.16404], abs=5e-6
    )
    found = measured("identifiability", inputs)
    assert (found.raw, found.risk) == (0.75, 0.75)


def test_a_constant_column_that_moves_a_little_hides_no_copy():
    table = pd.DataFrame({"x": np.arange(20.0), "k": 0.0})
    columns = {name: {"type": "numeric", "role": "other"} for name in table}
    moved = table.assign(k=[0.0] + [1e-6] * 19)  # a column wholly out of range is not accepted
    release = release_from_frames(train=table, synthetic=moved, columns=columns)
    found = measured("identifiability", Inputs(release=release))
    assert (found.raw, found.risk) == (1.0, 1.0)
    assert found.diagnostics["columns without a weight"] == ["k"]
    assert "'k' is constant in train" in found.notes[0]


def test_two_identical_people_and_their_copy_have_ratio_zero():
    found = measured("nndr", encoded([0, 0, 5], [0, 4]))
    assert found.raw == pytest.approx((0 + 1 / 4) / 2)
    assert found.diagnostics["records that coincide with two people"] == 1
    assert found.figures["zero_share"].value == 0.5


def test_most_people_with_a_twin_leave_no_spacing_unless_records_are_copies():
    with pytest.raises(NotAssessable, match="identical twin"):
        measured("mdcr", encoded([0, 0, 0, 0, 9], [1, 2, 3]))
    assert measured("mdcr", encoded([0, 0, 0, 0, 9], [0, 0, 3])).risk == 1


def test_a_side_without_spacing_leaves_only_the_comparison_open():
    found = measured("mdcr", encoded([0, 1, 2, 3], [1.5, 2.5, 7], [4, 4, 4, 4]))
    assert found.risk == pytest.approx(1 / 1.5)
    for name in ("holdout_risk", "gap", "excess"):
        assert "identical twin" in found.figures[name].reason


@pytest.mark.parametrize("name", METRICS)
def test_one_person_is_not_enough(name):
    # A single row has no column that varies, which the weighted space notices first.
    with pytest.raises(NotAssessable, match=r"at least 2|no column varies"):
        measured(name, encoded([1.0], [1.0, 2.0]))


def test_adversarial_accuracy_needs_two_records():
    with pytest.raises(NotAssessable, match="at least 2 rows"):
        measured("nnaa", encoded([1.0, 2.0], [1.0]))


@pytest.mark.parametrize("name", METRICS)
def test_no_comparison_without_enough_holdout_rows(name):
    drawn = np.random.default_rng(1).normal(size=(40, 2))
    for holdout, reason in ((None, "no holdout"), (drawn[:1] + 1, "fewer than 2")):
        found = measured(name, encoded(drawn[:20], drawn[20:], holdout))
        for figure in ("train_risk", "holdout_risk", "gap", "excess"):
            assert reason in found.figures[figure].reason


@pytest.mark.parametrize("name", METRICS)
def test_everyone_hit_leaves_no_excess(name):
    rows = np.arange(12.0)
    found = measured(name, encoded(rows, rows, rows))
    assert found.figures["gap"].value == 0
    assert "no excess" in found.figures["excess"].reason


def distances(a, b):
    return np.sqrt(((a[:, None] - b[None]) ** 2).sum(axis=2))


def others(a):
    own = distances(a, a)
    np.fill_diagonal(own, np.inf)
    return own


def below(a, b):
    return (a < b) & (np.abs(a - b) > 1e-9 * np.maximum(a, b))


def naive(y, z):
    """Return the raw values by the definitions, from whole matrices."""
    across, between, made = distances(y, z), others(y), others(z)
    two = np.sort(across, axis=0)[:2]
    ratio = [first / second if second else 0.0 for first, second in two.T]
    found = {
        "auth": below(between.min(1), across.min(1)).mean(),
        "nndr": np.mean(ratio),
        "nnaa": (
            below(between.min(1), across.min(1)).mean() + below(made.min(1), across.min(0)).mean()
        )
        / 2,
    }
    spacing, middle = np.median(between.min(1)), np.median(across.min(0))
    if spacing > 0 or middle == 0:
        found["mdcr"] = middle / spacing if middle else 0.0
    return found


points = st.integers(2, 10).flatmap(
    lambda n: st.tuples(*[arrays(np.float64, (n, 2), elements=st.integers(0, 5).map(float))] * 2)
)


@settings(max_examples=40)
@given(points)
def test_values_are_those_of_the_definitions(tables):
    for name, value in naive(*tables).items():
        assert measured(name, encoded(*tables)).raw == pytest.approx(value, abs=1e-12), name


def values(tables):
    found = {}
    for name in METRICS:
        try:
            result = measured(name, encoded(*tables))
            found[name] = (result.raw, result.risk)
        except NotAssessable as reason:
            found[name] = str(reason)
    return found


@settings(max_examples=40)
@given(points, st.integers(-3, 3))
def test_scale_is_irrelevant_but_to_the_distance_itself(tables, power):
    scale = 2.0**power
    larger = [scale * table for table in tables]
    assert values(larger) == values(tables)
    mean = [
        dcr.measure(encoded(*given), DcrParams(), np.random.default_rng(0)).raw
        for given in (tables, larger)
    ]
    assert mean[1] == pytest.approx(scale * mean[0])


@settings(max_examples=40)
@given(points, st.randoms(use_true_random=False))
def test_row_order_is_irrelevant(tables, random):
    turned = [table[random.sample(range(len(table)), len(table))] for table in tables]
    for name, found in values(tables).items():
        again = values(turned)[name]
        assert again == (found if isinstance(found, str) else pytest.approx(found, abs=1e-12))


@settings(max_examples=40)
@given(points)
def test_the_halves_of_adversarial_accuracy_and_authenticity_agree(tables):
    found = measured("nnaa", encoded(*tables))
    authentic = measured("auth", encoded(*tables)).raw
    assert found.figures["real_half"].value == pytest.approx(authentic, abs=1e-15)


@settings(max_examples=40)
@given(points)
def test_authenticity_differs_from_unweighted_identifiability_by_the_ties(tables):
    one = [table[:, :1] for table in tables]
    if np.ptp(one[0]) == 0:
        return
    exposed, identified = (measured(name, encoded(*one)) for name in ("auth", "identifiability"))
    ties = exposed.diagnostics["ties"] / len(one[0])
    assert exposed.risk == pytest.approx(identified.raw + ties, abs=1e-12)
    assert identified.raw <= identified.risk <= exposed.risk


@settings(max_examples=40)
@given(points, st.data())
def test_a_further_record_never_lowers_exposure(tables, data):
    y, z = tables
    if (y == y[0]).all():
        return
    row = data.draw(arrays(np.float64, (1, 2), elements=st.integers(0, 5).map(float)))
    for name in ("auth", "identifiability"):
        before, after = (measured(name, encoded(y, made)).risk for made in (z, np.vstack([z, row])))
        assert after >= before


@settings(max_examples=40)
@given(points)
def test_a_copy_is_full_risk_also_with_identical_rows(tables):
    y = tables[0]
    if (y == y[0]).all():
        return
    for table in (y, np.vstack([y, y])):
        turned = table[np.random.default_rng(len(table)).permutation(len(table))]
        for name in METRICS:
            assert measured(name, encoded(table, turned)).risk == 1, name


def test_far_records_are_no_risk():
    drawn = np.random.default_rng(2).normal(size=(200, 2))
    far = encoded(drawn[:100], drawn[100:] + 1e6)
    for name in ("auth", "identifiability", "nnaa"):
        assert measured(name, far).risk == 0
    assert measured("mdcr", far).risk < 1e-5
    assert measured("nndr", far).risk < 1e-5


def test_fresh_records_have_no_gap_on_average_and_planted_copies_always_have_one():
    fresh, copied = ({name: [] for name in METRICS} for _ in range(2))
    for seed in range(8):
        drawn = np.random.default_rng(seed).normal(size=(600, 4))
        train, honest, holdout = drawn[:200], drawn[200:400], drawn[400:]
        leaky = np.vstack([train[:150] + 1e-3, honest[150:]])  # a median needs more than half
        for name in METRICS:
            for gaps, synthetic in ((fresh, honest), (copied, leaky)):
                gaps[name].append(measured(name, encoded(train, synthetic, holdout)).figures["gap"])
    for name in METRICS:
        values = np.array([gap.value for gap in fresh[name]])
        assert abs(values.mean()) < 4 * values.std(ddof=1) / np.sqrt(len(values)), name
        assert min(gap.low for gap in copied[name]) > 0, name


@pytest.mark.parametrize("m", [30, 60, 240])
def test_chance_levels(m):
    drawn = np.random.default_rng(5).normal(size=(40, 60 + m, 3))
    found = {name: [] for name in ("auth", "identifiability", "nnaa")}
    for rows in drawn:
        inputs = encoded(rows[:60], rows[60:])
        for name, risks in found.items():
            risks.append(
                measured(name, inputs, **({"repetitions": 2} if name == "nnaa" else {})).risk
            )
    size = min(60, m)
    expected = {
        "auth": m / (m + 59),
        "identifiability": m / (m + 59),
        "nnaa": size / (2 * size - 1),
    }
    assert {name: np.mean(risks) for name, risks in found.items()} == pytest.approx(
        expected, abs=0.04
    )


def test_unequal_tables_are_drawn_down_to_one_size():
    drawn = np.random.default_rng(6).normal(size=(150, 2))
    for y, z in ((drawn[:50], drawn[50:]), (drawn[50:], drawn[:50])):
        found = measured("nnaa", encoded(y, z), repetitions=30)
        assert found.diagnostics["rows of each table"] == 50
        assert found.diagnostics["draws"] == 30
        rng = np.random.default_rng([0, 0])
        order = [rng.permutation(100)[:50] for _ in range(30)]
        each = [naive(*((y, z[o]) if len(z) > 50 else (y[o], z)))["nnaa"] for o in order]
        assert found.raw == pytest.approx(np.mean(each), abs=1e-12)
        error = np.std(each, ddof=1) / np.sqrt(30)
        assert found.diagnostics["standard error over draws"] == pytest.approx(error)


def test_the_interval_of_a_ratio_of_medians_covers():
    rng = np.random.default_rng(7)
    held = []
    for _ in range(200):
        rows = rng.normal(size=(160, 2))
        risk = measured("mdcr", encoded(rows[:80], rows[80:])).figures["risk"]
        held.append(risk.low <= 0.5 <= risk.high)
    assert np.mean(held) >= 0.95
