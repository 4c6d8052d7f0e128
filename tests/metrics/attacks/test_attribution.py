"""ZCAP and GCAP: worked example, laws, degenerate cases."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privgate.data import load_release, release_from_frames
from privgate.errors import NotAssessable
from privgate.evidence import Status
from privgate.executors import Threads
from privgate.metrics.attacks.gcap import GcapParams, gcap
from privgate.metrics.attacks.zcap import ZcapParams, zcap
from privgate.metrics.inputs import Inputs
from privgate.testing.samples import SURVEY_COLUMNS, survey

KEYS = {name: {"type": "categorical", "role": "quasi_identifier"} for name in ("sex", "land")}
COLUMNS = {**KEYS, "ill": {"type": "categorical", "role": "sensitive"}}
TRAIN = [("F", "DK", "yes"), ("M", "DK", "no"), ("M", "IT", "yes"), ("F", "FR", "no")]
SYNTHETIC = [("F", "DK", "yes"), ("F", "DK", "no"), ("M", "DK", "no"), ("M", "FR", "no")]
SYNTHETIC += [("F", "IT", "yes")]
BOTH = pytest.mark.parametrize(
    ("attack", "model"), [(zcap, ZcapParams), (gcap, GcapParams)], ids=["zcap", "gcap"]
)


def inputs(train, synthetic, holdout=None, columns=COLUMNS, jobs=1):
    frame = lambda rows: pd.DataFrame(rows, columns=list(columns))  # noqa: E731
    return Inputs(
        release=release_from_frames(
            train=frame(train),
            synthetic=frame(synthetic),
            holdout=None if holdout is None else frame(holdout),
            columns=columns,
        ),
        executor=Threads(jobs),
    )


def measure(attack, model, given, **params):
    return attack.measure(given, model(**params), np.random.default_rng(0))


def zero(given, **params):
    return measure(zcap, ZcapParams, given, **params)


def general(given, **params):
    return measure(gcap, GcapParams, given, **params)


def test_worked_example():
    found, closest = zero(inputs(TRAIN, SYNTHETIC)), general(inputs(TRAIN, SYNTHETIC))
    assert found.raw == found.risk == 0.375
    assert found.parts[0].diagnostics["train rows with a guess"] == 2
    assert found.parts[0].diagnostics["success of a guess without keys"] == 0.5
    assert closest.raw == pytest.approx(7 / 12, abs=1e-12)
    assert closest.parts[0].diagnostics["train rows with a guess"] == 4
    assert "no holdout" in closest.parts[0].figures["excess"].reason


@BOTH
def test_the_holdout_is_attacked_in_the_same_way(attack, model):
    swapped = measure(attack, model, inputs(SYNTHETIC, SYNTHETIC, TRAIN)).parts[0]
    alone = measure(attack, model, inputs(TRAIN, SYNTHETIC)).parts[0]
    rates = swapped.figures["train_rate"].value, swapped.figures["holdout_rate"].value
    assert rates[1] == pytest.approx(alone.figures["train_rate"].value, abs=1e-15)
    assert swapped.figures["gap"].value == pytest.approx(rates[0] - rates[1])
    assert swapped.figures["excess"].value == pytest.approx((rates[0] - rates[1]) / (1 - rates[1]))
    assert swapped.diagnostics["holdout rows with a guess"] > 0


ROWS = st.lists(
    st.tuples(*[st.sampled_from(["a", "b", "c", None])] * 2, st.sampled_from(["x", "y", None])),
    min_size=1,
    max_size=9,
)
ANCHOR = [("a", "a", "x")]  # a level in common, or the tables would not belong together


def expected(people, records, *, exact):
    """The definition, person by person."""
    shares = []
    for *keys, secret in people:
        unequal = [sum(a != b for a, b in zip(keys, row, strict=False)) for row in records]
        limit = 0 if exact else min(unequal)
        near = [row[2] for row, count in zip(records, unequal, strict=True) if count <= limit]
        shares.append(near.count(secret) / len(near) if near else 0)
    return sum(shares) / len(shares)


@settings(max_examples=30)
@given(ROWS, ROWS)
def test_both_follow_their_definition_with_missing_as_a_level(train, synthetic):
    people, records = ANCHOR + train, ANCHOR + synthetic
    tables = inputs(people, records)
    found, closest = zero(tables).raw, general(tables).raw
    assert found == pytest.approx(expected(people, records, exact=True), abs=1e-12)
    assert closest == pytest.approx(expected(people, records, exact=False), abs=1e-12)
    assert closest >= found - 1e-12


@settings(max_examples=15)
@given(ROWS, st.permutations(["a", "b", "c"]))
def test_renaming_levels_changes_nothing(rows, names):
    def renamed(table):
        to = dict(zip("abc", names, strict=True))
        return [(to.get(a), to.get(b), secret) for a, b, secret in table]

    people, records = ANCHOR + rows, ANCHOR + rows[::2]
    for attack in (zero, general):
        plain = attack(inputs(people, records)).raw
        assert attack(inputs(renamed(people), renamed(records))).raw == pytest.approx(plain)


@BOTH
def test_a_copy_scores_one_where_keys_determine_the_secret(attack, model):
    rows = [("F", "DK", "yes"), ("M", "DK", "no"), ("M", None, None), ("F", "FR", "no")]
    for table in (rows, rows * 2):
        assert measure(attack, model, inputs(table, table[::-1])).risk == 1
    ambiguous = [("F", "DK", "yes"), ("F", "DK", "no"), ("M", "DK", "no")]
    assert measure(attack, model, inputs(ambiguous, ambiguous)).risk == pytest.approx(2 / 3)


def test_without_any_overlap_of_keys_nothing_is_said():
    apart = [("F", "DK", "yes"), ("M", "IT", "no")], [("F", "IT", "yes"), ("M", "DK", "no")]
    with pytest.raises(NotAssessable, match="shares its keys"):
        zero(inputs(*apart))
    assert general(inputs(*apart)).raw == 0.5


@BOTH
def test_a_constant_secret_is_full_risk_with_the_baseline_beside(attack, model):
    rows = [("F", "DK", "no"), ("M", "IT", "no")]
    found = measure(attack, model, inputs(rows, rows, [*rows[:1], ("M", "FR", "no")]))
    assert found.risk == 1
    assert found.parts[0].diagnostics["success of a guess without keys"] == 1


def random_secrets(seed, rows=400):
    rng = np.random.default_rng(seed)
    keys = rng.integers(0, 12, (rows, 2)).astype(str)
    return [(*own, secret) for own, secret in zip(keys, rng.choice(list("xyz"), rows), strict=True)]


@BOTH
def test_a_planted_leak_is_seen_and_a_fresh_release_is_not(attack, model):
    train, holdout, fresh = (random_secrets(seed) for seed in (1, 2, 3))
    honest = measure(attack, model, inputs(train, fresh, holdout)).parts[0].figures
    assert honest["gap"].low < 0 < honest["gap"].high
    assert honest["excess"].low < 0 < honest["excess"].high
    half = measure(attack, model, inputs(train, train[:200] + fresh[:200], holdout)).parts[0]
    assert half.figures["gap"].low > 0
    copied = measure(attack, model, inputs(train, train, holdout)).parts[0].figures
    assert copied["excess"].low > 0.2
    assert copied["gap"].value > half.figures["gap"].value


@BOTH
def test_numbers_need_declared_classes(attack, model):
    release = Inputs(
        release=release_from_frames(
            train=survey(300, 1),
            synthetic=survey(300, 3),
            holdout=survey(300, 2),
            columns=SURVEY_COLUMNS,
        )
    )
    with pytest.raises(NotAssessable, match=r"'bins'.*'age'"):
        measure(attack, model, release)
    found = measure(attack, model, release, bins=4)
    assert [part.of for part in found.parts] == ["income", "smoker"]
    assert {part.status for part in found.parts} == {Status.MEASURED}
    assert found.risk == max(part.figures["train_rate"].value for part in found.parts)
    assert set(found.records[0].scores) == {"success: income", "success: smoker"}


@BOTH
def test_a_numeric_secret_without_classes_is_refused_and_the_others_are_measured(attack, model):
    columns = {**COLUMNS, "pay": {"type": "numeric", "role": "sensitive"}}
    rows = [(*row, place) for place, row in enumerate(TRAIN)]
    parts = measure(attack, model, inputs(rows, rows, columns=columns)).parts
    assert [(part.of, part.status) for part in parts] == [
        ("ill", Status.MEASURED),
        ("pay", Status.NOT_ASSESSED),
    ]
    only = {**KEYS, "pay": columns["pay"]}
    pay = [(sex, land, place) for place, (sex, land, _) in enumerate(TRAIN)]
    found = measure(attack, model, inputs(pay, pay, columns=only))
    assert (found.parts[0].status, found.risk) == (Status.NOT_ASSESSED, None)


def test_bins_hold_about_equally_many_train_values_and_missing_ones_their_own():
    columns = {
        "x": {"type": "numeric", "role": "quasi_identifier"},
        "ill": {"type": "categorical", "role": "sensitive"},
    }
    train = [(x, str(x > 2)) for x in (1, 2, 3, 4)] + [(None, "False")]
    synthetic = [(-9, "False"), (2.5, "True"), (99, "True"), (None, "False")]
    found = zero(inputs(train, synthetic, columns=columns), bins=2)
    assert found.raw == 1
    found = zero(inputs(train, synthetic, columns=columns), bins=4)
    # -9 counts as 1 and 99 as 4; 2.5 lies in the class of 3, and 2 finds no record.
    assert found.raw == 0.8


def test_secrets_can_be_guessed_all_at_once():
    columns = {**COLUMNS, "job": {"type": "categorical", "role": "sensitive"}}
    train = [("F", "DK", "yes", "a"), ("M", "DK", "no", "b")]
    synthetic = [("F", "DK", "yes", "b"), ("F", "DK", "yes", "a"), ("M", "DK", "yes", "b")]
    tables = inputs(train, synthetic, columns=columns)
    each = {part.of: part.figures["train_rate"].value for part in zero(tables).parts}
    assert each == {"ill": 0.5, "job": 0.75}
    joint = zero(tables, secrets="joint")
    assert (joint.parts[0].of, joint.raw) == ("ill + job", 0.25)


@BOTH
def test_the_worst_group_is_a_figure(attack, model):
    train, holdout, fresh = (random_secrets(seed) for seed in (1, 2, 3))
    leaking = [row for row in train if row[0] < "3"] + [row for row in fresh if row[0] >= "3"]
    found = measure(
        attack, model, inputs(train, leaking, holdout), groups=["sex"], min_group=20
    ).parts[0]
    assert found.figures["worst_group_gap"].value > found.figures["gap"].value
    assert found.diagnostics["groups"] == 12


def test_threads_and_tiles_change_nothing(monkeypatch):
    train, fresh = random_secrets(1), random_secrets(3)
    plain = general(inputs(train, fresh)).parts
    monkeypatch.setattr("privgate.neighbors.tiles.TILE_BYTES", 8 * 140 * 11)
    assert general(inputs(train, fresh, jobs=3)).parts == plain


def test_copies_of_real_people_leak_their_income(shared):
    def rates(name):
        release = load_release(shared / "releases" / f"{name}.yaml")
        parts = general(Inputs(release=release), bins=10).parts
        return max(part.figures["excess"].value for part in parts if part.figures)

    assert rates("census2k-train-as-synthetic") > 0.5 > rates("census2k-syn_mostly")
