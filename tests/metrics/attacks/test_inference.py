import numpy as np
import pandas as pd
import pytest

from privgate.data import RowOrder, load_release, release_from_frames
from privgate.evidence import Status
from privgate.metrics.attacks.inference import InferenceParams, inference
from privgate.metrics.guessing import NOT_BETTER, WORSE
from privgate.metrics.inputs import Inputs
from privgate.testing.samples import SURVEY_COLUMNS, survey

KNOWN = {
    "x": {"type": "numeric", "role": "quasi_identifier"},
    "s": {"type": "categorical", "role": "sensitive"},
}
NUMBER = {**KNOWN, "s": {"type": "numeric", "role": "sensitive"}}


def inputs(train, synthetic, holdout=None, columns=KNOWN):
    release = release_from_frames(
        train=train,
        synthetic=synthetic,
        holdout=holdout,
        columns=columns,
        row_order=RowOrder.GIVEN,
    )
    return Inputs(release=release)


def measure(given, **params):
    return inference.measure(given, InferenceParams(**params), np.random.default_rng(0))


def table(x, s):
    return pd.DataFrame({"x": np.asarray(x, float), "s": s})


def test_worked_example():
    found = measure(inputs(table([0, 1, 2, 9], list("abba")), table([0, 1, 1, 5], list("abab"))))
    assert found.records[0].scores["guessed: s"].tolist() == [1, 0.5, 0.5, 0]
    assert found.parts[0].figures["train_rate"].value == 0.5
    assert found.parts[0].figures["baseline_rate"].value == 0.5
    assert found.risk == found.raw == 0.5


@pytest.mark.parametrize(
    ("truth", "guess", "right"),
    [
        (100, 105, True),
        (100, 105.1, False),
        (-100, -95, True),
        (-100, 100, False),
        (0, 0, True),
        (0, 1e-9, False),
        (0.3, 0.315, True),
    ],
)
def test_tolerance_is_relative_to_the_size_of_the_truth(truth, guess, right):
    given = inputs(table([0, 9], [truth, 7.0]), table([0, 9], [guess, 7.0]), columns=NUMBER)
    success = measure(given).records[0].scores["guessed: s"]
    assert success.tolist() == [right, True]


def test_other_units_of_the_tolerance():
    given = inputs(table([0, 9], [10.0, 30.0]), table([0, 9], [14.0, 30.0]), columns=NUMBER)

    def first(**params):
        return measure(given, **params).records[0].scores["guessed: s"][0]

    assert first(error="absolute", tolerance=4) == 1
    assert first(error="absolute", tolerance=3.9) == 0
    assert first(error="normalised", tolerance=0.4) == 1  # the standard deviation is 10
    assert first(error="normalised", tolerance=0.39) == 0


def test_missing_is_a_level_but_no_number():
    given = inputs(table([0, 1, 9], ["a", None, "b"]), table([0, 1, 9], ["b", None, "a"]))
    assert measure(given).records[0].scores["guessed: s"].tolist() == [0, 1, 0]
    numbers = inputs(
        table([0, 1, 9], [1.0, np.nan, 2.0]), table([0, 1, 9], [np.nan, 1.0, 2.0]), columns=NUMBER
    )
    success = measure(numbers).records[0].scores["guessed: s"]
    assert np.array_equal(success, [0, np.nan, 1], equal_nan=True)


def test_a_copy_gives_away_secrets_and_a_fresh_sample_does_not():
    people, others, fresh = survey(400, 1), survey(300, 2), survey(400, 3)
    copied = measure(inputs(people, people, others, SURVEY_COLUMNS))
    honest = measure(inputs(people, fresh, others, SURVEY_COLUMNS))
    for part in copied.parts:
        assert part.figures["excess"].low > 0.4, part.of
    for part in honest.parts:
        assert part.figures["gap"].low <= 0 <= part.figures["gap"].high, part.of
        assert part.figures["excess"].value is not None
    assert [part.of for part in honest.parts] == ["income", "smoker"]


def test_a_secret_that_follows_from_the_known_is_no_excess():
    def determined(rows, seed):
        x = np.random.default_rng(seed).integers(0, 5, rows)
        return table(x, np.array(list("aabcb"))[x])

    found = measure(inputs(determined(200, 1), determined(200, 2), determined(150, 3)))
    figures = found.parts[0].figures
    assert figures["train_rate"].value == figures["holdout_rate"].value == 1
    assert figures["gap"].value == 0
    assert "every holdout record" in figures["excess"].reason


