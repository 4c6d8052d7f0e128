from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from privgate.data import Dimension, Totals, published_from_frame
from privgate.engine.plan import Planned
from privgate.engine.progress import Silent
from privgate.engine.run import Conditions, measure
from privgate.evidence import RunEvidence, Status
from privgate.metrics import Inputs, all_metrics
from privgate.metrics.screens.small_cells import small_differences
from privgate.policy import measurement_id
from privgate.report.redact import redact_evidence

METRIC = all_metrics()["small_cells"]
NAN = float("nan")


def table(rows, *, of=("sex",), totals="declared", name="counts"):
    """Rows are levels followed by the count, an empty count is suppressed."""
    frame = pd.DataFrame([(*levels, count) for *levels, count in rows], columns=[*of, "people"])
    stated = Totals(of=tuple(of), level="all") if totals == "declared" else totals
    return published_from_frame(frame, counts=["people"], totals=stated, name=name)


def measured(release, *tables):
    accompanied = release.accompanied_by(tables)
    return METRIC.measure(Inputs(release=accompanied), METRIC.params(), np.random.default_rng(0))


def figures(release, rows, **given):
    (part,) = measured(release, table(rows, **given)).parts
    return {name: figure.value for name, figure in part.figures.items()}


def found(rows, of=("sex",)):
    made = table(rows, of=of)
    return small_differences(made.counts["people"], made.dimensions)


def test_the_worked_example(survey_release):
    assert figures(survey_release, [("f", 40), ("m", None), ("all", 45)]) == {
        "small_cells": 0,
        "small_differences": 1,
        "smallest_cell": 40,
    }
    assert figures(survey_release, [("f", 40), ("m", 12), ("all", 52)]) == {
        "small_cells": 0,
        "small_differences": 0,
        "smallest_cell": 12,
    }


@pytest.mark.parametrize(("count", "small"), [(0, 0), (1, 1), (10, 1), (11, 0)])
def test_cells_of_1_to_10_are_small_and_0_is_not(survey_release, count, small):
    rows = [("f", 30), ("m", count)]
    assert figures(survey_release, rows, totals="none")["small_cells"] == small


def test_a_suppressed_cell_is_no_cell(survey_release):
    made = figures(survey_release, [("f", None), ("m", 30)], totals="none")
    assert made == {"small_cells": 0, "small_differences": 0, "smallest_cell": 30}


def test_a_single_suppressed_cell_is_given_away_and_two_are_not():
    assert found([("f", 40), ("m", None), ("x", 30), ("all", 75)]) == 1
    assert found([("f", None), ("m", None), ("x", 30), ("all", 75)]) == 0


def test_two_suppressed_cells_that_are_few_together_are_given_away():
    """5 people in two cells: who knows that somebody is in one of them knows a group of 5."""
    assert found([("f", None), ("m", None), ("x", 30), ("all", 35)]) == 1


def test_a_cell_left_out_is_one_not_shown():
    assert found([("f", 40), ("all", 45)]) == 1
    assert found([("f", 40), ("all", 51)]) == 0
    assert found([("f", 40), ("all", 40)]) == 0


def test_subtraction_goes_on_where_it_found_a_cell():
    """South: m is 60 - 40 = 20. So of all 50 m, the north has 50 - 20 = 30, and of the north 35 are
    30 and so 5 are f, though both cells of the north are suppressed.
    """
    rows = [
        ("north", "f", None),
        ("north", "m", None),
        ("north", "all", 35),
        ("south", "f", 40),
        ("south", "m", None),
        ("south", "all", 60),
        ("all", "m", 50),
    ]
    assert found(rows, of=("region", "sex")) == 1
    without = [row for row in rows if row[:2] != ("all", "m")]
    assert found(without, of=("region", "sex")) == 0


def test_a_suppressed_total_over_known_cells_is_known():
    """All of the north are 20 + 20, so 45 people less 40 leave 5 in the south."""
    rows = [
        ("north", "f", 20),
        ("north", "m", 20),
        ("north", "all", None),
        ("south", "all", None),
        ("all", "all", 45),
    ]
    assert found(rows, of=("region", "sex")) == 1


def test_a_total_without_cells_under_it_is_no_equation():
    rows = [("north", "f", 20), ("north", "all", 20), ("south", "all", None)]
    assert found(rows, of=("region", "sex")) == 0


def test_a_total_below_its_cells_is_a_contradiction(survey_release):
    (part,) = measured(survey_release, table([("f", 40), ("all", 39)])).parts
    assert part.figures["small_differences"].value is None
    assert "a total is smaller" in part.figures["small_differences"].reason
    assert part.figures["small_cells"].value == 0


