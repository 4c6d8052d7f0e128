"""Cells as points in time."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from privgate.data.text import UnreadableCells, clean, flags, is_text

if TYPE_CHECKING:
    from collections.abc import Collection

    from numpy.typing import NDArray

_ISO = (
    r"^(?P<year>[0-9]{4})-(?P<month>[0-9]{2})-(?P<day>[0-9]{2})"
    r"(?:[T ](?P<hour>[0-9]{2}):(?P<minute>[0-9]{2})"
    r"(?::(?P<second>[0-9]{2})(?P<fraction>[.,][0-9]+)?)?"
    r"(?P<zone>Z|(?P<sign>[+-])(?P<zone_hour>[0-9]{2})(?::?(?P<zone_minute>[0-9]{2}))?)?)?$"
)
_TICKS = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}
_EARLIEST = -62_135_596_800  # 0001-01-01
_LATEST = 253_402_300_800  # 10000-01-01
_REMEDY = "write dates as 2026-11-30 and times as 2026-11-30T14:05:00, with or without a zone"


class Zone(StrEnum):
    """Whether times say which time zone they mean."""

    NAIVE = "naive"
    AWARE = "aware"


@dataclass(frozen=True)
class Instants:
    """Seconds since 1970-01-01 UTC, NaN for missing, and the kinds of times that were seen.

    Times without a zone are read as UTC.
    """

    seconds: NDArray[np.float64]
    zones: frozenset[Zone]


def instants(array: pa.Array, missing: Collection[str]) -> Instants:
    """Return the cells as points in time.

    Raises
    ------
    UnreadableCells
        If a cell is not an ISO 8601 date or time of the years 1 to 9999.
    """
    kind = array.type
    if pa.types.is_null(kind):
        return Instants(np.full(len(array), np.nan), frozenset())
    if is_text(kind):
        return _from_text(clean(array, missing))
    if pa.types.is_date(kind):
        return _from_ticks(array.cast(pa.timestamp("s")))
    if pa.types.is_timestamp(kind):
        return _from_ticks(array)
    raise UnreadableCells(f"cells of the stored type '{kind}' are not times", _REMEDY)


def _from_ticks(array: pa.Array) -> Instants:
    per_second = _TICKS[array.type.unit]
    absent = array.is_null().to_numpy(zero_copy_only=False)
    ticks = pc.fill_null(array.cast(pa.int64()), 0).to_numpy(zero_copy_only=False)
    whole, rest = np.divmod(ticks, per_second)
    seconds = whole.astype(np.float64) + rest / per_second
    seconds[absent] = np.nan
    _refuse((seconds < _EARLIEST) | (seconds >= _LATEST), "{values} outside the years 1 to 9999")
    zone = Zone.NAIVE if array.type.tz is None else Zone.AWARE
    return Instants(seconds, frozenset() if absent.all() else frozenset({zone}))


def _from_text(text: pa.Array) -> Instants:
    parts = pc.extract_regex(text, _ISO)
    present = ~text.is_null().to_numpy(zero_copy_only=False)
    _refuse(
        present & parts.is_null().to_numpy(zero_copy_only=False), "{values} not in ISO 8601 form"
    )
    field = {name: parts.field(i) for i, name in enumerate(_names(parts.type))}
    part = {name: _integers(field[name]) for name in field if name not in _TEXTUAL}
    days, calendar = _days(part["year"], part["month"], part["day"])
    clock = (part["hour"] < 24) & (part["minute"] < 60) & (part["second"] < 60)
    clock &= (part["zone_hour"] < 24) & (part["zone_minute"] < 60)
    _refuse(present & ~(calendar & clock), "{values} impossible as a date or time")
    offset = part["zone_hour"] * 3600 + part["zone_minute"] * 60
    offset *= np.where(flags(pc.equal(field["sign"], "-")), -1, 1)
    whole = days * 86400 + part["hour"] * 3600 + part["minute"] * 60 + part["second"] - offset
    seconds = whole.astype(np.float64) + _fractions(field["fraction"])
    seconds[~present] = np.nan
    aware = flags(pc.not_equal(field["zone"], "")) & present
    zones = {Zone.AWARE} if aware.any() else set()
    zones |= {Zone.NAIVE} if (present & ~aware).any() else set()
    return Instants(seconds, frozenset(zones))


_TEXTUAL = {"fraction", "zone", "sign"}


def _names(kind: pa.StructType) -> list[str]:
    return [kind.field(i).name for i in range(kind.num_fields)]


def _integers(field: pa.Array) -> NDArray[np.int64]:
    filled = pc.if_else(pc.equal(pc.fill_null(field, ""), ""), "0", field)
    found: NDArray[np.int64] = filled.cast(pa.int64()).to_numpy(zero_copy_only=False)
    return found


def _fractions(field: pa.Array) -> NDArray[np.float64]:
    dotted = pc.replace_substring(pc.fill_null(field, ""), pattern=",", replacement=".")
    filled = pc.if_else(pc.equal(dotted, ""), "0", dotted)
    found: NDArray[np.float64] = filled.cast(pa.float64()).to_numpy(zero_copy_only=False)
    return found


def _days(
    year: NDArray[np.int64], month: NDArray[np.int64], day: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Return days since 1970-01-01 in the Gregorian calendar, and whether the date exists."""
    first = ((year - 1970) * 12 + month - 1).astype("datetime64[M]")
    found = first.astype("datetime64[D]") + (day - 1)
    exists = (found.astype("datetime64[M]") == first) & (day >= 1)
    exists &= (month >= 1) & (month <= 12) & (year >= 1)
    return found.astype(np.int64), exists


def _refuse(bad: NDArray[np.bool_], message: str) -> None:
    if bad.any():
        raise UnreadableCells(message, _REMEDY, bad)
