import math
from statistics import median

import numpy as np
import pandas as pd
import pytest

from privgate.data import load_release, release_from_frames
from privgate.errors import NotAssessable
from privgate.executors import Threads
from privgate.metrics.attacks.air import AirParams, air
from privgate.metrics.inputs import Inputs
from privgate.testing.samples import SURVEY_COLUMNS, survey

COLUMNS = {
    "k": {"type": "numeric", "role": "quasi_identifier"},
    "b": {"type": "categorical", "role": "sensitive"},
    "c": {"type": "numeric", "role": "sensitive"},
}
TRAIN = {"k": [0, 1, 2, 3], "b": [1, 1, 0, 0], "c": [10, 20, -30, 0]}
SYNTHETIC = {"k": [0.1, 0.9, 2.2, 5], "b": [1, 0, 0, 1], "c": [10.5, 25, -28, 1]}


def inputs(train, synthetic, holdout=None, columns=COLUMNS, jobs=1):
    return Inputs(
        release=release_from_frames(
            train=pd.DataFrame(train),
            synthetic=pd.DataFrame(synthetic),
            holdout=None if holdout is None else pd.DataFrame(holdout),
            columns=columns,
        ),
        executor=Threads(jobs),
    )


def measure(given, **params):
    return air.measure(given, AirParams(bootstrap=50, **params), np.random.default_rng(0))


def only(name):
    return {column: COLUMNS[column] for column in ("k", name)}


def of(table, name):
    return {column: table[column] for column in ("k", name)}


def test_worked_example():
    found = measure(inputs(TRAIN, SYNTHETIC))
    assert found.raw == found.risk == pytest.approx(37 / 60, abs=1e-12)
    assert found.figures["air"].value == found.raw
    assert found.diagnostics["score of b (train)"] == pytest.approx((2 / 3 + 4 / 5) / 2)
    assert found.diagnostics["score of c (train)"] == 0.5
    assert found.diagnostics["weight of c"] == pytest.approx(0.5)
    # b: three of four guessed, c: two of four.
    assert found.figures["train_rate"].value == pytest.approx(0.625)


@pytest.mark.parametrize("level", ["1", 1])
def test_worked_example_with_a_positive_level(level):
    assert measure(inputs(TRAIN, SYNTHETIC), positive={"b": level}).raw == pytest.approx(
        5 / 9, abs=1e-12
    )


@pytest.mark.parametrize("positive", [{"b": "7"}, {"k": "1"}, {"c": "10"}])
def test_a_positive_level_must_exist(positive):
    with pytest.raises(NotAssessable, match="not a level of a sensitive column"):
        measure(inputs(TRAIN, SYNTHETIC), positive=positive)


def test_all_records_tied_for_the_nearest_vote():
    train = {"k": [0, 5, 9], "b": ["x", "y", "y"], "c": [1.0, 4.0, 8.0]}
    synthetic = {
        "k": [0, 0, 0, 5, 5, 9],
        "b": list("yxx") + list("yx") + ["y"],
        "c": [9.0, 1.0, 1.05, 3.0, 5.0, 80.0],
    }
    found = measure(inputs(train, synthetic))
    # x wins 2:1; a tie goes to the smaller level x; medians 1.05, 4 and 80.
    assert found.diagnostics["score of b (train)"] == pytest.approx(2 / 3)
    assert found.diagnostics["score of c (train)"] == pytest.approx(2 / 3)
    # With all six records every guess is the median 4.
    all_vote = measure(inputs(train, synthetic), k=6)
    assert all_vote.diagnostics["score of c (train)"] == pytest.approx(1 / 3)


def test_relative_tolerance_at_zero_below_zero_and_on_the_edge():
    truth = [0.0, 0.0, -10.0, -10.0, 0.3, 0.3]
    guess = [0.0, 1e-9, -11.0, -11.1, 0.33, 0.27]
    table = {"k": list(range(6)), "c": truth}
    found = measure(inputs(table, {**table, "c": guess}, columns=only("c")))
    assert found.raw == pytest.approx(4 / 6)
    strict = measure(inputs(table, {**table, "c": guess}, columns=only("c")), tolerance=0)
    assert strict.raw == pytest.approx(1 / 6)


