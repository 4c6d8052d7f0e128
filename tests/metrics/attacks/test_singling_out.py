import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privgate.data import RowOrder, load_release, release_from_frames
from privgate.errors import NotAssessable
from privgate.metrics import predicates
from privgate.metrics.attacks.singling_out import SinglingOutParams, singling_out
from privgate.metrics.guessing import NOT_BETTER
from privgate.metrics.inputs import Inputs
from privgate.metrics.ordered_table import OrderedTable
from privgate.metrics.predicates import (
    MISSING,
    attribute_matrix,
    has_order,
    multivariate_predicates,
    random_predicates,
    univariate_predicates,
)
from privgate.testing.samples import SURVEY_COLUMNS, survey

NUMBER = {"x": {"type": "numeric", "role": "other"}}


def inputs(train, synthetic, holdout=None, columns=SURVEY_COLUMNS):
    release = release_from_frames(
        train=train,
        synthetic=synthetic,
        holdout=holdout,
        columns=columns,
        row_order=RowOrder.GIVEN,
    )
    return Inputs(release=release)


def measure(given, seed=0, **params):
    return singling_out.measure(given, SinglingOutParams(**params), np.random.default_rng(seed))


def numbers(*values):
    return pd.DataFrame({"x": np.array(values, float)})


def test_worked_example():
    given = inputs(numbers(1, 5, 5, 9), numbers(1, 5, 9), numbers(2, 5, 8, 9), NUMBER)
    found = measure(given)
    values = {name: figure.value for name, figure in found.figures.items()}
    assert values["train_rate"] == 4 / 5
    assert values["holdout_rate"] == 3 / 5
    assert abs(values["excess"] - 1 / 2) < 1e-12
    assert found.diagnostics["univariate predicates"] == 5
    assert found.records[0].scores["times_singled_out"].tolist() == [2, 0, 0, 2]
    assert found.figures["train_rate"].n == 2  # four successes fall on two people, two on each


def test_a_larger_holdout_is_brought_to_the_size_of_train():
    given = inputs(numbers(1, 9), numbers(1, 9), numbers(1, 9, 9, 3), NUMBER)
    # Matches in the holdout: x = 1: 1, x = 9: 2, x ≤ 1: 1, x ≥ 9: 2; two of four people drawn.
    expected = (1 / 2 + 2 / 3 + 1 / 2 + 2 / 3) / 4
    assert abs(measure(given).figures["holdout_rate"].value - expected) < 1e-12


def test_a_smaller_holdout_takes_the_place_of_as_many_train_rows():
    given = inputs(numbers(1, 4, 4, 9), numbers(1, 9), numbers(1, 2), NUMBER)
    # Only x = 1 and x ≤ 1 match exactly one of two holdout rows (x ≤ 1: 1). Train matches one row
    # each, which stays among two of four with chance 1/2; every hit stands for 4/2 people.
    expected = 2 * (1 / 2 + 1 / 2) / 4
    figure = measure(given).figures["holdout_rate"]
    assert abs(figure.value - expected) < 1e-12
    assert figure.method == "Wilson, scaled"


@pytest.mark.parametrize("size", [150, 300, 900])
def test_a_fresh_sample_shows_no_excess_whatever_the_size_of_the_holdout(size):
    gaps, outside = [], 0
    for seed in range(12):
        tables = survey(300, 100 + seed), survey(300, 200 + seed), survey(size, 300 + seed)
        gap = measure(inputs(*tables), attacks=400).figures["gap"]
        gaps.append(gap.value)
        outside += not gap.low <= 0 <= gap.high
    assert abs(np.mean(gaps)) < 3 * np.std(gaps) / np.sqrt(len(gaps))
    assert outside <= 2


@pytest.mark.parametrize("size", [60, 300, 900])
@pytest.mark.parametrize("kind", ["univariate", "multivariate"])
def test_an_exact_copy_is_singled_out_throughout(kind, size):
    people = survey(300, 1)
    figures = measure(inputs(people, people, survey(size, 2)), kinds=[kind], attacks=300).figures
    assert figures["train_rate"].value == 1
    assert figures["excess"].value == 1
    assert figures["excess"].low > 0.9
    assert figures["gap"].low > 0.3


def test_a_copy_of_a_part_is_seen():
    people, others, fresh = survey(600, 1), survey(600, 2), survey(600, 3)
    partly = pd.concat([people[:150], fresh[150:]], ignore_index=True)
    figures = measure(inputs(people, partly, others)).figures
    assert figures["gap"].low > 0.05
    assert measure(inputs(people, fresh, others)).figures["gap"].low <= 0


def test_without_a_holdout_only_the_rate_is_known():
    figures = measure(inputs(survey(80, 1), survey(80, 2))).figures
    assert figures["train_rate"].value is not None
    assert figures["excess"].reason == "there is no holdout table"


def test_nothing_unique_is_nothing_to_try():
    twice = pd.concat([numbers(1, 2, 3)] * 2, ignore_index=True)
    with pytest.raises(NotAssessable, match="exactly one synthetic row"):
        measure(inputs(numbers(1, 2, 3), twice, columns=NUMBER))


