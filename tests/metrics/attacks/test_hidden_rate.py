from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privgate.data import RowOrder, load_release, release_from_frames
from privgate.errors import NotAssessable
from privgate.metrics.attacks.hidden_rate import HiddenRateParams, hidden_rate
from privgate.metrics.inputs import Inputs

COLUMNS = {
    "x": {"type": "numeric", "role": "other"},
    "who": {"type": "categorical", "role": "identifier"},
}


def declared(train, synthetic, correspondence="same_order", columns=COLUMNS):
    release = release_from_frames(
        train=pd.DataFrame(train), synthetic=pd.DataFrame(synthetic), columns=columns
    )
    facts = release.facts.model_copy(update={"correspondence": correspondence})
    return Inputs(release=replace(release, facts=facts))


def measure(inputs, **params):
    return hidden_rate.measure(inputs, HiddenRateParams(**params), np.random.default_rng(0))


def in_order(train, synthetic):
    columns = {"x": COLUMNS["x"]}
    return measure(declared({"x": train}, {"x": synthetic}, columns=columns))


def test_worked_examples():
    found = in_order([0, 1, 4, 6], [0.2, 5.8, 4.1, 0.9])
    assert (found.raw, found.risk) == (0.5, 0.5)
    assert found.diagnostics["share that guessing links"] == 0.25
    assert found.records[0].scores["linked"].tolist() == [1, 0, 1, 0]
    tied = in_order([0, 1], [0.5, 0.5])
    assert (tied.raw, tied.risk) == (0.5, 0.5)
    assert tied.diagnostics["linked people with several nearest records"] == 2


def test_both_figures_say_the_same():
    figures = in_order([0, 1, 4, 6], [0.2, 5.8, 4.1, 6]).figures
    linked, hidden = figures["linked_share"], figures["hidden_share"]
    assert hidden.value == 1 - linked.value
    assert (hidden.low, hidden.high) == (1 - linked.high, 1 - linked.low)


def test_a_copy_links_everyone_who_is_unlike_all_others():
    assert in_order([3, 1, 2], [3, 1, 2]).risk == 1
    assert in_order([3, 3, 1, 2], [3, 3, 1, 2]).risk == 0.75


@settings(max_examples=12)
@given(st.permutations(range(5)), st.permutations(range(5)))
def test_a_key_finds_the_record_in_any_order_of_rows(people, records):
    x = np.array([0.0, 1, 4, 6, 9])
    made = np.array([0.2, 5.8, 4.1, 0.9, 20])
    names = np.array(list("abcde"))
    found = measure(
        declared(
            {"x": x[list(people)], "who": names[list(people)]},
            {"x": made[list(records)], "who": names[list(records)]},
            {"key": "who"},
        )
    )
    assert found.raw == pytest.approx(3 / 5)


def test_a_measured_column_can_be_the_key():
    columns = {**COLUMNS, "who": {"type": "numeric", "role": "other"}}
    given = declared(
        {"x": [0, 1], "who": [-5, 8]}, {"x": [1, 0], "who": [8, -5]}, {"key": "who"}, columns
    )
    assert measure(given).risk == 1


@pytest.mark.parametrize(
    ("people", "records"),
    [
        (["a", "b", "c"], ["a", "b", "d"]),
        (["a", "b", "b"], ["a", "b", "b"]),
        (["a", "b", "c"], ["a", "b", "c", "d"]),
        (["a", "b", "c", "d"], ["a", "b", "c"]),
        (["a", "b", "c"], ["a", "b", "b"]),
    ],
)
def test_a_key_that_does_not_pair_all_rows_is_not_assessed(people, records):
    given = declared(
        {"x": range(len(people)), "who": people},
        {"x": range(len(records)), "who": records},
        {"key": "who"},
    )
    with pytest.raises(NotAssessable, match="does not pair"):
        measure(given)


