import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privgate.data import RowOrder, load_release, release_from_frames
from privgate.errors import NotAssessable
from privgate.metrics.attacks.domias import DomiasParams, domias
from privgate.metrics.inputs import Inputs
from privgate.stats.ranking import auc, called, placements, recall_at
from privgate.testing.samples import SURVEY_COLUMNS, encoded, survey

COLUMNS = {name: {"type": "numeric", "role": "other"} for name in "abcd"}
BOTH = pytest.mark.parametrize("density", ["kernel", "classifier"])


def drawn(rows, seed):
    return pd.DataFrame(np.random.default_rng(seed).normal(size=(rows, 4)), columns=list("abcd"))


def measure(train, synthetic, holdout, columns=COLUMNS, *, seed=0, **params):
    release = release_from_frames(
        train=train,
        synthetic=synthetic,
        holdout=holdout,
        columns=columns,
        row_order=RowOrder.GIVEN,
    )
    own = DomiasParams.model_validate(params)
    return domias.measure(Inputs(release=release), own, np.random.default_rng(seed))


def test_worked_example():
    members, others = np.array([3.0, 2.0, 1.0]), np.array([2.0, 0.0])
    assert auc(*placements(members, others), level=0.95).value == pytest.approx(0.75, abs=1e-12)
    hits, alarms = called(members, others, share=0.5)
    assert hits == pytest.approx([1, 0.8, 0], abs=1e-12)
    assert (hits.mean(), alarms.mean()) == pytest.approx((0.6, 0.4), abs=1e-12)
    assert recall_at(members, others, false_alarms=0.25) == pytest.approx(0.5, abs=1e-12)


def test_the_ratio_by_hand():
    """Two clumps, one of which is published: ln of the ratio of two kernel sums."""
    rng = np.random.default_rng(1)
    columns = {"a": COLUMNS["a"]}
    train, synthetic, holdout = (pd.DataFrame({"a": rng.normal(size=n)}) for n in (30, 50, 100))
    found = measure(train, synthetic, holdout, columns, bandwidth=1)
    scale = train["a"].std(ddof=0)
    given_order = np.random.default_rng(0).permutation(100)
    reference, tested = (holdout["a"].to_numpy()[part] / scale for part in np.split(given_order, 2))
    width = reference.std() * 50 ** (-1 / 5)

    def density(points, sample):
        return np.exp(-((points[:, None] - sample) ** 2) / (2 * width**2)).mean(axis=1)

    published = synthetic["a"].to_numpy() / scale
    expected = np.log(density(tested, published) / density(tested, reference))
    scores = found.records[1].scores["log_density_ratio"]
    assert scores[given_order[50:]] == pytest.approx(expected, abs=1e-9)
    assert np.isnan(scores[given_order[:50]]).all()
    assert found.diagnostics["kernel width"] == pytest.approx(width, abs=1e-12)


@BOTH
def test_a_copy_of_train_gives_everyone_away(density):
    train = drawn(300, 1)
    found = measure(train, train.sample(frac=1, random_state=1), drawn(300, 2), density=density)
    assert found.risk == 1
    assert found.figures["auc"].value == 1
    assert found.figures["tpr_at_1"].value == 1
    assert found.figures["advantage"].value == 1


@BOTH
def test_a_fresh_release_gives_nobody_away(density):
    found = measure(drawn(1000, 1), drawn(1000, 3), drawn(1000, 2), density=density)
    area = found.figures["auc"]
    assert area.low < 0.5 < area.high < 0.56
    assert found.figures["advantage"].low < 0 < found.figures["advantage"].high
    assert found.figures["tpr_at_1"].low <= 0.01 <= found.figures["tpr_at_1"].high


def test_honest_releases_are_flagged_no_more_often_than_the_level_allows():
    above = 0
    for seed in range(100):
        release = [drawn(150, 3 * seed + part) for part in range(3)]
        area = measure(*release, seed=seed).figures["auc"]
        above += area.low > 0.5
    assert above <= 7  # 2.5 are expected; Binomial(100, .025) exceeds 7 once in 300 times


@BOTH
def test_many_rare_levels_give_nobody_away(density):
    """The levels that get an indicator must not be chosen by train alone."""
    columns = {f"c{n}": {"type": "categorical", "role": "other"} for n in range(150)}
    rng = np.random.default_rng(7)
    areas = []
    for seed in range(6):
        tables = [
            pd.DataFrame(rng.integers(0, 40, (160, 150)).astype(str), columns=list(columns))
            for _ in range(3)
        ]
        areas.append(measure(*tables, columns, seed=seed, density=density).figures["auc"].value)
    assert abs(np.mean(areas) - 0.5) < 0.06  # counted in train alone it is 0.27


def test_near_copies_are_seen_by_the_kernels():
    train = drawn(400, 1)
    found = measure(train, train + 0.05 * drawn(400, 9), drawn(400, 2))
    assert found.figures["auc"].low > 0.65
    assert found.diagnostics["share of train rows that rank first as copies"] == 0


def test_a_few_copies_show_among_few_false_alarms():
    train, honest = drawn(1000, 1), drawn(1000, 3)
    leaky = pd.concat([honest[50:], train[:50]])
    figures = measure(train, leaky, drawn(1000, 2)).figures
    assert figures["tpr_at_1"].value >= 0.05
    assert figures["tpr_at_1"].low > 0.02
    assert figures["auc"].value < 0.6