def test_counts_of_predicates_are_stated_and_a_shortage_is_said(survey_release):
    found = measure(Inputs(release=survey_release), attacks=200)
    stated = found.diagnostics
    assert stated["predicates asked for"] == 200
    assert stated["univariate predicates"] == stated["multivariate predicates"] == 100
    assert stated["candidates tried"] >= 100
    assert not [note for note in found.notes if "could be learned" in note]
    few = measure(inputs(numbers(1, 5), numbers(1, 9), columns=NUMBER))
    assert "Only 4 of 2000 predicates could be learned" in few.notes[0]


def test_an_attack_no_better_than_guessing_is_said_to_be_and_its_figures_stand():
    tables = (numbers(*np.random.default_rng(seed).normal(size=200)) for seed in range(3))
    found = measure(inputs(*tables, NUMBER))
    assert found.figures["train_rate"].low <= found.figures["baseline_rate"].value
    assert NOT_BETTER in found.notes
    assert found.figures["excess"].value is not None


def test_other_kinds_and_numbers_of_columns(survey_release):
    given = Inputs(release=survey_release)
    one = measure(given, kinds=["univariate"]).diagnostics
    assert one["multivariate predicates"] == 0 < one["univariate predicates"]
    many = measure(given, kinds=["multivariate"], columns=50, attacks=100).diagnostics
    assert many["univariate predicates"] == 0 < many["multivariate predicates"]


def brute_force(asked, matrix):
    """Return by loops which rows each predicate matches."""
    return [
        [
            all((low[c] <= row[c] <= high[c]) != negated[c] for c in range(len(row)) if used[c])
            for row in matrix
        ]
        for low, high, used, negated in zip(
            asked.low, asked.high, asked.used, asked.negated, strict=True
        )
    ]


@given(st.integers(0, 10_000))
@settings(max_examples=30)
def test_learned_predicates_match_exactly_one_row_and_are_distinct(seed):
    release = inputs(survey(30, seed), survey(30, seed + 1)).release
    matrix = attribute_matrix(release.synthetic, release.columns)
    table, ordered = OrderedTable(matrix), has_order(release.columns)
    rng = np.random.default_rng(seed)
    several, _ = multivariate_predicates(table, ordered, width=3, limit=20, rng=rng)
    for learned in (several, univariate_predicates(table, ordered, limit=30, rng=rng)):
        assert [sum(held) for held in brute_force(learned, matrix)] == [1] * len(learned)
        assert len(learned.distinct()) == len(learned)
    assert (several.used.sum(axis=1) == 3).all()
    made_up = random_predicates(table, ordered, width=2, number=40, rng=rng)
    assert made_up.count(table).tolist() == [sum(held) for held in brute_force(made_up, matrix)]
    assert made_up.negated.any()


@given(st.integers(1, 300), st.integers(0, 10_000), st.sampled_from([1, 7, 2**26]))
def test_matches_are_those_of_a_loop_and_weights_are_summed_in_its_order(rows, seed, tile):
    rng = np.random.default_rng(seed)
    matrix = rng.integers(0, 1 + rng.integers(2 * rows), (rows, 3)).astype(float)
    matrix[rng.random(matrix.shape) < 0.1] = MISSING
    table = OrderedTable(matrix)
    made_up = random_predicates(table, np.array([True, True, False]), width=2, number=25, rng=rng)
    expected = np.array(brute_force(made_up, matrix))
    weights = np.where(rng.random(25) < 0.5, rng.random(25), 0.0)
    sums = np.zeros(rows)
    for held, weight in zip(expected, weights, strict=True):
        sums += held * weight
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(predicates, "TILE_BITS", tile)
        assert np.array_equal(made_up.count(table), expected.sum(axis=1))
        assert np.array_equal(made_up.spread(table, weights), sums)


def test_missing_values_are_no_smallest_number():
    table = OrderedTable(np.array([[MISSING], [3.0], [3.0], [8.0]]))
    learned = univariate_predicates(table, np.array([True]), limit=9, rng=np.random.default_rng(0))
    found = {(low, high) for low, high in zip(learned.low[:, 0], learned.high[:, 0], strict=True)}
    top = np.finfo(float).max
    assert found == {(MISSING, MISSING), (8.0, 8.0), (8.0, top)}  # 3 is least, but not alone


def test_order_of_rows_does_not_matter():
    tables = {"train": survey(90, 1), "synthetic": survey(90, 2), "holdout": survey(60, 3)}

    def figures(frames):
        release = release_from_frames(**frames, columns=SURVEY_COLUMNS)
        return measure(Inputs(release=release)).figures

    turned = {name: table.sample(frac=1, random_state=5) for name, table in tables.items()}
    assert figures(tables) == figures(turned)


@pytest.mark.parametrize(
    "params", [{"attacks": 10}, {"kinds": []}, {"kinds": ["both"]}, {"columns": 1}]
)
def test_parameters_out_of_range_are_refused(params):
    with pytest.raises(ValueError, match="validation error"):
        SinglingOutParams(**params)


