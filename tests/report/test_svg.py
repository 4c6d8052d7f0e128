from __future__ import annotations

import xml.etree.ElementTree as ET

import pytest

from privgate.evidence import Chart, Series
from privgate.report.numbers import ENGLISH
from privgate.report.svg import (
    IntervalRow,
    PictureSize,
    chart_picture,
    heat_map,
    icon,
    interval_bars,
    shortened,
    swatch,
)
from privgate.report.svg.frame import Scale, ticks

SVG = "{http://www.w3.org/2000/svg}"


def drawn(chart, **more):
    fields = {
        "identity": "c",
        "description": "d",
        "shares": False,
        "y_label": "y",
        "style": ENGLISH,
        **more,
    }
    return ET.fromstring(chart_picture(chart, **fields))  # noqa: S314 - our own output


def chart(kind, x, *ys, marks=None):
    series = tuple(Series(name=f"s{i}", y=y, n=100) for i, y in enumerate(ys))
    return Chart(
        kind=kind,
        title="A & B",
        x_label="<x>",
        y_label="y",
        x=x,
        series=series,
        marks=marks or {},
        caption="c",
    )


def test_picture_is_named_and_described():
    root = drawn(chart("histogram", (0, 1, 2), (3, 4)))
    assert root.get("role") == "img"
    assert root.get("aria-labelledby") == "c-t c-d"
    assert root.find(f"{SVG}title").text == "A & B"
    assert root.find(f"{SVG}desc").text == "d"


def test_series_differ_by_dashes_too():
    root = drawn(chart("curve", (0, 1), (0, 1), (1, 0), (0.5, 0.5), (0.2, 0.3)))
    dashes = [path.get("stroke-dasharray") for path in root.iter(f"{SVG}path")]
    assert len(dashes) == 4
    assert len(set(dashes)) == 4


def test_a_curve_runs_past_points_that_are_not_shown():
    (path,) = drawn(chart("curve", (0, 1, 2, 3), (0.1, None, 0.3, None))).iter(f"{SVG}path")
    assert path.get("d").count("M") == 1
    assert path.get("d").count("L") == 1


def test_a_histogram_lifts_the_pen_where_a_bin_has_no_count():
    (path,) = drawn(chart("histogram", (0, 1, 2, 3), (11, None, 30))).iter(f"{SVG}path")
    assert path.get("d").count("M") == 2


def test_merged_bins_spread_their_records():
    (path,) = drawn(chart("histogram", (0, 1, 2, 4), (10, 10, 20))).iter(f"{SVG}path")
    heights = {point.split()[1] for point in path.get("d").replace("M", "L").split("L") if point}
    assert len(heights) == 1


@pytest.mark.parametrize("values", [(0.0,), (None,), (1.0,), (1e-12,)])
def test_degenerate_charts_have_finite_coordinates(values):
    text = ET.tostring(drawn(chart("curve", (2.0,), values, marks={"m": 2.0})), "unicode")
    assert "nan" not in text.lower()
    assert "inf" not in text.lower()


def test_bars_show_interval_and_limit():
    row = IntervalRow(name=shortened("part " * 40), value=0.1, low=0.05, high=0.2, tone="met")
    exact = IntervalRow(name="<b>", value=0.0, low=None, high=None, tone="neutral")
    text = interval_bars(
        (row, exact),
        ((0.15, "limit: at most 15%"),),
        identity="b",
        title="t",
        description="d",
        percent=True,
        style=ENGLISH,
    )
    root = ET.fromstring(text)  # noqa: S314 - our own output
    assert len(list(root.iter(f"{SVG}circle"))) == 2
    assert "limit: at most 15%" in "".join(root.itertext())
    assert "…" in "".join(root.itertext())


@pytest.mark.parametrize("limits", [(0.0,), (-0.5, 0.9), (0.4, 0.6)])
def test_no_limit_crosses_a_name_or_another_limits_text(limits):
    rows = [
        IntervalRow(name=name, value=value, low=value - 0.02, high=value + 0.02, tone="neutral")
        for name, value in (("one: 30%", 0.3), ("two: −1%", -0.01))
    ]
    stated = [(number, f"limit: {number}") for number in limits]
    root = ET.fromstring(  # noqa: S314 - our own output
        interval_bars(
            rows, stated, identity="b", title="t", description="d", percent=True, style=ENGLISH
        )
    )
    texts = [e for e in root.iter(f"{SVG}text") if "strong" in e.get("class")]
    baselines = [float(text.get("y")) for text in texts]
    assert len(set(baselines)) == len(texts) == len(limits) + len(rows)
    marks = [e for e in root.iter(f"{SVG}line") if e.get("class") == "limit"]
    assert len(marks) == len(limits) * len(rows)
    for mark in marks:
        assert not any(float(mark.get("y1")) < y < float(mark.get("y2")) for y in baselines)


