import numpy as np
import pandas as pd
import pytest

from privgate.data import release_from_frames
from privgate.evidence import Status
from privgate.executors import Threads
from privgate.metrics.attacks.rapid import RapidParams, rapid
from privgate.metrics.inputs import Inputs
from privgate.testing.samples import SURVEY_COLUMNS, survey


def inputs(train, synthetic, holdout=None, columns=SURVEY_COLUMNS):
    return Inputs(
        release=release_from_frames(
            train=train, synthetic=synthetic, holdout=holdout, columns=columns
        ),
        executor=Threads(2),
    )


def measure(given, **params):
    return rapid.measure(given, RapidParams(**params), np.random.default_rng(0))


KNOWN = {
    "x": {"type": "categorical", "role": "quasi_identifier"},
    "y": {"type": "categorical", "role": "sensitive"},
}


def determined(rows, seed):
    x = np.random.default_rng(seed).choice(["a", "b", "c"], rows, p=[0.6, 0.3, 0.1])
    return pd.DataFrame({"x": x, "y": pd.Series(x).map({"a": "A", "b": "B", "c": "C"})})


@pytest.mark.parametrize("attacker", ["lightgbm", "random_forest", "cart", "logistic"])
def test_a_secret_that_follows_from_the_known_puts_everyone_at_risk_and_opens_no_gap(attacker):
    found = measure(
        inputs(determined(300, 1), determined(300, 2), determined(200, 3), KNOWN),
        attackers=[attacker],
    )
    figures = found.parts[0].figures
    assert figures["fraction"].value > 0.97
    assert figures["n_at_risk"].value == round(figures["fraction"].value * 300)
    assert abs(figures["gap"].value) < 0.03
    assert figures["gap"].low <= 0 <= figures["gap"].high


@pytest.mark.parametrize("attacker", ["lightgbm", "random_forest", "cart", "logistic"])
def test_an_independent_secret_is_not_given_away(attacker):
    def drawn(rows, seed):
        table = determined(rows, seed)
        table["y"] = np.random.default_rng(seed + 50).choice(["A", "B"], rows)
        return table

    found = measure(
        inputs(drawn(800, 1), drawn(800, 2), drawn(800, 3), KNOWN), attackers=[attacker]
    )
    assert found.parts[0].figures["fraction"].value < 0.15


def test_a_copied_table_opens_a_gap_under_the_forest():
    rng = np.random.default_rng(4)

    def drawn(rows):
        return pd.DataFrame({"x": rng.random(rows), "y": rng.choice(["A", "B"], rows)})

    train = drawn(500)
    columns = {**KNOWN, "x": {"type": "numeric", "role": "quasi_identifier"}}
    found = measure(inputs(train, train, drawn(500), columns), attackers=["random_forest"])
    assert found.parts[0].figures["gap"].low > 0.2


def test_every_sensitive_column_is_a_part_and_its_chart_agrees_with_the_figure(survey_release):
    found = measure(Inputs(release=survey_release))
    assert [part.of for part in found.parts] == ["income", "smoker"]
    smoker = found.parts[1]
    chart = smoker.charts[0]
    at_tau = chart.series[0].y[chart.x.index(0.3)]
    assert at_tau == smoker.figures["fraction"].value
    for series in chart.series:
        assert all(a >= b for a, b in zip(series.y, series.y[1:], strict=False))
    income = found.parts[0].charts[0]
    assert list(income.series[0].y) == sorted(income.series[0].y)
    assert found.risk == max(part.figures["fraction"].value for part in found.parts)


def test_people_without_a_number_are_left_out_and_counted(survey_release):
    found = measure(Inputs(release=survey_release))
    missing = int(np.isnan(survey_release.train.values["income"]).sum())
    assert missing > 0
    assert found.parts[0].figures["fraction"].n == survey_release.train.rows - missing
    assert found.parts[0].diagnostics["train rows without a value, left out"] == missing
    assert len(found.records[0].scores["at_risk: income"]) == survey_release.train.rows


def test_the_strongest_attacker_decides(survey_release):
    given = Inputs(release=survey_release)
    both = measure(given, attackers=["random_forest", "lightgbm"])
    for part in both.parts:
        own = [part.diagnostics[f"fraction ({name})"] for name in ("lightgbm", "random_forest")]
        assert part.figures["fraction"].value == max(own)


def test_bounds_are_ordered(survey_release):
    for part in measure(Inputs(release=survey_release)).parts:
        figures = part.figures
        assert figures["fraction"].value < figures["fraction_upper"].value
        assert figures["fraction_upper"].value < figures["fraction"].high
        assert figures["fraction_bootstrap"].method == "bootstrap"


def one_class(which):
    tables = {name: determined(100, seed) for seed, name in enumerate(("train", "synthetic"))}
    tables[which]["y"] = "A"
    return tables