def test_a_known_leak_of_real_data_is_seen(shared):
    release = load_release(shared / "releases" / "census2k-syn_flip30.yaml")
    assert measure(Inputs(release=release)).figures["excess"].low > 0.4
    release = load_release(shared / "releases" / "census2k-syn_mostly.yaml")
    figures = measure(Inputs(release=release)).figures
    assert figures["gap"].low <= 0
    assert figures["excess"].high < 0.1


def in_west(people, fresh):
    """Return a fresh release in which only the rows of one region are those of train."""
    west = people[people["region"] == "west"]
    return pd.concat([fresh[fresh["region"] != "west"], west], ignore_index=True)


@pytest.mark.slow
def test_a_leak_in_one_group_is_seen_in_it():
    people, fresh, others = survey(1200, 1), survey(1200, 2), survey(1200, 3)
    leaky = inputs(people, in_west(people, fresh), others)
    found = measure(leaky, groups=["region"])
    worst, gap = found.figures["worst_group_gap"], found.figures["gap"]
    assert worst.low > 0.5
    assert gap.high < 0.2
    assert worst.level == pytest.approx(1 - 0.05 / 4)  # north, south, east and west
    assert found.diagnostics["groups"] == 4
    assert found.diagnostics["groups with too few people, left out"] == 1  # without a region
    assert found.figures["gap"] == measure(leaky).figures["gap"]  # groups change no other figure
    honest = measure(inputs(people, fresh, others), groups=["region"]).figures
    assert honest["worst_group_gap"].low <= 0 < honest["worst_group_gap"].high < 0.3


@pytest.mark.slow
def test_groups_of_an_honest_release_show_no_gap():
    outside = 0
    for seed in range(15):
        tables = survey(300, 100 + seed), survey(300, 200 + seed), survey(450, 300 + seed)
        gap = measure(inputs(*tables), attacks=300, groups=["sex", "region"]).figures
        outside += gap["worst_group_gap"].low > 0
    assert outside <= 2


@pytest.mark.slow
def test_leaked_outliers_are_seen_as_a_group():
    rng = np.random.default_rng(5)
    columns = dict.fromkeys("abc", NUMBER["x"])

    def drawn(rows):
        return pd.DataFrame(rng.standard_t(4, size=(rows, 3)).round(3), columns=list("abc"))

    people, fresh, others = drawn(1500), drawn(1500), drawn(1500)
    far = people.abs().max(axis=1).nlargest(40).index
    leaky = pd.concat([fresh[fresh.abs().max(axis=1) < 6], people.loc[far]], ignore_index=True)
    params = {"groups": ["outliers"], "min_group": 11}
    seen = measure(inputs(people, leaky, others, columns), **params).figures["worst_group_gap"]
    honest = measure(inputs(people, fresh, others, columns), **params).figures["worst_group_gap"]
    assert seen.low > 0.2
    assert honest.low <= 0


SIDES = {**NUMBER, "side": {"type": "categorical", "role": "other"}}


def test_the_attack_within_a_group_is_the_attack_on_its_rows_alone():
    rng = np.random.default_rng(4)
    tables = [
        pd.DataFrame({"x": rng.integers(0, 60, 40).astype(float), "side": ["l", "r"] * 20})
        for _ in range(3)
    ]
    params = {"kinds": ["univariate"], "attacks": 500}  # so many that none is left to chance
    found = measure(inputs(*tables, SIDES), groups=["side"], min_group=11, **params)
    alone = {
        measure(inputs(*own, NUMBER), **params).figures["gap"].value
        for side in "lr"
        for own in [[table.loc[table["side"] == side, ["x"]] for table in tables]]
    }
    assert len(alone) == 2
    assert found.figures["worst_group_gap"].value in alone


def test_groups_without_people_or_descriptions_are_told():
    def table(left, right):
        side = ["l"] * len(left) + ["r"] * len(right)
        return pd.DataFrame({"x": np.array([*left, *right], float), "side": side})

    people, others = table(range(12), range(12)), table(range(1, 13), range(1, 13))
    params = {"groups": ["side"], "min_group": 11}
    for right in ([], [3, 3, 5, 5], [3, 3]):  # no row; values that occur twice
        found = measure(inputs(people, table([1, 5], right), others, SIDES), **params)
        assert found.diagnostics["groups"] == 2
        assert found.diagnostics["groups on which no attack could be made"] == 1
        assert found.figures["worst_group_gap"].level == 0.975
    few = measure(inputs(people, people, others, SIDES), groups=["side"])
    assert "no group has 50 people" in few.figures["worst_group_gap"].reason
    alone = measure(inputs(people, people, columns=SIDES), groups=["side"])
    assert alone.figures["worst_group_gap"].reason == "there is no holdout table"
    unasked = measure(inputs(people, people, others, SIDES)).figures["worst_group_gap"]
    assert "no groups" in unasked.reason
