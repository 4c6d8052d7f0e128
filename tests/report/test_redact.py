from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from privgate.evidence import Chart, Estimate, FigureSpec, Series
from privgate.metrics.comparison import compared
from privgate.metrics.registry import all_metrics
from privgate.policy.verdict import RequirementVerdict
from privgate.report import redact_evidence, redact_verdict
from privgate.report.chart_redaction import redact_chart
from privgate.report.sections.pictures import chart_block
from privgate.report.small_counts import Withheld, is_small, why_withheld, withhold_small
from privgate.report.wording import load_wording

counts = st.lists(st.integers(0, 40), min_size=1, max_size=25)


def histogram(*rows):
    return Chart(
        kind="histogram",
        title="t",
        x_label="x",
        y_label="y",
        x=tuple(range(len(rows[0]) + 1)),
        series=tuple(Series(name=f"s{i}", y=tuple(y), n=sum(y)) for i, y in enumerate(rows)),
        caption="c",
    )


@given(y=counts)
def test_no_bin_of_a_redacted_histogram_stands_for_one_to_ten(y):
    shown = redact_chart(histogram(y, y[::-1]))
    if shown is None:
        assert is_small(sum(y))
        return
    assert not any(is_small(count) for series in shown.series for count in series.y)
    assert [sum(series.y) for series in shown.series] == [sum(y), sum(y)]
    assert len(shown.x) == len(shown.series[0].y) + 1
    assert (shown.x[0], shown.x[-1]) == (0, len(y))


def test_points_of_a_curve_that_stand_for_few_or_all_but_few_are_blanked():
    series = Series(name="s", y=(0.0, 0.005, 0.5, 0.995, 1.0), n=1000)
    chart = histogram([20]).model_copy(
        update={"kind": "curve", "x": (0.0, 1.0, 2.0, 3.0, 4.0), "series": (series,)}
    )
    assert redact_chart(chart).series[0].y == (0.0, None, 0.5, None, 1.0)


def curve(counts, n):
    series = Series(name="s", y=tuple(count / n for count in counts), n=n)
    x = tuple(range(len(counts)))
    return histogram([20]).model_copy(update={"kind": "curve", "x": x, "series": (series,)})


@given(counts=st.lists(st.integers(0, 200), min_size=1, max_size=20), printed=st.integers(11, 189))
def test_no_two_points_of_a_curve_nor_a_point_and_a_figure_leave_one_to_ten(counts, printed):
    falling = sorted([*counts, printed], reverse=True)
    shown = redact_chart(curve(falling, 200), [Estimate(value=printed / 200, n=200)])
    kept = [round(y * 200) for y in shown.series[0].y if y is not None]
    assert printed in kept
    assert set(kept) <= set(falling)
    assert not any(is_small(abs(one - other)) for one in (0, 200, *kept) for other in kept)


def test_a_curve_with_points_left_out_says_so():
    words = load_wording("en")
    whole, part = curve([40, 20, 0], 40), redact_chart(curve([40, 20, 19, 9, 0], 40))
    assert part.series[0].y == (1.0, 0.5, None, None, 0.0)
    assert chart_block(whole, words, identity="c").caption == "c"
    assert words("chart.withheld") in chart_block(part, words, identity="c").caption


def test_points_that_are_means_over_many_rows_stay():
    chart = histogram([20]).model_copy(
        update={
            "kind": "points",
            "x": (5.0, 6.0),
            "series": (Series(name="s", y=(-3.0, 0.01)), Series(name="law", y=(None, 0.02))),
        }
    )
    assert redact_chart(chart) == chart


@pytest.mark.parametrize(
    ("count", "why"),
    [
        (0, None),
        (1, Withheld.FEW),
        (10, Withheld.FEW),
        (11, None),
        (4626, None),
        (4627, Withheld.ALL_BUT_FEW),
        (4637, None),
    ],
)
def test_shares_of_one_to_ten_people_are_withheld(sample, count, why):
    figure = sample.exact(count / sample.N)
    shown = withhold_small({"share": figure}, sample.CRP.figures, rows=100)
    assert why_withheld(shown["share"]) is why


def test_a_share_without_its_number_of_records_is_taken_for_one_of_the_smallest_table(sample):
    figure = sample.exact(0.05, n=None)
    shown = withhold_small({"share": figure}, sample.CRP.figures, rows=200)
    assert why_withheld(shown["share"]) is Withheld.FEW


@pytest.mark.parametrize("kind", ["share", "distance", "score"])
def test_a_figure_about_ten_people_is_withheld_with_their_number(kind):
    spec = FigureSpec(kind=kind, title="t", meaning="m", safe_side="low")
    for n in (1, 10):
        shown = withhold_small({"f": Estimate(value=0, n=n)}, {"f": spec}, rows=500)["f"]
        assert (shown.value, shown.n) == (None, None)
        assert why_withheld(shown) is Withheld.COMPANION
        unknown = Estimate(value=None, n=n, reason="because")
        assert withhold_small({"f": unknown}, {"f": spec}, rows=500)["f"].n is None
    kept = Estimate(value=0, n=11)
    assert withhold_small({"f": kept}, {"f": spec}, rows=500) == {"f": kept}


