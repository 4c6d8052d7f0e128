from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from privgate.evidence import FigureKind
from privgate.report.numbers import (
    ENGLISH,
    NumberStyle,
    count_text,
    figure_text,
    limit_text,
    margin_text,
)


@pytest.mark.parametrize(
    ("value", "kind", "text"),
    [
        (0.0, FigureKind.SHARE, "0.0%"),
        (1.0, FigureKind.SHARE, "100.0%"),
        (0.0002157, FigureKind.SHARE, "0.022%"),
        (0.035, FigureKind.DIFFERENCE, "+3.5 pp"),
        (-0.035, FigureKind.DIFFERENCE, "−3.5 pp"),
        (-0.0, FigureKind.SCORE, "0"),
        (0.0004, FigureKind.P_VALUE, "<0.001"),
        (4.8e-7, FigureKind.SCORE, "4.80 × 10⁻⁷"),
        (1e-300, FigureKind.DISTANCE, "1.00 × 10⁻³⁰⁰"),
        (1e300, FigureKind.SCORE, "1.00 × 10³⁰⁰"),
        (1.23456, FigureKind.DISTANCE, "1.23"),
        (12, FigureKind.COUNT, "12"),
    ],
)
def test_figures_are_printed_as_a_reader_expects(value, kind, text):
    assert figure_text(value, kind, ENGLISH) == text


LOWERED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")


@given(
    value=st.floats(0, 1, allow_nan=False),
    limit=st.floats(0.0001, 0.9999),
    kind=st.sampled_from([FigureKind.SHARE, FigureKind.SCORE]),
)
def test_rounding_never_crosses_the_limit(value, limit, kind):
    shown = figure_text(value, kind, ENGLISH, limit=limit).rstrip("%").replace("−", "-")
    number = float(shown.replace(" × 10", "e").translate(LOWERED)) / (
        100 if kind is FigureKind.SHARE else 1
    )
    if value > limit:
        assert number >= limit or abs(number - limit) < 1e-15
        assert shown != limit_text(limit, kind, ENGLISH).rstrip("%")
    if value < limit:
        assert number <= limit or abs(number - limit) < 1e-15
        assert shown != limit_text(limit, kind, ENGLISH).rstrip("%")


def test_limits_are_printed_in_full():
    assert limit_text(0.0123456, FigureKind.SHARE, ENGLISH) == "1.23456%"
    assert limit_text(1.23456e-7, FigureKind.SCORE, ENGLISH) == "0.000000123456"
    assert limit_text(0, FigureKind.COUNT, ENGLISH) == "0"
    assert limit_text(0.0, FigureKind.COUNT, ENGLISH) == "0"
    assert limit_text(0.0, FigureKind.SHARE, ENGLISH) == "0%"
    assert limit_text(100, FigureKind.COUNT, ENGLISH) == "100"


def test_margins_carry_their_sign():
    assert margin_text(0.0, FigureKind.SHARE, ENGLISH) == "0.0 pp"
    assert margin_text(-1e-7, FigureKind.SHARE, ENGLISH).startswith("−0.00001")


GERMAN = NumberStyle(decimal=",", thousands=".", percent="\N{NO-BREAK SPACE}%", points=" PP")


def test_another_language_has_its_own_signs():
    assert figure_text(0.12345, FigureKind.SHARE, GERMAN) == "12,3\N{NO-BREAK SPACE}%"
    assert figure_text(0.035, FigureKind.DIFFERENCE, GERMAN) == "+3,5 PP"
    assert figure_text(0.0004, FigureKind.P_VALUE, GERMAN) == "<0,001"
    assert figure_text(12345.678, FigureKind.DISTANCE, GERMAN) == "12.346"
    assert margin_text(-0.0123, FigureKind.SHARE, GERMAN) == "−1,2 PP"
    assert count_text(1234567, GERMAN) == "1.234.567"
