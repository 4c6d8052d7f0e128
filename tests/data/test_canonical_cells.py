"""Cells of every stored type, read by declared type; expected values were worked out by hand."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from hypothesis import given
from hypothesis import strategies as st

from privgate.data.datetimes import Zone, instants
from privgate.data.levels import in_order, levels, truth_values
from privgate.data.numeric import numbers
from privgate.data.raw import MISSING_TOKENS
from privgate.data.text import UnreadableCells, plain


def number_list(cells, kind=None, *, missing=MISSING_TOKENS, decimal="."):
    found = numbers(pa.array(cells, kind), missing, decimal=decimal)
    assert found.dtype == np.float64
    return [None if np.isnan(value) else value for value in found]


def level_list(cells, kind=None, *, missing=MISSING_TOKENS, decimal="."):
    found = levels(pa.array(cells, kind), missing, decimal=decimal)
    assert found.codes.dtype == np.int32
    assert list(found.levels) == sorted(set(found.levels))
    return [None if code < 0 else found.levels[code] for code in found.codes]


def test_numbers_from_text():
    cells = ["1", " 2.5\t", "-.5", "+7", "1e3", "1E-2", "3.", "", "NA", "NaN", "null", None, "-0"]
    found = number_list(cells)
    assert found == [1, 2.5, -0.5, 7, 1000, 0.01, 3, None, None, None, None, None, 0]
    assert not np.signbit(found[-1])


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_numbers_are_rounded_correctly(value):
    for written in (repr(value), f"{value:.17e}", f"{value:.25e}"):
        assert number_list([written]) == [float(written) + 0.0]


@pytest.mark.parametrize(
    "cell",
    [
        "1,000",
        "1.000,5",
        "1 000",
        "True",
        "0x10",
        "inf",
        "-Infinity",
        "1e",
        "--1",
        "1_000",
        "\u00bd",
        "\u0663",
        "1e999",
        "9%",
        "$5",
        ".",
    ],
)
def test_what_is_no_number(cell):
    with pytest.raises(UnreadableCells) as caught:
        number_list(["1", "NA", cell, "2", cell])
    assert caught.value.bad.tolist() == [False, False, True, False, True]


def test_decimal_comma():
    assert number_list(["1,5", "-0,25", "3", "NA"], decimal=",") == [1.5, -0.25, 3, None]
    with pytest.raises(UnreadableCells) as caught:
        number_list(["1,5", "1.5"], decimal=",")
    assert caught.value.bad.tolist() == [False, True]


@pytest.mark.parametrize(
    ("cells", "kind", "expected"),
    [
        ([1, None, -3], pa.int8(), [1, None, -3]),
        ([2**53, 2**63], pa.uint64(), [2.0**53, 2.0**63]),
        ([2**53, -(2**62)], pa.int64(), [2.0**53, -(2.0**62)]),
        ([0.1, None, float("nan"), -0.0], pa.float64(), [0.1, None, None, 0.0]),
        ([0.1, 16777216.0, float("nan")], pa.float32(), [0.1, 16777216.0, None]),
        ([np.float16(0.1), None], pa.float16(), [0.1, None]),
        ([True, False, None], pa.bool_(), [1, 0, None]),
        ([Decimal("0.10"), None], pa.decimal128(5, 2), [0.1, None]),
        ([None, None], pa.null(), [None, None]),
        (["1", "NA"], pa.large_string(), [1, None]),
        (["1", "NA"], pa.string_view(), [1, None]),
    ],
)
def test_numbers_from_stored_types(cells, kind, expected):
    assert number_list(cells, kind) == expected


@pytest.mark.parametrize(
    ("cells", "kind"),
    [
        (["9007199254740993"], pa.string()),
        (["1" * 500], pa.string()),
        ([2**53 + 1], pa.int64()),
        ([2**64 - 1], pa.uint64()),
        ([-(2**53) - 1], pa.int64()),
    ],
)
def test_integers_that_float64_would_change_are_refused(cells, kind):
    with pytest.raises(UnreadableCells, match=r"float64|large") as caught:
        number_list([*cells, *([None] * 2)], kind)
    assert caught.value.bad.tolist() == [True, False, False]


def test_integers_of_many_digits_that_float64_holds_are_kept():
    assert number_list(["9007199254740994", "10000000000000000"]) == [2.0**53 + 2, 1e16]


def test_infinite_numbers_are_refused():
    with pytest.raises(UnreadableCells, match="infinite"):
        number_list([1.0, float("inf")], pa.float64())


def test_own_missing_tokens_hold_for_stored_numbers_too():
    tokens = frozenset({"-9", "NA"})
    assert number_list(["-9", "-9.0", "NA", "1"], missing=tokens) == [None, None, None, 1]
    assert number_list([-9, 1], pa.int64(), missing=tokens) == [None, 1]
    assert level_list([-9, 1], pa.int64(), missing=tokens) == [None, "1"]
    assert level_list(["", "x"], missing=tokens) == ["", "x"]
    with pytest.raises(UnreadableCells):
        number_list([""], missing=tokens)


@pytest.mark.parametrize("kind", [pa.date32(), pa.timestamp("s"), pa.list_(pa.int8()), pa.binary()])
def test_stored_types_that_are_no_numbers(kind):
    with pytest.raises(UnreadableCells) as caught:
        numbers(pa.nulls(1, kind), MISSING_TOKENS, decimal=".")
    assert caught.value.bad is None


def test_levels_from_text():
    cells = [
        "b",
        " a ",
        "1.0",
        "1",
        "1e3",
        "007",
        "250.10",
        "TRUE",
        "True",
        "N/A",
        "",
        None,
        "-0.0",
    ]
    assert level_list(cells) == [
        "b",
        "a",
        "1",
        "1",
        "1000",
        "007",
        "250.1",
        "True",
        "True",
        None,
        None,
        None,
        "0",
    ]


def test_levels_keep_long_codes_apart():
    codes = [
        "1234567890123456789",
        "1234567890123456788",
        "0.12345678901234567891",
        "12345678901234567.0",
    ]
    assert level_list(codes) == [*codes[:3], "12345678901234567"]


def test_levels_are_in_unicode_normal_form():
    assert level_list(["caf\u00e9", "cafe\u0301", "\u00a0x\u2003"]) == [
        "caf\u00e9",
        "caf\u00e9",
        "x",
    ]


@pytest.mark.parametrize(
    ("cells", "kind", "expected"),
    [
        ([1, None], pa.int64(), ["1", None]),
        ([1.0, 2.5, float("nan"), -0.0], pa.float64(), ["1", "2.5", None, "0"]),
        ([1.0, 0.1], pa.float32(), ["1", "0.1"]),
        ([True, False, None], pa.bool_(), ["True", "False", None]),
        ([Decimal("1.00"), Decimal("2.50")], pa.decimal128(5, 2), ["1", "2.5"]),
        ([dt.date(2020, 1, 2)], pa.date32(), ["2020-01-02"]),
        ([None], pa.null(), [None]),
        (["1,5", "a,b,c"], pa.string(), ["1,5", "a,b,c"]),
    ],
)
def test_levels_from_stored_types(cells, kind, expected):
    assert level_list(cells, kind) == expected


def test_levels_with_decimal_comma():
    assert level_list(["1,5", "2,0", "a,b"], decimal=",") == ["1.5", "2", "a,b"]


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_float_is_the_same_level_as_its_text(value):
    assert level_list([value], pa.float64()) == level_list([repr(value)])


@given(st.integers(-(2**53), 2**53))
def test_a_whole_number_is_the_same_level_as_int_float_and_text(value):
    expected = [str(value)]
    assert level_list([value], pa.int64()) == expected
    assert level_list([float(value)], pa.float64()) == expected
    assert level_list([f"{value}.0"]) == expected
    assert level_list([str(value)]) == expected


def test_dictionary_and_run_length_encoded_columns_are_decoded():
    coded = pa.chunked_array([["a", "b"], ["b", None]]).dictionary_encode()
    assert plain(coded).to_pylist() == ["a", "b", "b", None]
    runs = pc.run_end_encode(pa.array(["x", "x", "y"]))
    assert plain(pa.chunked_array([runs])).to_pylist() == ["x", "x", "y"]
    assert plain(pa.chunked_array([], pa.string())).to_pylist() == []


@pytest.mark.parametrize(
    ("cells", "kind"),
    [
        (["true", "FALSE", "NA"], pa.string()),
        (["Yes", "no", ""], pa.string()),
        (["t", "F", None], pa.string()),
        (["y", "N", "nan"], pa.string()),
        (["1", "0.0", "NULL"], pa.string()),
        ([1, 0, None], pa.int8()),
        ([1.0, 0.0, float("nan")], pa.float64()),
        ([True, False, None], pa.bool_()),
    ],
)
def test_truth_values(cells, kind):
    found = truth_values(pa.array(cells, kind), MISSING_TOKENS)
    assert found.levels == ("False", "True")
    assert found.codes.tolist() == [1, 0, -1]


@pytest.mark.parametrize("cell", ["2", "maybe", "0.5", "-1"])
def test_what_is_no_truth_value(cell):
    with pytest.raises(UnreadableCells) as caught:
        truth_values(pa.array(["1", "NA", cell]), MISSING_TOKENS)
    assert caught.value.bad.tolist() == [False, False, True]


def test_declared_levels_order_the_codes_and_nothing_else_is_let_in():
    coded = levels(pa.array(["high", "low", "NA"]), MISSING_TOKENS, decimal=".")
    assert in_order(coded, ["low", "mid", "high"]).codes.tolist() == [2, 0, -1]
    with pytest.raises(UnreadableCells) as caught:
        in_order(coded, ["low"])
    assert caught.value.bad.tolist() == [True, False, False]


@pytest.mark.parametrize(
    ("cell", "seconds"),
    [
        ("1970-01-01", 0),
        ("1970-01-02", 86400),
        ("1969-12-31T23:59:59", -1),
        ("2000-02-29 12:00", 951825600),
        ("1970-01-01T00:00:01.5Z", 1.5),
        ("1970-01-01T00:00:00,25Z", 0.25),
        ("1970-01-01T02:00:00+02:00", 0),
        ("1970-01-01T00:00-0130", 5400),
        ("1970-01-01 01:00:00+01", 0),
        ("0001-01-01", -62135596800),
        ("9999-12-31T23:59:59", 253402300799),
    ],
)
def test_times_from_text(cell, seconds):
    found = instants(pa.array([cell, "NA", None]), MISSING_TOKENS)
    assert found.seconds[0] == seconds
    assert np.isnan(found.seconds[1:]).all()


@pytest.mark.parametrize(
    "cell",
    [
        "30.11.2026",
        "2026-13-01",
        "2026-02-29",
        "2026-00-10",
        "2026-01-00",
        "0000-01-01",
        "20260101",
        "2026-01-01T24:00",
        "2026-01-01T10:60",
        "2026-01-01T10:00:60",
        "2026-01-01T10",
        "1e9",
        "now",
        "2026-01-01T10:00+25:00",
        "02026-01-01",
    ],
)
def test_what_is_no_time(cell):
    with pytest.raises(UnreadableCells) as caught:
        instants(pa.array(["2026-01-01", cell, "NA"]), MISSING_TOKENS)
    assert caught.value.bad.tolist() == [False, True, False]


@given(st.datetimes(min_value=dt.datetime(1, 1, 1), max_value=dt.datetime(9999, 12, 31)))  # noqa: DTZ001
def test_times_agree_with_the_standard_library(moment):
    exact = (moment - dt.datetime(1970, 1, 1)) // dt.timedelta(microseconds=1)  # noqa: DTZ001
    found = instants(pa.array([moment.isoformat()]), MISSING_TOKENS).seconds[0]
    stored = instants(pa.array([moment], pa.timestamp("us")), MISSING_TOKENS).seconds[0]
    assert found == stored
    assert found == exact // 10**6 + (exact % 10**6) / 10**6


def test_times_from_stored_types():
    day = dt.date(1970, 1, 2)
    for kind in (pa.date32(), pa.date64()):
        assert instants(pa.array([day, None], kind), MISSING_TOKENS).seconds[0] == 86400
    for unit in ("s", "ms", "us", "ns"):
        found = instants(
            pa.array([dt.datetime(1970, 1, 2), None], pa.timestamp(unit)),  # noqa: DTZ001
            MISSING_TOKENS,
        )
        assert found.seconds[0] == 86400
        assert np.isnan(found.seconds[1])
        assert found.zones == {Zone.NAIVE}
    aware = instants(pa.array([0], pa.timestamp("s", tz="Europe/Berlin")), MISSING_TOKENS)
    assert aware.seconds.tolist() == [0]
    assert aware.zones == {Zone.AWARE}


def test_zones_are_told_apart():
    mixed = instants(pa.array(["2026-01-01T00:00Z", "2026-01-01", "NA"]), MISSING_TOKENS)
    assert mixed.zones == {Zone.AWARE, Zone.NAIVE}
    assert instants(pa.array(["NA"]), MISSING_TOKENS).zones == frozenset()


def test_stored_times_out_of_range_are_refused():
    with pytest.raises(UnreadableCells, match="1 to 9999"):
        instants(pa.array([10**12], pa.timestamp("s")), MISSING_TOKENS)


@pytest.mark.parametrize("kind", [pa.int64(), pa.float64(), pa.bool_(), pa.time32("s")])
def test_stored_types_that_are_no_times(kind):
    with pytest.raises(UnreadableCells):
        instants(pa.nulls(1, kind), MISSING_TOKENS)