@pytest.mark.parametrize("which", ["train", "synthetic"])
def test_a_secret_with_one_value_cannot_be_assessed(which):
    tables = one_class(which)
    part = measure(inputs(**tables, holdout=determined(60, 9), columns=KNOWN)).parts[0]
    assert part.status is Status.NOT_ASSESSED
    assert which in part.reason


def test_too_few_rows_to_learn_from_cannot_be_assessed():
    part = measure(inputs(determined(100, 1), determined(39, 2), determined(60, 9), KNOWN)).parts[0]
    assert part.status is Status.NOT_ASSESSED
    assert "fewer than 40 synthetic rows" in part.reason


def test_a_date_needs_an_error_in_its_own_units():
    columns = {**SURVEY_COLUMNS, "since": {"type": "datetime", "role": "sensitive"}}
    given = inputs(survey(200, 1), survey(200, 2), survey(200, 3), columns)
    parts = {part.of: part for part in measure(given).parts}
    assert "no meaning for a date" in parts["since"].reason
    parts = {part.of: part for part in measure(given, error="normalised").parts}
    assert parts["since"].status is Status.MEASURED


def test_relative_error_of_zeros_says_what_to_use_instead():
    table = survey(100, 1)
    table.loc[0, "income"] = 0.0
    given = inputs(table, survey(100, 2), survey(100, 3))
    part = measure(given, error="relative").parts[0]
    assert part.status is Status.NOT_ASSESSED
    assert "stabilised_relative" in part.reason


def test_without_a_holdout_there_is_no_gap():
    part = measure(inputs(survey(200, 1), survey(200, 2))).parts[1]
    assert part.status is Status.MEASURED
    assert part.figures["gap"].value is None


@pytest.mark.parametrize(
    "params",
    [
        {"tau": 0},
        {"tau": 1},
        {"epsilon": 0},
        {"attackers": []},
        {"attackers": ["lightgbm"] * 2},
        {"attackers": ["svm"]},
        {"error": "rmse"},
        {"alpha": 1},
        {"tau": float("nan")},
        {"score": "accuracy"},
        {"ratio_cut": 1},
        {"nce_cut": 1},
        {"nce_cut": 0},
        {"null_refits": -1},
    ],
)
def test_parameters_out_of_range_are_refused(params):
    with pytest.raises(ValueError, match="validation error"):
        RapidParams(**params)


def test_the_worst_group_is_told_and_people_without_a_value_are_not_counted(survey_release):
    given = Inputs(release=survey_release)
    for part in measure(given, groups=["sex", "region"], min_group=20).parts:
        gap = part.figures["worst_group_gap"]
        assert gap.low <= gap.value <= gap.high
        assert gap.level > 0.95
        assert gap.high >= part.figures["gap"].low
        assert part.diagnostics["groups"] >= 5
    for part in measure(given).parts:
        assert "no groups" in part.figures["worst_group_gap"].reason


NULL = ("null_mean", "null_q95", "null_p", "excess_over_null")


def independent(rows, seed):
    table = determined(rows, seed)
    table["y"] = np.random.default_rng(seed + 50).choice(["A", "B"], rows, p=[0.7, 0.3])
    return table


def test_the_null_is_reached_by_an_independent_secret_and_left_behind_by_a_determined_one():
    nothing = measure(
        inputs(independent(400, 1), independent(400, 2), columns=KNOWN), null_refits=39
    )
    figures = nothing.parts[0].figures
    assert figures["null_p"].value > 0.1
    assert figures["excess_over_null"].low <= 0 <= figures["excess_over_null"].high
    everything = measure(
        inputs(determined(400, 1), determined(400, 2), columns=KNOWN), null_refits=39
    )
    figures = everything.parts[0].figures
    assert figures["null_p"].value == 1 / 40
    assert figures["null_mean"].value < 0.1
    assert figures["excess_over_null"].low > 0.8


def test_refits_give_the_same_digits_on_any_number_of_threads_and_change_nothing_else():
    release = release_from_frames(
        train=survey(150, 1),
        holdout=survey(100, 2),
        synthetic=survey(150, 3),
        columns=SURVEY_COLUMNS,
    )
    how = {"attackers": ["cart", "lightgbm", "linear", "logistic"], "bootstrap": 50}
    one, two = (
        measure(Inputs(release=release, executor=Threads(jobs)), null_refits=20, **how)
        for jobs in (1, 2)
    )
    assert one.parts == two.parts
    without = measure(Inputs(release=release), **how)
    for part, plain in zip(one.parts, without.parts, strict=True):
        for name, figure in plain.figures.items():
            assert figure == part.figures[name] or name in NULL