def test_behind_a_p_value_stand_draws():
    spec = FigureSpec(kind="p_value", title="t", meaning="m", safe_side="high")
    figure = Estimate(value=0.1, n=9)
    assert withhold_small({"p": figure}, {"p": spec}, rows=500) == {"p": figure}


def test_next_to_a_small_share_the_large_one_is_shown_and_no_difference(case):
    evidence = redact_evidence(case("nasty")[0])
    figures = evidence.measurements[0].figures
    assert why_withheld(figures["holdout_share"]) is Withheld.FEW
    assert figures["share"].value is not None
    assert why_withheld(figures["gap"]) is Withheld.COMPANION
    assert evidence.measurements[0].raw is None
    assert evidence.measurements[0].risk is None


ATTACK = all_metrics()["linkability"].card.figures


def attacked(train, holdout, *, sizes=(1000, 997)):
    """Return the figures of an attack that succeeds so often on the people of each table."""
    hits = (np.arange(size) < count for size, count in zip(sizes, (train, holdout), strict=True))
    return compared(*hits, level=0.95)


@given(
    train=st.integers(0, 990),
    few=st.lists(st.integers(1, 10), min_size=2, max_size=2, unique=True),
    sizes=st.tuples(st.integers(1000, 1200), st.integers(1000, 1200)),
    swap=st.booleans(),
)
def test_whatever_is_printed_is_the_same_for_every_small_count_behind_it(train, few, sizes, swap):
    pairs = [(count, train) if swap else (train, count) for count in few]
    one, other = (
        withhold_small(attacked(*pair, sizes=sizes), ATTACK, rows=min(sizes)) for pair in pairs
    )
    if is_small(train):  # then both are small, and only their number of records is left
        assert all(figure.value is None for figure in one.values())
    assert one == other


def test_a_small_difference_of_two_large_shares_counts_nobody_and_stays():
    figures = attacked(304, 300, sizes=(1000, 1000))
    assert 0 < figures["gap"].value * 1000 < 10
    assert withhold_small(figures, ATTACK, rows=1000) == figures


def test_a_difference_goes_where_its_second_share_is_not_known_to_be_harmless():
    figures = attacked(304, 5)
    del figures["holdout_rate"]  # as of a plug-in that states no such figure
    shown = withhold_small(figures, ATTACK, rows=997)
    assert shown["train_rate"].value == 0.304
    assert why_withheld(shown["gap"]) is Withheld.COMPANION
    assert why_withheld(shown["excess"]) is Withheld.COMPANION
    beside_all = withhold_small(figures | {"baseline_rate": Estimate(value=1.0)}, ATTACK, rows=997)
    assert beside_all["gap"].value is None
    alone = withhold_small({"gap": attacked(9, 5)["gap"]}, ATTACK, rows=997)["gap"]
    assert why_withheld(alone) is Withheld.FEW


def test_a_difference_goes_with_a_rate_of_ten_people_even_if_it_is_nothing_or_all():
    figures = attacked(300, 0, sizes=(1000, 10))
    shown = withhold_small(figures, ATTACK, rows=10)
    assert shown["holdout_rate"].value is None
    assert shown["gap"].value is None
    assert shown["train_rate"].value == 0.3


def test_precision_does_not_give_a_withheld_false_alarm_away():
    figures = {
        "tpr": Estimate(value=0.4, n=500),
        "fpr": Estimate(value=0.004, n=500),
        "precision": Estimate(value=200 / 202, n=1000),
    }
    shown = withhold_small(figures, all_metrics()["mir"].card.figures, rows=500)
    assert shown["tpr"].value == 0.4
    assert shown["precision"].value is None


@pytest.mark.parametrize(("beyond", "shown"), [(40, True), (37, False), (20, True)])
def test_exact_matches_beyond_the_holdout_do_not_give_few_of_the_holdout_away(beyond, shown):
    figures = {"exact_matches": Estimate(value=40), "exact_matches_excess": Estimate(value=beyond)}
    found = withhold_small(figures, all_metrics()["privet"].card.figures, rows=500)
    assert (found["exact_matches_excess"].value is not None) is shown


def test_figures_of_worst_parts_say_nothing_about_one_another(sample):
    evidence, _ = sample.sample("met")
    rapid = evidence.measurements[3]
    whole = Estimate(value=0.5, n=sample.N)
    figures = {"fraction": whole, "holdout_fraction": sample.exact(0.502), "gap": sample.exact(0.3)}
    parts = tuple(
        rapid.parts[0].model_copy(update={"of": name, "figures": {name: figure}})
        for name, figure in figures.items()
    )
    changed = rapid.model_copy(update={"parts": parts, "figures": figures})
    evidence = evidence.model_copy(update={"measurements": (changed,)})
    assert redact_evidence(evidence).measurements[0].figures == figures