def test_a_key_that_is_missing_or_not_read_is_not_assessed():
    tables = {"x": [0, 1], "who": ["a", None]}
    with pytest.raises(NotAssessable, match="missing values"):
        measure(declared(tables, tables, {"key": "who"}))
    columns = {**COLUMNS, "who": {"type": "categorical", "role": "ignore"}}
    with pytest.raises(NotAssessable, match="role identifier"):
        measure(declared(tables, tables, {"key": "who"}, columns))
    with pytest.raises(NotAssessable, match="does not pair"):
        measure(declared({"x": [0, 1, 2]}, {"x": [0, 1]}, columns={"x": COLUMNS["x"]}))


def test_a_record_made_from_someone_is_found_and_a_fresh_one_is_not():
    drawn = np.random.default_rng(3).normal(size=(400, 3))
    columns = dict.fromkeys("abc", COLUMNS["x"])

    def table(rows):
        return dict(zip("abc", rows.T, strict=True))

    near = table(drawn[:200] + 0.01)
    assert measure(declared(table(drawn[:200]), near, columns=columns)).risk > 0.95
    fresh = measure(declared(table(drawn[:200]), table(drawn[200:]), columns=columns))
    assert fresh.figures["linked_share"].low < 1 / 200 < fresh.figures["linked_share"].high


@pytest.mark.parametrize("order", RowOrder)
def test_reference_value_on_breast_cancer_data(shared, order):
    release = load_release(shared / "releases" / "wbcd-avatar.yaml", row_order=order)
    found = measure(Inputs(release=release))
    assert found.raw == pytest.approx(0.9225917737905737, abs=1e-9)


def test_it_needs_a_declaration():
    assert hidden_rate.card.needs == ("correspondence",)


GROUPED = {"x": COLUMNS["x"], "side": {"type": "categorical", "role": "other"}}


def sides(made_of_left, made_of_right):
    """Return a release of two groups of 60 people, each record shifted by so much."""
    drawn = np.arange(120.0) * 10
    side = np.array(["l", "r"]).repeat(60)
    made = drawn + np.where(side == "l", made_of_left, made_of_right)
    return declared({"x": drawn, "side": side}, {"x": made, "side": side}, columns=GROUPED)


def test_a_leak_in_one_group_is_seen_in_it():
    found = measure(sides(1.0, 42.0), groups=["side"])
    worst = found.figures["worst_group_risk"]
    assert worst.value == 1
    assert (worst.low, worst.high) == (pytest.approx((0.05 / 4) ** (1 / 60)), 1)
    assert worst.method == "Clopper–Pearson"
    assert worst.level == 0.975
    assert found.figures["linked_share"].high < 0.6
    assert found.diagnostics["groups"] == 2
    honest = measure(sides(42.0, 42.0), groups=["side"]).figures["worst_group_risk"]
    assert honest.value == pytest.approx(1 / 60)  # the first person has nothing nearer
    assert honest.high < 0.11


def test_shares_of_a_link_widen_the_interval_of_a_group():
    side = np.array(["l", "r"]).repeat(12)
    x = np.where(side == "l", 0.0, np.arange(24.0) * 50)
    made = np.where(side == "l", 0.0, x + 123)
    given = declared({"x": x, "side": side}, {"x": made, "side": side}, columns=GROUPED)
    found = measure(given, groups=["side"], min_group=11)
    worst = found.figures["worst_group_risk"]  # twelve people share twelve records: 12 · 1/12
    assert worst.value == pytest.approx(1 / 12)
    assert worst.high == pytest.approx(0.42, abs=0.02)
    assert worst.low < worst.value < worst.high


def test_groups_too_small_or_not_named_are_unknown():
    given = sides(1.0, 42.0)
    reason = measure(given, groups=["side"], min_group=61).figures["worst_group_risk"].reason
    assert "no group has 61 people" in reason
    assert "no groups" in measure(given).figures["worst_group_risk"].reason
    with pytest.raises(NotAssessable, match="'x' is not a measured column with levels"):
        measure(given, groups=["x"])