def test_missing_values_are_left_out_on_one_side_and_wrong_on_the_other():
    train = {"k": [0, 1, 2, 3], "b": ["x", "y", None, "y"], "c": [1.0, None, 3.0, 4.0]}
    synthetic = {"k": [0, 1, 2, 3], "b": ["x", None, "y", "y"], "c": [1.0, 2.0, None, 4.0]}
    found = measure(inputs(train, synthetic))
    assert found.diagnostics["train rows without b, left out"] == 1
    assert found.diagnostics["train rows without c, left out"] == 1
    # x: F1 1; y: of two people one is guessed, F1 2/3.
    assert found.diagnostics["score of b (train)"] == pytest.approx(5 / 6)
    assert found.diagnostics["score of c (train)"] == pytest.approx(2 / 3)


def test_nobody_is_asked_who_has_no_secret():
    train = {"k": [0, 1, 2], "b": ["x", "y", None]}
    found = measure(inputs(train, train, columns=only("b")))
    assert found.figures["train_rate"].n == 2
    assert sorted(found.records[0].scores["success"]) == [0, 1, 1]


def test_a_level_that_no_holdout_person_has_does_not_count_there():
    train = {"k": [0, 1, 2], "b": ["x", "y", "z"]}
    found = measure(inputs(train, train, {"k": [0, 1.1], "b": ["x", "y"]}, only("b")))
    assert found.figures["holdout_air"].value == 1
    assert found.figures["air_gap"].value == 0
    assert "every holdout record" in found.figures["excess"].reason


def test_dates_count_from_the_earliest():
    days = pd.to_datetime(["2020-01-01", "2020-01-11", "2020-01-21", "2020-04-10"])
    guess = pd.to_datetime(["2020-01-01", "2020-01-12", "2020-01-24", "2020-04-19"])
    columns = {**only("c"), "c": {"type": "datetime", "role": "sensitive"}}
    found = measure(inputs({"k": range(4), "c": days}, {"k": range(4), "c": guess}, None, columns))
    assert found.raw == pytest.approx(3 / 4)


def test_nothing_to_learn_cannot_be_assessed():
    constant = {**TRAIN, "b": [1] * 4, "c": [2.0] * 4}
    with pytest.raises(NotAssessable, match="no sensitive column varies"):
        measure(inputs(constant, constant))
    with pytest.raises(NotAssessable, match="no column varies in train"):
        measure(inputs({**TRAIN, "k": [1] * 4}, {**SYNTHETIC, "k": [1, 2, 1, 1]}))
    partly = measure(inputs({**TRAIN, "c": [2.0] * 4}, {**SYNTHETIC, "c": [2.0] * 4}))
    assert partly.diagnostics["weight of c"] == 0
    assert partly.raw == pytest.approx(11 / 15)


def reference(release, table):
    """AIR by the book, person by person; the survey's keys are encoded as the text says."""
    keys = [column for column in release.columns if column.role == "quasi_identifier"]
    secrets = [column for column in release.columns if column.role == "sensitive"]
    numbers = release.train.values["age"]
    known, synthetic = release.tables[table], release.synthetic

    def squared(i, j):
        total = 0.0
        for column in keys:
            here, there = known.values[column.name][i], synthetic.values[column.name][j]
            same = column.type.has_levels
            total += 2 * (here != there) if same else ((here - there) / numbers.std()) ** 2
        return total

    score = weights = 0.0
    guesses = []
    for i in range(known.rows):
        distances = [math.sqrt(squared(i, j)) for j in range(synthetic.rows)]
        limit = min(distances) * (1 + 1e-9)
        guesses.append([j for j, distance in enumerate(distances) if distance <= limit])
    for column in secrets:
        truth, published = known.values[column.name], synthetic.values[column.name]
        train = release.train.values[column.name]
        if not column.type.has_levels:
            train = train[~np.isnan(train)]
            bins = np.histogram(train, bins=10)[0] / len(train)
            weight = -sum(share * math.log(share) for share in bins if share)
            right = asked = 0
            for i, near in enumerate(guesses):
                values = [published[j] for j in near if not np.isnan(published[j])]
                if np.isnan(truth[i]):
                    continue
                asked += 1
                right += bool(values) and abs(median(values) - truth[i]) <= 0.1 * abs(truth[i])
            score, weights = score + weight * right / asked, weights + weight
            continue
        modes = []
        for near in guesses:
            values = [int(published[j]) for j in near]
            modes.append(min(set(values), key=lambda value: (-values.count(value), value)))
        for level in set(train.tolist()):
            share = (train == level).mean()
            weight = -share * math.log(share) - (1 - share) * math.log(1 - share)
            hits = sum(a == b == level for a, b in zip(truth, modes, strict=True))
            involved = int((truth == level).sum()) + modes.count(level)
            score, weights = score + weight * 2 * hits / involved, weights + weight
    return score / weights


