import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privgate.data import load_release, release_from_frames
from privgate.data.assembly import RowOrder
from privgate.metrics.inputs import Inputs
from privgate.metrics.screens import hit_rate as screen
from privgate.metrics.screens.crp import CrpParams, crp
from privgate.metrics.screens.hit_rate import HitRateParams, hit_rate
from privgate.testing.samples import SURVEY_COLUMNS, survey

COLUMNS = {
    "x": {"type": "numeric", "role": "other"},
    "y": {"type": "numeric", "role": "other"},
    "c": {"type": "categorical", "role": "other"},
}


def inputs(train, synthetic, holdout=None, columns=COLUMNS):
    frame = lambda rows: pd.DataFrame(rows, columns=list(columns))  # noqa: E731
    return Inputs(
        release=release_from_frames(
            train=frame(train),
            synthetic=frame(synthetic),
            holdout=None if holdout is None else frame(holdout),
            columns=columns,
        )
    )


def measure(given, **params):
    return hit_rate.measure(given, HitRateParams(**params), np.random.default_rng(0))


def numbers(train, synthetic, **params):
    columns = {"x": COLUMNS["x"]}
    return measure(inputs([[x] for x in train], [[x] for x in synthetic], None, columns), **params)


def test_worked_example():
    columns = {"x": COLUMNS["x"], "c": COLUMNS["c"]}
    given = inputs(
        [(0, "A"), (15, "A"), (30, "B")], [(1, "A"), (15, "B"), (29, "B")], None, columns
    )
    found = measure(given)
    assert found.raw == found.risk == pytest.approx(2 / 3, abs=1e-12)
    assert found.records[0].scores["hit"].tolist() == [True, False, True]
    assert "no holdout" in found.figures["gap"].reason


def test_close_includes_the_edge_whatever_the_rounding():
    assert 0.4 - 0.3 > 0.1
    assert numbers([0.3, 3.3], [0.4, 9]).raw == 0.5
    assert numbers([0.3, 3.3], [0.4001, 9]).raw == 0
    assert numbers([0.3, 3.3], [0.4, 9], divisor=31).raw == 0


def test_one_record_must_agree_in_everything():
    apart = inputs([(0, 0, "a"), (30, 30, "a")], [(0, 30, "a"), (30, 0, "a")])
    assert measure(apart).raw == 0


def test_a_constant_number_must_be_equal():
    assert numbers([5, 5, 5], [5, 5]).raw == 1
    rows = [(0, 5, "a"), (30, 5, "a")]
    assert measure(inputs(rows, [(0, 5, "a"), (30, 5.001, "a")])).raw == 0.5


def test_missing_is_close_to_missing_only():
    train = [(0, None, "a"), (30, 1, None), (15, 2, "a"), (0, 0, "b")]
    found = measure(inputs(train, [(0, None, "a"), (30, 1, None), (15, None, "a"), (9, 0, "b")]))
    assert found.raw == 0.5
    assert measure(inputs(train, [(0, 0, "a"), (30, 1, "a"), (15, 2, None)])).raw == 0


CELLS = st.tuples(
    st.sampled_from([0.0, 0.1, 0.3, 0.4, 3.0, None]),
    st.sampled_from([0, 1, 2, 30, None]),
    st.sampled_from(["a", "b", None]),
)
ROWS = st.lists(CELLS, min_size=1, max_size=8)
ANCHOR = [(0.0, 0, "a"), (3.0, 30, "a")]


def expected(train, synthetic):
    """The definition, pair by pair."""
    widths = [
        (max(known) - min(known)) / 30
        for known in ([row[a] for row in train if row[a] is not None] for a in (0, 1))
    ]

    def close(a, b, width):
        return a is b if a is None or b is None else abs(a - b) <= width * (1 + 1e-9)

    return [
        any(z[2] == y[2] and all(close(z[a], y[a], widths[a]) for a in (0, 1)) for z in synthetic)
        for y in train
    ]


