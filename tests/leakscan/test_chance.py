from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from privgate.leakscan.chance import beyond_chance, form_of
from privgate.leakscan.rare import SortedNumbers
from privgate.leakscan.tokens import Number, dates, numbers, words


def column(values):
    ordered = np.sort(np.asarray(values, np.float64))
    return SortedNumbers("x", ordered, ordered)


def whole(values):
    return [Number(float(value), 0) for value in values]


def stand(hits, shown, values):
    return beyond_chance(whole(hits), whole(shown), column(values), false_alarms=0.001)


def test_one_number_of_a_sparse_column_is_beyond_chance():
    # One value among 90,000 numbers of five digits; 20 shown numbers meet it once in 4,500 times.
    shown = range(50_001, 50_021)
    assert stand([50_001], shown, [50_001]) == set(whole([50_001]))
    # 200 shown numbers meet it once in 450 times.
    assert stand([50_001], range(50_001, 50_201), [50_001]) == set()


def test_numbers_in_a_crowd_are_met_by_chance():
    crowd = np.arange(10_000, 20_000)
    assert stand(range(12_000, 12_040), range(12_000, 12_040), crowd) == set()


def test_many_hits_of_a_half_filled_column_are_beyond_chance():
    # Every tenth number; one hit of one is no wonder, twenty of twenty are.
    values = np.arange(10_001, 99_999, 10)
    assert stand(values[:1], values[:1], values) == set()
    assert stand(values[::450], values[::450], values) == set(whole(values[::450]))


def test_signs_do_not_matter():
    assert stand([50_001], [50_001], [-50_001.0]) == set(whole([50_001]))


@pytest.mark.parametrize(
    ("value", "decimals", "size"), [(50_001, 0, 9e4), (0.0123, 4, 900), (1.5, 1, 90)]
)
def test_a_form_has_as_many_numbers_as_can_be_written_in_it(value, decimals, size):
    assert form_of(Number(value, decimals)).size == pytest.approx(size)


@given(value=st.integers(10_000, 10**14).filter(lambda n: len(str(n).strip("0")) >= 5))
def test_a_number_is_read_in_every_notation(value):
    english, plain = f"{value:,}", str(value)
    for text in (plain, english, english.replace(",", "."), english.replace(",", "\u202f")):
        assert Number(float(value), 0) in set(numbers(f"about {text} of them"))
    assert Number(float(value), 2) in set(numbers(f"({english.replace(',', '.')},00)"))


@given(st.text())
def test_any_text_can_be_read(text):
    list(numbers(text))
    list(dates(text))
    assert words(text) == words(" ".join(words(text)))


@given(day=st.dates())
def test_a_day_is_read_in_every_notation(day):
    (span,) = dates(day.isoformat())
    for text in (f"{day.day}.{day.month}.{day:%Y}", f"{day.month}/{day.day}/{day:%Y}"):
        if day.year >= 1000:
            assert span in set(dates(text))