def independent(rows, seed):
    rng = np.random.default_rng(seed)
    return table(rng.random(rows), rng.choice(["a", "b"], rows))


def test_noise_may_be_published_and_the_reader_is_told_that_the_attack_only_guesses():
    found = measure(inputs(independent(500, 1), independent(500, 2), independent(500, 3)))
    assert found.parts[0].figures["excess"].value is not None
    assert found.notes == (f"s: {NOT_BETTER}",)


def test_a_release_that_leads_the_attack_astray_clears_nothing():
    people = independent(500, 1)
    swapped = people.assign(s=people["s"].map({"a": "b", "b": "a"}))
    found = measure(inputs(people, swapped, independent(500, 3)), groups=["s"])
    figures = found.parts[0].figures
    assert figures["train_rate"].value == 0
    for name in ("gap", "excess", "worst_group_gap"):
        assert figures[name].reason == WORSE


def test_honest_noise_is_almost_never_called_worse_than_guessing():
    lost = 0
    for seed in range(60):
        tables = (independent(150, 3 * seed + shift) for shift in range(3))
        lost += measure(inputs(*tables)).parts[0].figures["gap"].value is None
    assert lost <= 1


@pytest.mark.parametrize("which", ["train", "synthetic"])
@pytest.mark.parametrize("columns", [KNOWN, NUMBER], ids=["categories", "numbers"])
def test_a_secret_with_one_value_cannot_be_guessed(which, columns):
    tables = {name: table([1, 2, 3], [1.0, 2.0, 3.0]) for name in ("train", "synthetic")}
    tables[which]["s"] = 1.0
    part = measure(inputs(**tables, columns=columns)).parts[0]
    assert part.status is Status.NOT_ASSESSED
    assert f"single value in {which}" in part.reason


def test_people_without_a_number_are_left_out_and_counted(survey_release):
    part = measure(Inputs(release=survey_release)).parts[0]
    missing = int(np.isnan(survey_release.train.values["income"]).sum())
    assert missing > 0
    assert part.diagnostics["train rows without a value, left out"] == missing
    assert part.figures["train_rate"].n == survey_release.train.rows - missing


def test_a_date_needs_an_error_in_its_own_units():
    columns = {**SURVEY_COLUMNS, "since": {"type": "datetime", "role": "sensitive"}}
    given = inputs(survey(80, 1), survey(80, 2), survey(80, 3), columns)
    parts = {part.of: part for part in measure(given).parts}
    assert "no meaning for a date" in parts["since"].reason
    parts = {part.of: part for part in measure(given, error="absolute", tolerance=86400).parts}
    assert parts["since"].status is Status.MEASURED


def test_groups_of_people_without_a_number_do_not_spoil_the_rest(survey_release):
    part = measure(Inputs(release=survey_release), groups=["sex"]).parts[0]
    assert part.diagnostics["groups"] == 2
    assert part.figures["worst_group_gap"].value is not None


def test_order_of_rows_and_names_of_levels_do_not_matter():
    tables = survey(150, 1), survey(150, 2), survey(120, 3)
    plain = measure(inputs(*tables, SURVEY_COLUMNS))
    turned = [frame.sample(frac=1, random_state=4).reset_index(drop=True) for frame in tables]
    for frame in turned:
        frame["smoker"] = frame["smoker"].map({"yes": "a", "no": "z"})
    again = measure(inputs(*turned, SURVEY_COLUMNS))
    for one, other in zip(plain.parts, again.parts, strict=True):
        for name in ("train_rate", "holdout_rate", "baseline_rate"):
            assert abs(one.figures[name].value - other.figures[name].value) < 1e-12


def test_without_a_holdout_only_the_rate_is_known():
    figures = measure(inputs(independent(90, 1), independent(90, 2))).parts[0].figures
    assert figures["train_rate"].value is not None
    assert figures["excess"].reason == "there is no holdout table"


@pytest.mark.parametrize(
    "params", [{"tolerance": -1}, {"error": "rmse"}, {"min_group": 3}, {"k": 1}]
)
def test_parameters_out_of_range_are_refused(params):
    with pytest.raises(ValueError, match="validation error"):
        InferenceParams(**params)


def test_a_known_leak_of_real_data_is_seen(shared):
    release = load_release(shared / "releases" / "census2k-syn_flip30.yaml")
    parts = measure(Inputs(release=release)).parts
    assert all(part.figures["excess"].low > 0.15 for part in parts)
    release = load_release(shared / "releases" / "census2k-syn_mostly.yaml")
    parts = measure(Inputs(release=release)).parts
    assert all(part.figures["gap"].low <= 0 for part in parts)
