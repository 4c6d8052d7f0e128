"""Cells as numbers, exactly."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from privgate.data.text import UnreadableCells, clean, flags, is_text

if TYPE_CHECKING:
    from collections.abc import Collection

    from numpy.typing import NDArray

NUMBER = r"^[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?$"
_LONG_INTEGER = r"^[+-]?[0-9]{16,}$"


def numbers(array: pa.Array, missing: Collection[str], *, decimal: str) -> NDArray[np.float64]:
    """Return the cells as the float64 numbers nearest to them, NaN for missing.

    Truth values of a Boolean type are 0 and 1. Single-precision numbers are read as the shortest
    decimal number that stands for them, which is what a text file would show.

    Raises
    ------
    UnreadableCells
        If cells are not finite numbers, or are integers that float64 would change.
    """
    kind = array.type
    if pa.types.is_null(kind):
        return np.full(len(array), np.nan)
    if is_text(kind):
        found = _from_text(clean(array, missing), decimal)
    elif pa.types.is_boolean(kind):
        found = _floats(array.cast(pa.int8()))
    elif pa.types.is_integer(kind):
        found = _from_integers(array)
    elif pa.types.is_decimal(kind) or pa.types.is_float16(kind) or pa.types.is_float32(kind):
        found = _from_text(clean(_shortest(array), {"nan"}), ".")
    elif pa.types.is_float64(kind):
        found = _floats(array)
    else:
        raise UnreadableCells(
            f"cells of the stored type '{kind}' are not numbers",
            "declare the type that the column has, or store it as numbers",
        )
    return _finished(found, missing)


def _finished(found: NDArray[np.float64], missing: Collection[str]) -> NDArray[np.float64]:
    infinite = np.isinf(found)
    if infinite.any():
        raise UnreadableCells(
            "{values} too large or infinite",
            "write finite numbers or leave the cell empty",
            infinite,
        )
    absent = [float(token) for token in missing if re.match(NUMBER, token)]
    found[np.isin(found, absent)] = np.nan
    return found + 0.0  # -0.0 + 0.0 is 0.0


def _floats(array: pa.Array) -> NDArray[np.float64]:
    return np.array(array.cast(pa.float64()).to_numpy(zero_copy_only=False), dtype=np.float64)


def _shortest(array: pa.Array) -> pa.Array:
    if pa.types.is_float16(array.type):  # every half-precision number has a short decimal form too
        halves = array.to_numpy(zero_copy_only=False).astype(np.float16)
        texts = [None if np.isnan(half) else str(half) for half in np.unique(halves)]
        _, codes = np.unique(halves, return_inverse=True)
        return pa.array(texts, pa.string()).take(pa.array(codes))
    return array.cast(pa.string())


def _from_integers(array: pa.Array) -> NDArray[np.float64]:
    bound = 2**53
    wide = array.cast(pa.uint64() if array.type == pa.uint64() else pa.int64())
    large = flags(pc.greater(wide, pa.scalar(bound, wide.type)))
    if not pa.types.is_unsigned_integer(array.type):
        large |= flags(pc.less(wide, -bound))
    places = np.flatnonzero(large)
    exact = wide.take(pa.array(places)).to_pylist()
    _refuse_inexact(places, [int(value) for value in exact], len(array))
    return _floats(pc.cast(wide, pa.float64(), safe=False))


def _from_text(text: pa.Array, decimal: str) -> NDArray[np.float64]:
    if decimal != ".":
        dotted = pc.match_substring(text, ".")
        swapped = pc.replace_substring(text, pattern=decimal, replacement=".")
        text = pc.if_else(dotted, pa.scalar("not a number", pa.large_string()), swapped)
    bad = flags(pc.invert(pc.match_substring_regex(text, NUMBER)))
    if bad.any():
        raise UnreadableCells(
            "{values} not numeric",
            f"write plain numbers with decimal mark {decimal!r} and no thousands separators, "
            "list what means a missing value under 'missing', or declare the column categorical",
            bad,
        )
    places = np.flatnonzero(flags(pc.match_substring_regex(text, _LONG_INTEGER)))
    long = text.take(pa.array(places)).to_pylist()
    _refuse_inexact(places, [int(value) if len(value) < 400 else None for value in long], len(text))
    return _floats(text)


def _refuse_inexact(places: NDArray[np.intp], integers: list[int | None], rows: int) -> None:
    wrong = [
        value is None or abs(value) > 10**308 or int(float(value)) != value for value in integers
    ]
    bad = np.zeros(rows, dtype=np.bool_)
    bad[places] = wrong
    if bad.any():
        raise UnreadableCells(
            "{values} changed when read as float64, having too many digits",
            "declare the column categorical, or as an identifier",
            bad,
        )