def test_what_is_not_said_of_totals_is_unknown(survey_release):
    (part,) = measured(survey_release, table([("f", 40), ("m", 20)], totals=None)).parts
    assert "does not say whether the table has totals" in part.figures["small_differences"].reason


def test_a_release_file_that_is_silent_is_not_assessed_and_one_that_says_none_is(survey_release):
    def status(release):
        entry = Planned(measurement_id(METRIC, METRIC.params()), METRIC, METRIC.params())
        created = pd.Timestamp("2026-01-01", tz="UTC").to_pydatetime()
        how = Conditions(seed=1, seed_source="given", confidence=0.95, created=created)
        return measure(release, [entry], how, Silent()).evidence.measurements[0]

    silent = status(survey_release)
    assert silent.status is Status.NOT_ASSESSED
    assert "'published: []'" in silent.reason
    none = status(survey_release.accompanied_by(()))
    assert none.status is Status.MEASURED
    assert none.figures["small_cells"].value == none.figures["small_differences"].value == 0
    assert none.figures["smallest_cell"].value is None


def test_every_table_is_a_part_and_the_worst_is_the_whole(survey_release):
    first = table([("f", 40), ("m", 3)], totals="none", name="a")
    second = table([("f", 40), ("m", 50)], totals="none", name="b")
    made = measured(survey_release, first, second)
    assert [part.of for part in made.parts] == ["a", "b"]
    assert [part.figures["small_cells"].value for part in made.parts] == [1, 0]


def test_a_shareable_report_shows_no_small_count_of_a_table(survey_release):
    release = survey_release.accompanied_by(
        (table([("f", 40), ("m", 3), ("all", 43)]), table([("f", 4)], totals="none", name="b"))
    )
    entry = Planned(measurement_id(METRIC, METRIC.params()), METRIC, METRIC.params())
    created = pd.Timestamp("2026-01-01", tz="UTC").to_pydatetime()
    how = Conditions(seed=1, seed_source="given", confidence=0.95, created=created)
    evidence: RunEvidence = measure(release, [entry], how, Silent()).evidence
    (shown,) = redact_evidence(evidence).measurements
    values = [
        figure.value
        for of in (shown.figures, *(part.figures for part in shown.parts))
        for figure in of.values()
    ]
    assert not any(value is not None and 1 <= value <= 10 for value in values)
    assert shown.diagnostics == {}
    assert all(part.diagnostics == {} for part in shown.parts)


grids = st.integers(2, 4).flatmap(
    lambda width: st.lists(
        st.lists(st.integers(0, 40), min_size=width, max_size=width), min_size=2, max_size=4
    )
)


def _with_totals(grid, hidden):
    """Return counts and dimensions of a table with all totals, some inner cells suppressed."""
    cells = np.array(grid, float)
    whole = np.block([[cells, cells.sum(1, keepdims=True)], [cells.sum(0), cells.sum()]])
    inner = np.zeros(whole.shape, bool)
    inner[:-1, :-1] = np.random.default_rng(hidden).random(cells.shape) < 0.3
    rows, columns = np.indices(whole.shape)
    dimensions = [
        Dimension(name, codes.ravel(), codes.ravel() == codes.max())
        for name, codes in (("row", rows), ("column", columns))
    ]
    return whole, inner, dimensions


@given(grids, st.integers(0, 1000))
def test_a_table_with_every_cell_shown_leaves_nobody(grid, hidden):
    whole, _, dimensions = _with_totals(grid, hidden)
    assert small_differences(whole.ravel(), dimensions) == 0


@given(grids, st.integers(0, 1000))
def test_a_lone_suppressed_small_cell_is_always_found(grid, hidden):
    whole, inner, dimensions = _with_totals(grid, hidden)
    counts = np.where(inner, np.nan, whole)
    alone = inner & ((inner.sum(0) == 1)[None, :] | (inner.sum(1) == 1)[:, None])
    given_away = alone & (whole >= 1) & (whole <= 10)
    assert (small_differences(counts.ravel(), dimensions) > 0) or not given_away.any()


@given(grids, st.integers(0, 1000))
def test_what_is_found_does_not_depend_on_the_order_of_rows(grid, hidden):
    whole, inner, dimensions = _with_totals(grid, hidden)
    counts = np.where(inner, np.nan, whole).ravel()
    order = np.random.default_rng(hidden).permutation(len(counts))
    turned = [replace(it, codes=it.codes[order], is_total=it.is_total[order]) for it in dimensions]
    assert small_differences(counts, dimensions) == small_differences(counts[order], turned)
