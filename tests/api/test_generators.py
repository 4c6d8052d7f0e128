from __future__ import annotations

import warnings
from io import StringIO

import numpy as np
import pandas as pd
import pytest
from rich.console import Console

import privgate
from privgate.api.generator_result import folds_outcome
from privgate.errors import InputError
from privgate.leakscan import scan_outputs
from privgate.policy import Outcome
from privgate.testing.samples import SURVEY_COLUMNS, survey


def bootstrap(train, n, seed):
    return train.sample(n, replace=True, random_state=seed)


def fresh(train, n, seed):
    del train
    return survey(n, seed)


@pytest.fixture(autouse=True)
def _no_warnings_of_the_policy():
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "every blocking rule is a screen")
        yield


@pytest.fixture(scope="module")
def data():
    table = survey(500, 1)
    return table.assign(household=np.random.default_rng(1).integers(0, 200, len(table)))


@pytest.fixture
def evaluate(policy, data):
    """Return a function that judges a generator by two folds."""

    def judge(fit_sample, **options):
        given = {"data": data, "policy": policy, "columns": SURVEY_COLUMNS, "folds": 2} | options
        if "data" not in options and given["columns"] is SURVEY_COLUMNS:
            given["data"] = data.drop(columns="household")
        return privgate.evaluate_generator(fit_sample, **given)

    return judge


def test_a_generator_that_copies_people_is_violated_on_every_fold(evaluate):
    result = evaluate(bootstrap)
    assert (result.outcome, result.exit_code, bool(result)) == ("violated", 1, False)
    rules = result.rules.set_index("id")
    assert rules.loc["common-rows", ["met", "violated", "not_assessed", "known"]].tolist() == [
        0,
        2,
        0,
        2,
    ]
    judged = [fold.rules.set_index("id").loc["common-rows", "judged"] for fold in result.folds]
    assert rules.loc["common-rows", ["lowest", "highest"]].tolist() == sorted(judged)
    with pytest.raises(privgate.ViolatedError, match="Violated on 2 of 2 folds"):
        result.raise_for_violation()


def test_a_generator_that_knows_nobody_meets_a_policy_of_attacks(evaluate, policy):
    source = privgate.Source(kind="house", ref="tests")
    attack = privgate.Rule(
        id="inference",
        metric="rapid",
        measure="gap",
        params={"tau": 0.3},
        require=privgate.Limit(max=0.6),
        source=source,
        rationale="a test",
    )
    result = evaluate(fresh, policy=policy.model_copy(update={"rules": (attack,)}))
    assert (result.outcome, bool(result)) == ("met", True)
    assert result.raise_for_violation() is None


@pytest.mark.parametrize(
    ("outcomes", "expected"),
    [
        (["met", "met"], "met"),
        (["met", "not_assessed"], "not_assessed"),
        (["not_assessed", "violated", "met"], "violated"),
        ([], "not_assessed"),
    ],
)
def test_one_fold_is_enough_to_stop(outcomes, expected):
    assert folds_outcome([Outcome(outcome) for outcome in outcomes]) == expected


def test_each_person_is_held_out_once_and_households_stay_together(evaluate, data):
    seen = []

    def watching(train, n, seed):
        seen.append(train)
        assert n == len(train)
        return bootstrap(train, n, seed)

    roles = {"age": "quasi_identifier", "income": "sensitive"}
    result = evaluate(watching, folds=3, groups="household", stratify="sex", columns=roles)
    households = [set(train["household"]) for train in seen]
    assert set.intersection(*households) == set()
    rows = [fold.evidence.release.tables["holdout"].rows for fold in result.folds]
    assert sum(rows) == len(data)
    columns = {column.name: column.role for column in result.folds[0].evidence.release.columns}
    assert (columns["household"], columns["age"]) == ("ignore", "quasi_identifier")


def test_neither_row_order_nor_time_decides(evaluate, data):
    own = data.drop(columns="household")
    one, other = (evaluate(bootstrap, data=d) for d in (own, own.sample(frac=1, random_state=3)))
    assert one.rules.equals(other.rules)
    for first, second in zip(one.folds, other.folds, strict=True):
        assert first.evidence.measurements == second.evidence.measurements
    assert not evaluate(bootstrap, seed=1).rules.equals(one.rules)


def test_displays_say_what_was_found_and_show_nobody(evaluate):
    result = evaluate(bootstrap)
    shown = result._repr_mimebundle_()
    assert shown["text/plain"].startswith(
        "VIOLATED: Violated on 2 of 2 folds\nCopies (copies, version 1.0.0)\n\n"
        "common-rows: Met 0; Violated 2; Not assessed 0; Lowest judged +"
    )
    assert "advisory" in shown["text/html"]
    assert "needs its own" in shown["text/html"]
    screen = Console(file=StringIO(), width=140)
    screen.print(result)
    assert "Violated on 2 of 2 folds" in screen.file.getvalue()
    files = {"a.html": shown["text/html"].encode(), "a.txt": shown["text/plain"].encode()}
    assert scan_outputs(files, result.folds[0].release) == ()
    assert "Violated on 2 of 2 folds" in repr(result)


def test_a_range_is_shown_only_if_no_figure_of_it_is_withheld(evaluate):
    """Two copied people on a fold are too few to be counted in a display."""

    def some(train, n, seed):
        return pd.concat([survey(n - 2, seed), train.head(2)], ignore_index=True)

    result = evaluate(some)
    assert result.rules.set_index("id").loc["common-rows", "known"] == 0
    row = result._view.rows[0]
    assert row[4:6] == ("–", "–")
    exact = evaluate(some, audience="internal")
    assert exact.rules.set_index("id").loc["common-rows", "known"] == 2
    assert "pp" in exact._view.rows[0][4]


def test_a_german_display_is_german(evaluate):
    shown = evaluate(bootstrap, language="de")._repr_mimebundle_()["text/plain"]
    assert "Verletzt in 2 von 2 Teilmengen" in shown


def stopping(train, n, seed):
    raise ValueError(f"PLANTED {train} {n} {seed}")


@pytest.mark.parametrize(
    ("fit_sample", "options", "words"),
    [
        (stopping, {}, "fold 1: the synthesizer stopped with ValueError"),
        (lambda train, n, _: train.head(n - 1), {}, "rows, and 250 were asked for"),
        (lambda train, n, _: train.drop(columns="age").head(n), {}, "lacks 'age'"),
        (lambda train, n, _: train.assign(age="PLANTED").head(n), {}, "fold 1, synthetic"),
        (lambda train, *_: train.to_numpy(), {}, "returned ndarray"),
        (bootstrap, {"folds": 1}, "1 folds of 500 rows"),
        (bootstrap, {"rows": 0}, "0 synthetic rows are too few"),
        (bootstrap, {"stratify": "sx"}, "did you mean 'sex'?"),
        (bootstrap, {"data": np.zeros((3, 3))}, "of type ndarray"),
        (bootstrap, {"language": "fr"}, "choose from"),
    ],
)
def test_what_cannot_be_judged_names_the_fold_and_no_record(evaluate, fit_sample, options, words):
    with pytest.raises(InputError) as refused:
        evaluate(fit_sample, **options)
    assert words in str(refused.value)
    assert "PLANTED" not in str(refused.value)