def test_a_published_row_that_the_population_has_too_is_no_copy():
    common = pd.DataFrame({"a": [0.0, 1.0] * 100, "b": [0.0, 0.0, 1.0, 1.0] * 50})
    columns = {name: COLUMNS[name] for name in "ab"}
    found = measure(common, common, common[:199], columns)
    assert found.diagnostics["share of train rows that rank first as copies"] == 0
    assert found.risk < 0.05


def test_equal_rows_have_equal_scores():
    rng = np.random.default_rng(4)
    tables = [
        pd.DataFrame(rng.integers(0, 2, (200, 4)).astype(float), columns=list("abcd"))
        for _ in range(3)
    ]
    found = measure(*tables)
    keys = tables[0].astype(int).astype(str).agg("".join, axis=1).to_numpy()
    scores = found.records[0].scores["log_density_ratio"]
    for key in set(keys):
        assert len(set(scores[keys == key].tolist())) == 1


def test_renaming_levels_changes_nothing():
    tables = [survey(200, seed) for seed in (1, 2, 3)]
    names = {"north": "z", "south": "y", "east": "a", "west": "m"}
    renamed = [table.assign(region=table["region"].map(names)) for table in tables]
    one, two = (measure(*given, SURVEY_COLUMNS) for given in (tables, renamed))
    before, after = (found.records[0].scores["log_density_ratio"] for found in (one, two))
    assert after == pytest.approx(before, abs=1e-8)


@given(st.integers(0, 1000), st.sampled_from(["kernel", "classifier"]), st.floats(0.05, 0.95))
@settings(max_examples=15)
def test_swapping_honest_rows_for_copies_never_lowers_the_area(seed, density, share):
    train, honest, holdout = (drawn(120, 3 * seed + part) for part in range(3))
    copies = round(share * 120)
    leaky = pd.concat([train[:copies], honest[copies:]])
    own = {"density": density, "seed": seed}
    found = measure(train, leaky, holdout, **own).figures["auc"].value
    assert found > share / 2 + 0.5 - 0.15, "copies rank first, the others about even"
    assert found > measure(train, honest, holdout, **own).figures["auc"].value - 0.05


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        ((100, 39, 200), "39 synthetic rows"),
        ((100, 100, 79), "39 rows of reference"),
        ((9, 100, 200), "10 train rows"),
    ],
)
def test_too_few_rows_are_not_assessed(rows, words):
    with pytest.raises(NotAssessable, match=words):
        measure(*(drawn(n, seed) for seed, n in enumerate(rows)))


def test_without_a_holdout_there_is_nothing_to_measure():
    with pytest.raises(NotAssessable, match="no holdout"):
        domias.measure(
            encoded(np.arange(60), np.arange(60)), DomiasParams(), np.random.default_rng(0)
        )


def test_few_people_cannot_speak_about_one_false_alarm_in_a_thousand():
    figures = measure(drawn(300, 1), drawn(300, 2), drawn(300, 3)).figures
    assert figures["tpr_at_1"].value is not None
    assert "150 people" in figures["tpr_at_01"].reason


def test_the_share_of_members_moves_the_advantage_and_nothing_else():
    train = drawn(300, 1)
    tables = train, train + 0.1 * drawn(300, 9), drawn(300, 2)
    half, tenth = (measure(*tables, member_share=share) for share in (0.5, 0.1))
    assert half.figures["auc"] == tenth.figures["auc"]
    assert half.figures["tpr_at_1"] == tenth.figures["tpr_at_1"]
    assert half.figures["advantage"].value > tenth.figures["advantage"].value > 0


def test_large_tables_are_subsampled_and_the_report_says_so():
    tables = drawn(1300, 1), drawn(1200, 2), drawn(2400, 3)
    found = measure(*tables, most_rows=1000, density="classifier")
    assert "1000 of 1300 train rows and 1000 of 1200" in found.notes[0]
    assert np.isfinite(found.records[0].scores["log_density_ratio"]).sum() == 1000
    assert found.diagnostics["rows of the reference"] == 1000
    assert measure(*tables, density="classifier").notes == ()


def test_a_group_that_was_copied_is_the_worst():
    train, holdout, synthetic = survey(800, 1), survey(800, 2), survey(800, 3)
    copied = train[train["sex"] == "f"]
    leaky = pd.concat([copied, synthetic[synthetic["sex"] == "m"]])
    found = measure(train, leaky, holdout, SURVEY_COLUMNS, groups=("sex", "outliers"))
    assert found.figures["worst_group_gap"].low > found.figures["advantage"].value > 0.2
    assert found.diagnostics["groups with too few people, left out"] == 1


@BOTH
def test_the_perturbed_copy_of_census_stands_out(shared, density):
    areas = {}
    for name in ("flip30", "mostly"):
        path = shared / "releases" / f"census2k-syn_{name}.yaml"
        inputs = Inputs(release=load_release(path, row_order=RowOrder.GIVEN))
        params = DomiasParams.model_validate({"density": density})
        areas[name] = domias.measure(inputs, params, np.random.default_rng([0, 0])).figures
    assert areas["flip30"]["auc"].low > 0.55
    assert areas["flip30"]["tpr_at_1"].low > 0.03
    assert areas["mostly"]["tpr_at_1"].high < 0.03