def test_it_follows_its_definition_on_a_survey():
    given = inputs(survey(70, 1), survey(80, 3), survey(60, 2), SURVEY_COLUMNS)
    found = measure(given)
    assert found.raw == pytest.approx(reference(given.release, "train"), abs=1e-12)
    assert found.figures["holdout_air"].value == pytest.approx(
        reference(given.release, "holdout"), abs=1e-12
    )


def population(seed, rows=500):
    rng = np.random.default_rng(seed)
    return {
        "k": rng.normal(size=rows),
        "b": np.where(rng.random(rows) < 0.05, "rare", "usual"),
        "c": np.exp(rng.normal(size=rows)),
    }


def test_a_planted_leak_is_seen_and_a_fresh_release_is_not():
    train, holdout, fresh = (population(seed) for seed in (11, 12, 13))
    honest = measure(inputs(train, fresh, holdout)).figures
    for name in ("gap", "excess", "air_gap"):
        assert honest[name].low < 0 < honest[name].high, name
    half = {name: np.r_[train[name][:250], fresh[name][:250]] for name in train}
    leaking = measure(inputs(train, half, holdout)).figures
    copied = measure(inputs(train, train, holdout))
    assert leaking["gap"].low > 0.1
    assert copied.risk == 1
    assert copied.figures["excess"].value == pytest.approx(1)
    assert copied.figures["gap"].value > leaking["gap"].value


def test_a_leak_of_a_rare_value_shows_in_air():
    train, holdout = population(1), population(2)
    found = measure(inputs(of(train, "b"), of(train, "b"), of(holdout, "b"), only("b")))
    assert found.figures["gap"].value < 0.15
    assert found.figures["air_gap"].low > 0.4


def test_renaming_levels_changes_nothing_but_ties():
    train, fresh = population(1, 80), population(3, 80)
    names = {"rare": "a", "usual": "z"}

    def renamed(table):
        return {**table, "b": [names[level] for level in table["b"]]}

    plain = measure(inputs(train, fresh))
    assert measure(inputs(renamed(train), renamed(fresh))).raw == pytest.approx(plain.raw)


def test_the_worst_group_is_a_figure():
    columns = {**COLUMNS, "g": {"type": "categorical", "role": "other"}}
    tables = [population(seed) for seed in (1, 2, 3)]
    train, holdout, fresh = ({**t, "g": np.tile(["p", "q"], 250)} for t in tables)
    leaking = {n: np.where(train["g"] == "p", train[n], fresh[n]) for n in train}
    found = measure(inputs(train, leaking, holdout, columns), groups=["g"])
    assert found.figures["worst_group_gap"].value > found.figures["gap"].value
    assert found.diagnostics["groups"] == 2


def test_threads_and_tiles_change_nothing(monkeypatch):
    train, fresh = population(1, 120), population(3, 110)
    plain = measure(inputs(train, fresh))
    monkeypatch.setattr("privgate.neighbors.tiles.TILE_BYTES", 8 * 110 * 7)
    again = measure(inputs(train, fresh, jobs=3))
    assert again.figures == plain.figures


def test_real_copies_leak_more_than_a_good_release(shared):
    def found(name):
        release = load_release(shared / "releases" / f"{name}.yaml")
        return measure(Inputs(release=release)).figures["excess"]

    assert found("census2k-train-as-synthetic").low > 0.5
    assert found("census2k-syn_mostly").low < 0.05