def test_a_wide_picture_is_wider_and_keeps_its_text_size():
    half, wide = (drawn(chart("curve", (0, 1), (0, 1)), size=size) for size in PictureSize)
    assert int(wide.get("viewBox").split()[2]) > int(half.get("viewBox").split()[2])
    sizes = [{e.get("font-size") for e in root.iter(f"{SVG}text")} for root in (half, wide)]
    assert sizes[0] == sizes[1]


def test_scale_holds_numbers_within():
    scale = Scale(low=0, high=1, start=10, end=20)
    assert [scale(number) for number in (-5, 0.5, 7)] == [10, 15, 20]
    assert Scale(low=1, high=1, start=0, end=10)(1) == 5


def test_ticks_of_an_empty_range():
    assert ticks(3.0, 3.0, at_most=5) == (3.0,)


def test_every_outcome_has_its_own_sign():
    assert len({icon(name) for name in ("met", "violated", "not_assessed", "waived")}) == 4


def test_the_first_series_of_points_is_drawn_as_points():
    given = chart("points", (5.0, 5.5, 6.0), (-4, None, -1), (-3.5, -2.5, -1.5), marks={"end": 5.6})
    root = drawn(given)
    dots = list(root.iter(f"{SVG}circle"))
    assert len(dots) == 2
    assert len(list(root.iter(f"{SVG}path"))) == 1
    places = [(float(dot.get("cx")), float(dot.get("cy"))) for dot in dots]
    assert PictureSize.HALF.left < places[0][0] < places[1][0] < PictureSize.HALF.right
    assert PictureSize.HALF.base > places[0][1] > places[1][1] > PictureSize.HALF.top
    assert "<circle" in swatch(0, "points")
    assert "<circle" not in swatch(1, "points") + swatch(0)


def heat(rows, **more):
    fields = {"identity": "h", "title": "t", "description": "d", "x_label": "x"}
    fields |= {"text": "{:.0%}".format, **more}
    drawn = ET.fromstring(heat_map(rows, ["a", "b"], **fields))  # noqa: S314 - our own output
    fills = [box.get("fill") for box in drawn.iter(f"{SVG}rect")]
    return fills, [text.text for text in drawn.iter(f"{SVG}text") if text.get("class") == "cell"]


def test_a_heat_map_shows_shares_as_colour_and_as_text():
    assert heat([("r", [0.0, 1.0])]) == (["#eaf0f7", "#123f73"], ["0%", "100%"])


def test_a_heat_map_of_other_numbers_has_its_own_ends_and_texts():
    fills, texts = heat([("r", [0.0, -8.0])], ends=(0.0, -8.0), text="{:.1f}".format)
    assert (fills, texts) == (["#eaf0f7", "#123f73"], ["0.0", "-8.0"])
    assert heat([("r", [9.0, -99.0])], ends=(0.0, -8.0))[0] == fills


def test_a_field_without_a_number_is_empty():
    assert heat([("r", [None, 1.0])]) == (["#123f73"], ["100%"])


def test_names_of_near_marks_do_not_run_into_each_other():
    names = {"Geltender Grenzwert": 0.10, "Vorgeschlagener Grenzwert": 0.15}
    root = drawn(chart("curve", (0.0, 1.0), (0.0, 1.0), marks=names), size=PictureSize.WIDE)
    texts = [text for text in root.iter(f"{SVG}text") if text.text in names]
    assert len({text.get("y") for text in texts}) == 2
    far = drawn(chart("curve", (0.0, 1.0), (0.0, 1.0), marks={"a": 0.1, "b": 0.5}))
    assert len({text.get("y") for text in far.iter(f"{SVG}text") if text.text in "ab"}) == 1


def test_a_long_name_of_an_axis_is_larger_in_a_wide_picture():
    name = "as held against the limit, " * 4
    sizes = []
    for size in PictureSize:
        root = drawn(chart("curve", (0.0, 1.0), (0.0, 1.0)), y_label=name, size=size)
        (text,) = (text for text in root.iter(f"{SVG}text") if text.text == name)
        sizes.append(float(text.get("font-size")))
    assert sizes[0] < 9
    assert sizes[1] > 11