@pytest.mark.parametrize("language", ["en", "de"])
def test_a_withheld_figure_is_told_by_what_holds(case, language):
    words = load_wording(language)
    evidence, verdict = case("nasty")
    shown = redact_verdict(verdict, redact_evidence(evidence), words)
    told = {rule.id: rule.reason for rule in shown.rules if rule.value is None}
    few, companion = (words(f"withheld.why_{name}") for name in ("few", "companion"))
    assert told["no-leaks"] == words("withheld.reason_violated", why=few)
    assert told["copied-records"] == words("withheld.reason_violated", why=companion)


def test_a_difference_of_a_small_share_and_nothing_is_withheld(sample):
    figures = {
        "share": sample.exact(5 / sample.N),
        "holdout_share": sample.exact(0.0),
        "gap": sample.exact(5 / sample.N),
    }
    shown = withhold_small(figures, sample.CRP.figures, rows=sample.N)
    assert shown["gap"].value is None
    assert shown["share"].value is None
    assert shown["holdout_share"].value == 0


def test_the_worst_part_is_withheld_where_the_part_itself_is(sample):
    evidence, _ = sample.sample("met")
    few = sample.exact(7)
    rapid = evidence.measurements[3]
    part = rapid.parts[0].model_copy(update={"figures": {"n_at_risk": few}})
    figures = {**rapid.figures, "n_at_risk": few}
    changed = rapid.model_copy(update={"parts": (part,), "figures": figures})
    evidence = evidence.model_copy(update={"measurements": (changed,)})
    assert redact_evidence(evidence).measurements[0].figures["n_at_risk"].value is None


@pytest.mark.parametrize(
    ("everyone", "shown"),
    [
        ((300, 400), True),  # 20 of the 100 others
        ((283, 400), False),  # 3 of them
        ((375, 400), False),  # all but 5 of them
        ((280, 400), True),  # none
    ],
)
def test_the_worst_class_is_withheld_where_it_leaves_few_of_the_others(sample, everyone, shown):
    specs = sample.sample("met")[0].cards["rapid"].figures
    figures = {
        "fraction": Estimate(value=everyone[0] / everyone[1], n=everyone[1]),
        "worst_class_fraction": Estimate(value=280 / 300, n=300),
    }
    found = withhold_small(figures, specs, rows=400)
    assert found["fraction"] == figures["fraction"]
    assert (found["worst_class_fraction"].value is not None) == shown


@pytest.mark.parametrize(
    ("hits", "shown"),
    [((300, 250), True), ((300, 5), False), ((300, 4, 3), False), ((300,), True), ((300, 0), True)],
)
def test_the_mean_over_attackers_does_not_tell_what_few_the_weaker_ones_found(sample, hits, shown):
    specs = sample.sample("met")[0].cards["rapid"].figures
    figures = {
        "fraction": Estimate(value=max(hits) / 400, n=400),
        "mean_over_attackers": Estimate(value=sum(hits) / len(hits) / 400, n=400),
    }
    found = withhold_small(figures, specs, rows=400)
    assert (found["mean_over_attackers"].value is not None) == shown


def test_diagnostics_and_small_overlaps_do_not_reach_shareable_evidence(sample):
    evidence = redact_evidence(sample.sample("violated")[0])
    assert all(not measurement.diagnostics for measurement in evidence.measurements)
    train = evidence.release.tables["train"]
    assert train.rows - train.distinct_rows == 10
    assert evidence.release.holdout_overlap.rows == 1
    assert evidence.release.holdout_overlap.share == 0


def test_a_verdict_does_not_quote_what_the_evidence_withholds(sample):
    evidence, verdict = sample.sample("violated")
    shown = redact_verdict(verdict, redact_evidence(evidence), load_wording("en"))
    rule = next(rule for rule in shown.rules if rule.id == "no-leaks")
    assert (rule.value, rule.judged, rule.needed_n) == (None, None, None)
    assert rule.outcome == "violated"
    assert "7 records" not in shown.model_dump_json(exclude={"policy"})


def test_demands_on_the_data_do_not_quote_small_counts(sample):
    evidence, verdict = sample.sample("met")
    demand = RequirementVerdict(
        name="max_holdout_overlap",
        required=0.0001,
        seen=3 / sample.N,
        satisfied=False,
        reason="3 rows of the holdout are train rows",
    )
    verdict = verdict.model_copy(update={"requirements": (demand,)})
    shown = redact_verdict(verdict, redact_evidence(evidence), load_wording("en"))
    assert shown.requirements[0].seen == "<11"
    assert "3 rows" not in shown.model_dump_json(exclude={"policy"})
    assert shown.reasons == (shown.requirements[0].reason,)


def test_redaction_is_stable(sample):
    once = redact_evidence(sample.sample("violated")[0])
    assert redact_evidence(once).measurements == once.measurements
