"""Words, numbers and dates as they stand in a text, whatever language wrote them."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from math import isfinite
from typing import TYPE_CHECKING, NamedTuple
from unicodedata import normalize

from privgate.leakscan.wording import months

if TYPE_CHECKING:
    from collections.abc import Iterator

FEWEST_DIGITS = 5
"""Shorter numbers are as likely a rounded figure as the value of anybody."""

_INVISIBLE = re.compile("[\u00ad\u061c\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]")
_WORD = re.compile(r"[^\W_]+")
_NUMBER = re.compile(
    r"(?<!\w)\d(?:[\d.,'’\u00a0\u2009\u202f]*\d)?(?:[eE][+-]?\d{1,3})?(?!\w)(\s?%|\s?pp\b)?"
)
_PLAIN = re.compile(r"\d+(?:\.\d+)?(?:[eE][+-]?\d+)?")
_GROUPED = re.compile(r"\d{1,3}(?:([,.'’\u00a0\u2009\u202f])\d{3})(?:\1\d{3})*(?:(?!\1)[.,]\d+)?")
_COMMA = re.compile(r"\d+,\d+(?:[eE][+-]?\d+)?")
_GROUP_SIGNS = re.compile("['’\u00a0\u2009\u202f]")
_ISO = re.compile(r"(?<!\d)(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d))?)?")
_DAY_FIRST = re.compile(r"(?<!\d)(\d{1,2})([./])(\d{1,2})\2(\d{4})(?!\d)")
_DAY_MONTH = re.compile(r"(?<!\d)(\d{1,2})\.? ([^\W\d_]{3,}) (\d{4})(?!\d)")
_MONTH_DAY = re.compile(r"([^\W\d_]{3,}) (\d{1,2}),? (\d{4})(?!\d)")


class Number(NamedTuple):
    """A number of some length: its value without sign, and how many decimals it is written with."""

    value: float
    decimals: int


class Span(NamedTuple):
    """A day, minute or second: its first second since 1970-01-01 UTC and its length."""

    start: float
    seconds: int


def words(text: str) -> tuple[str, ...]:
    """Return the words of a text, in one case and form, without signs between them.

    Examples
    --------
    >>> words("Villers-la-Ville, n° 12")
    ('villers', 'la', 'ville', 'n', '12')
    """
    if text.isascii():
        return tuple(_WORD.findall(text.lower()))
    plain = normalize("NFKC", normalize("NFKC", _INVISIBLE.sub("", text)).casefold())
    return tuple(_WORD.findall(plain))


def numbers(text: str) -> Iterator[Number]:
    """Yield every reading of each number in a text that has five digits or more.

    Examples
    --------
    >>> [number.value for number in numbers("1,234.5 or 1.234,5, but not 12,300")]
    [1234.5, 1234.5]
    >>> sorted(number.value for number in numbers("12.3456%"))
    [0.123456, 12.3456]
    """
    for found in _NUMBER.finditer(text):
        body = found[0].removesuffix(found[1] or "")
        for reading in _readings(body):
            yield from _specific(reading, 0)
            if found[1]:
                yield from _specific(reading, 2)


def _readings(body: str) -> Iterator[str]:
    """Yield the ways to read digits and separators, with a point and without groups."""
    if _PLAIN.fullmatch(body):
        yield body
    grouped = _GROUPED.fullmatch(body)
    if grouped:
        yield body.replace(grouped[1], "").replace(",", ".")
    if "," in body:
        if _COMMA.fullmatch(body):
            yield body.replace(",", ".")
        for piece in body.split(","):
            if _PLAIN.fullmatch(piece):
                yield piece
    elif not grouped and _GROUP_SIGNS.search(body):
        yield from (piece for piece in _GROUP_SIGNS.split(body) if _PLAIN.fullmatch(piece))


def _specific(reading: str, shift: int) -> Iterator[Number]:
    """Yield a number, divided by a power of ten, if it has digits enough to be somebody's."""
    mantissa, _, exponent = reading.lower().partition("e")
    _, _, fraction = mantissa.partition(".")
    if significant_digits(mantissa) < FEWEST_DIGITS:
        return
    places = shift - int(exponent or 0)
    value = float(f"{mantissa}e{-places}")
    if isfinite(value):
        yield Number(value, max(0, len(fraction) + places))


def significant_digits(mantissa: str) -> int:
    """Return how many digits of a number are neither leading nor trailing zeros.

    Examples
    --------
    >>> [significant_digits(text) for text in ("48250", "0.00120", "5")]
    [4, 2, 1]
    """
    return len(mantissa.replace(".", "").strip("0"))


def dates(text: str) -> Iterator[Span]:
    """Yield every day and time in a text, in the forms of reports and data.

    Examples
    --------
    >>> [span.start / 86400 for span in dates("1970-01-03, 3.1.1970, 3 January 1970")]
    [2.0, 2.0, 59.0, 2.0]
    """
    for year, month, day, *clock in _ISO.findall(text):
        yield from _span(year, month, day)
        if clock[0]:
            yield from _span(year, month, day, *clock)
    for first, _, second, year in _DAY_FIRST.findall(text):
        yield from _span(year, second, first)
        if first != second:
            yield from _span(year, first, second)
    for day, name, year in _DAY_MONTH.findall(text):
        yield from _span(year, str(months().get(name.casefold(), 0)), day)
    for name, day, year in _MONTH_DAY.findall(text):
        yield from _span(year, str(months().get(name.casefold(), 0)), day)


def _span(year: str, month: str, day: str, *clock: str) -> Iterator[Span]:
    """Yield a day, or the minute or second of a clock; nothing if there is none of that name."""
    hour, minute, second = (int(part or 0) for part in clock or ("", "", ""))
    try:
        moment = datetime(int(year), int(month), int(day), hour, minute, second, tzinfo=UTC)
    except ValueError:
        return
    length = 86400 if not clock else 1 if clock[2] else 60
    yield Span(moment.timestamp(), length)