def test_a_constant_guess_of_lognormal_numbers_meets_its_closed_form():
    def drawn(rows, seed):
        rng = np.random.default_rng(seed)
        return pd.DataFrame({"x": rng.random(rows), "y": rng.lognormal(2.0, 1.0, rows)})

    columns = {
        "x": {"type": "numeric", "role": "quasi_identifier"},
        "y": {"type": "numeric", "role": "sensitive"},
    }
    found = measure(
        inputs(drawn(20_000, 1), drawn(20_000, 2), columns=columns),
        attackers=["linear"],
        error="relative",
        bootstrap=50,
        null_refits=20,
    )
    figures = found.parts[0].figures
    # Phi((1/2 - ln 0.9)) - Phi((1/2 - ln 1.1)), whatever the mean of the logarithm.
    assert figures["null_mean"].value == pytest.approx(0.0703830229, abs=0.006)
    assert figures["fraction"].value == pytest.approx(0.0703830229, abs=0.006)


def test_attackers_are_used_where_they_apply(survey_release):
    given = Inputs(release=survey_release)
    income, smoker = measure(given, attackers=["linear", "logistic"]).parts
    assert {name for name in income.diagnostics if name.startswith("fraction")} == {
        "fraction (linear)"
    }
    assert {name for name in smoker.diagnostics if name.startswith("fraction")} == {
        "fraction (logistic)"
    }
    income, smoker = measure(given, attackers=["linear"]).parts
    assert income.status is Status.MEASURED
    assert smoker.status is Status.NOT_ASSESSED
    assert smoker.reason == "linear cannot guess classes; name another attacker, such as logistic"
    income, smoker = measure(given, attackers=["logistic"]).parts
    assert "logistic cannot guess numbers" in income.reason


@pytest.mark.parametrize(("score", "cut"), [("conditional_ratio", "ratio_cut"), ("nce", "nce_cut")])
def test_older_scores_have_their_own_cut(survey_release, score, cut):
    given = Inputs(release=survey_release)
    smoker = measure(given, score=score, bootstrap=50).parts[1]
    usual = RapidParams(score=score).class_threshold
    assert usual == {"ratio_cut": 1.25, "nce_cut": 0.6}[cut]
    higher = measure(given, score=score, bootstrap=50, **{cut: usual * 1.1}).parts[1]
    assert higher.figures["fraction"].value < smoker.figures["fraction"].value
    assert smoker.figures["fraction"] != measure(given, bootstrap=50).parts[1].figures["fraction"]
    assert list(smoker.charts[0].marks) == ["cut"]
    chart = smoker.charts[0]
    assert chart.series[0].y[chart.x.index(usual)] == smoker.figures["fraction"].value


def test_ratio_of_a_secret_that_follows_from_the_known_is_not_harmless():
    given = inputs(determined(300, 1), determined(300, 2), determined(200, 3), KNOWN)
    part = measure(given, score="conditional_ratio").parts[0]
    assert part.status is Status.NOT_ASSESSED
    assert "would look harmless" in part.reason


def test_the_ratio_clears_nobody(survey_release):
    given = Inputs(release=survey_release)
    income, smoker = measure(given, score="conditional_ratio", groups=["sex"]).parts
    for name in ("gap", "worst_group_gap"):
        assert "a whole class shares" in smoker.figures[name].reason
        assert income.figures[name].value is not None  # a number has an error, no ratio


def test_classes_are_listed_by_size_and_never_by_name(survey_release):
    train = determined(300, 1)
    synthetic = determined(300, 2).replace({"y": {"C": "A"}})
    part = measure(inputs(train, synthetic, determined(200, 3), KNOWN)).parts[0]
    sizes = train["y"].value_counts()
    rows = part.diagnostics["share at risk by class"]
    assert [row["size rank"] for row in rows] == [1, 2, 3]
    assert rows[2]["train"] == 0  # a class that is not published is never guessed
    assert part.diagnostics["train rows of a class no synthetic row has"] == sizes["C"]
    assert {name for row in rows for name in row} == {"size rank", "train", "holdout"}
    assert part.figures["worst_class_fraction"].value > 0.9
    income = measure(Inputs(release=survey_release)).parts[0]
    assert "no classes" in income.figures["worst_class_fraction"].reason


def test_levels_that_only_real_people_have_are_counted_and_do_not_stop_the_attack():
    train, synthetic = determined(300, 1), determined(300, 2).replace({"x": {"c": "a"}})
    found = measure(inputs(train, synthetic, determined(100, 3), KNOWN), attackers=["logistic"])
    assert found.parts[0].status is Status.MEASURED
    seen = found.diagnostics["train rows with a level no synthetic row has"]
    assert seen == int((train["x"] == "c").sum()) > 0


def test_many_classes_are_warned_of():
    rng = np.random.default_rng(1)
    table = pd.DataFrame({"x": rng.choice(["a", "b"], 600), "y": rng.integers(0, 60, 600)})
    found = measure(inputs(table, table, columns=KNOWN), attackers=["cart"])
    assert found.parts[0].diagnostics["warning"].startswith("60 classes")