@settings(max_examples=30)
@given(ROWS, ROWS)
def test_it_follows_its_definition_and_is_never_below_common_rows(train, synthetic):
    given = inputs(ANCHOR + train, ANCHOR + synthetic)
    found = measure(given).raw
    assert found == np.mean(expected(ANCHOR + train, ANCHOR + synthetic))
    assert found >= crp.measure(given, CrpParams(), np.random.default_rng(0)).raw


@settings(max_examples=30)
@given(ROWS, ROWS, CELLS)
def test_another_record_never_lowers_it(train, synthetic, record):
    few = measure(inputs(ANCHOR + train, ANCHOR + synthetic)).raw
    assert measure(inputs(ANCHOR + train, [*ANCHOR, *synthetic, record])).raw >= few


LEVELS = st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from("pq")), min_size=1, max_size=9)


@settings(max_examples=30)
@given(LEVELS, LEVELS)
def test_with_categories_only_it_is_common_rows(train, synthetic):
    columns = dict.fromkeys("uv", COLUMNS["c"])
    given = inputs([("a", "p"), *train], [("a", "p"), *synthetic], None, columns)
    common = crp.measure(given, CrpParams(), np.random.default_rng(0))
    assert measure(given).raw == common.raw


@settings(max_examples=30)
@given(ROWS)
def test_a_copy_hits_everyone_also_twice_and_shuffled(rows):
    table = ANCHOR + rows
    assert measure(inputs(table, table[::-1])).risk == 1
    assert measure(inputs(table * 2, table * 2)).risk == 1


def test_far_data_hits_nobody_and_a_fresh_release_no_more_than_the_holdout():
    train, holdout, fresh = survey(500, 1), survey(500, 2), survey(500, 3)

    def found(synthetic, divisor=2):
        release = release_from_frames(
            train=train, holdout=holdout, synthetic=synthetic, columns=SURVEY_COLUMNS
        )
        return measure(Inputs(release=release), divisor=divisor)

    honest = found(fresh).figures
    assert honest["train_rate"].value > 0
    assert honest["gap"].low < 0 < honest["gap"].high
    nudged = train.assign(income=train["income"] + 0.01)
    assert found(nudged).figures["train_rate"].value == 1
    far = fresh.assign(age=fresh["age"] + 200)
    far.loc[0, "age"] = 40  # or the tables would be taken for different units
    assert found(far, divisor=30).risk < 0.01


def test_batches_change_nothing(monkeypatch):
    drawn = np.random.default_rng(4).integers(0, 40, (300, 3))
    rows = [(float(a), float(b), "ab"[c % 2]) for a, b, c in drawn]
    given = inputs(rows[:150], rows[150:])
    plain = measure(given)
    monkeypatch.setattr(screen, "MOST_PAIRS", 7)
    again = measure(given)
    assert 0 < plain.raw < 1
    assert np.array_equal(again.records[0].scores["hit"], plain.records[0].scores["hit"])


REFERENCE = {
    "avatar": (0.4225941422594142, 0.4000, 0.3220),
    "synthpop": (0.4476987447698745, 0.4390, 0.3268),
    "ctgan": (0.35355648535564854, 0.3415, 0.2732),
}


@pytest.mark.parametrize("generator", REFERENCE)
def test_reference_values_on_breast_cancer_data(shared, generator):
    release = load_release(shared / "releases" / f"wbcd-{generator}.yaml", row_order=RowOrder.GIVEN)
    given, (rate, train, holdout) = Inputs(release=release), REFERENCE[generator]
    assert measure(given).raw == pytest.approx(rate, abs=1e-12)
    hits = np.concatenate([entry.scores["hit"] for entry in measure(given).records])
    masks = given.neighbours().balanced(np.random.default_rng([0, 0]))
    assert [hits[mask].mean() for mask in masks] == pytest.approx([train, holdout], abs=5e-5)
