import numpy as np
import pandas as pd
import pytest

from privgate.data import release_from_frames
from privgate.errors import InputError, NotAssessable
from privgate.evidence import SafeSide
from privgate.metrics.attacks.rapid import RapidParams, rapid
from privgate.metrics.inputs import Inputs
from privgate.stats.spread import Spread
from privgate.testing.samples import SURVEY_COLUMNS, survey
from privgate.trials import cross_validate_synthesizer, rapid_over_replicates

FAST = RapidParams(attackers=["cart"], bootstrap=50)
COLUMNS = {
    "x": {"type": "numeric", "role": "quasi_identifier"},
    "y": {"type": "categorical", "role": "sensitive"},
}


def noise(rows, seed):
    rng = np.random.default_rng(seed)
    return pd.DataFrame({"x": rng.random(rows), "y": rng.choice(["A", "B"], rows)})


def fresh(table, rng):
    return noise(len(table), int(rng.integers(2**31)))


def copied(table, rng):
    del rng
    return table


def replicates(*seeds, **how):
    tables = [survey(300, seed) for seed in seeds]
    given = {"params": FAST} | how
    return rapid_over_replicates(survey(300, 1), survey(200, 2), tables, SURVEY_COLUMNS, **given)


def test_replicates_have_the_mean_worst_and_spread_of_their_measurements():
    runs = replicates(3, 4, 5)
    assert set(runs.spreads) == {"income", "smoker"}
    for place, secret in enumerate(("income", "smoker")):
        values = [m.parts[place].figures["fraction"].value for m in runs.measurements]
        spread = runs.spreads[secret]["fraction"]
        assert spread.values == tuple(values)
        assert spread.worst == max(values)
        assert spread.mean == pytest.approx(np.mean(values))
        assert spread.sd == pytest.approx(np.std(values, ddof=1))
    assert "accuracy" in runs.spreads["smoker"]
    assert "accuracy" not in runs.spreads["income"]  # a number has no class
    assert "null_p" not in runs.spreads["smoker"]


@pytest.mark.slow
def test_same_seed_same_runs_on_any_number_of_threads_and_another_seed_another_attacker():
    params = RapidParams(attackers=["random_forest"], bootstrap=50)
    tables = noise(120, 1), noise(100, 2), [noise(120, 3), noise(120, 4)]
    one, two, other = (
        rapid_over_replicates(*tables, COLUMNS, params=params, seed=seed, jobs=jobs)
        for seed, jobs in ((0, 1), (0, 2), (1, 1))
    )
    assert one.measurements == two.measurements
    assert one.measurements != other.measurements


def test_a_replicate_that_cannot_be_attacked_is_named_and_hides_behind_no_other():
    broken = survey(300, 4).assign(smoker="no")
    tables = [survey(300, 3), broken]
    with pytest.raises(NotAssessable, match="replicate 2: smoker was not assessed: the column has"):
        rapid_over_replicates(survey(300, 1), None, tables, SURVEY_COLUMNS, params=FAST)


def test_a_release_without_a_secret_cannot_be_assessed():
    columns = SURVEY_COLUMNS | {
        name: {**SURVEY_COLUMNS[name], "role": "other"} for name in ("income", "smoker")
    }
    with pytest.raises(NotAssessable, match="replicate 1: no column is declared as sensitive"):
        rapid_over_replicates(survey(60, 1), None, [survey(60, 2), survey(60, 3)], columns)


def test_one_replicate_has_no_spread():
    with pytest.raises(InputError, match="1 synthetic tables have no spread; give at least 2"):
        replicates(3)


def test_problems_of_a_table_name_the_replicate():
    tables = [survey(60, 3), survey(60, 4).drop(columns="age")]
    with pytest.raises(InputError, match="replicate 2, synthetic"):
        rapid_over_replicates(survey(60, 1), None, tables, SURVEY_COLUMNS)


@pytest.mark.slow
def test_a_generator_that_copies_is_told_from_one_that_draws_afresh():
    params = RapidParams(attackers=["random_forest"], bootstrap=50)
    data = noise(400, 1)
    leaking, honest = (
        cross_validate_synthesizer(synthesize, data, COLUMNS, folds=3, params=params)
        for synthesize in (copied, fresh)
    )
    gap, none = leaking.spreads["y"]["gap"], honest.spreads["y"]["gap"]
    assert gap.low > 0.2
    assert none.low < 0.1 < gap.minimum
    assert len(gap.values) == 3
    assert gap.se == pytest.approx(gap.sd / np.sqrt(3))
    assert (gap.low + gap.high) / 2 == pytest.approx(gap.mean)


def test_folds_are_measured_as_releases_with_the_fold_as_holdout():
    seen = []

    def watched(table, rng):
        seen.append(table)
        return fresh(table, rng)

    runs = cross_validate_synthesizer(watched, noise(120, 1), COLUMNS, folds=4, params=FAST)
    assert [len(table) for table in seen] == [90] * 4
    for measurement in runs.measurements:
        (part,) = measurement.parts
        assert part.figures["fraction"].n == 90
        assert part.figures["holdout_fraction"].n == 30


def test_row_order_of_the_data_is_irrelevant():
    data = noise(150, 1)
    one, other = (
        cross_validate_synthesizer(fresh, table, COLUMNS, folds=2, params=FAST)
        for table in (data, data.sample(frac=1, random_state=2))
    )
    assert one.measurements == other.measurements


@pytest.mark.parametrize(
    ("named", "words"),
    [
        (None, "no column is named to spread over the folds; name one of 'income', 'smoker'"),
        ("age", "'age' is not a sensitive column"),
    ],
)
def test_the_secret_to_stratify_by_must_be_clear(named, words):
    with pytest.raises(InputError, match=words):
        cross_validate_synthesizer(copied, survey(80, 1), SURVEY_COLUMNS, stratify_by=named)


def test_what_a_synthesizer_returns_must_be_readable():
    def mislabelled(table, rng):
        del rng
        return table.assign(age="old")

    with pytest.raises(InputError, match="fold 1, synthetic"):
        cross_validate_synthesizer(mislabelled, survey(80, 1), SURVEY_COLUMNS, stratify_by="smoker")


def test_spread_of_an_unfavourable_low_figure():
    spread = Spread((0.5, 0.25, 0.75), SafeSide.HIGH)
    assert (spread.minimum, spread.maximum, spread.worst) == (0.25, 0.75, 0.25)
    for values in ((0.5,), (0.5, float("nan"))):
        with pytest.raises(ValueError, match="at least 2"):
            Spread(values, SafeSide.LOW)


def test_one_run_is_the_metric_itself():
    runs = replicates(3, 4)
    release = release_from_frames(
        train=survey(300, 1),
        holdout=survey(200, 2),
        synthetic=survey(300, 3),
        columns=SURVEY_COLUMNS,
    )
    alone = rapid.measure(Inputs(release=release), FAST, np.random.default_rng(0))
    first = runs.measurements[0]
    for part, own in zip(first.parts, alone.parts, strict=True):
        assert part.figures["gap"].value == own.figures["gap"].value  # a tree hardly needs a seed
