"""Cells as levels: canonical text that is the same whatever type the cells were stored in."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from privgate.data.numeric import numbers
from privgate.data.text import UnreadableCells, clean, is_text

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from numpy.typing import NDArray

_DECIMAL = re.compile(r"-?(0|[1-9][0-9]*)(\.[0-9]+([eE][+-]?[0-9]+)?|[eE][+-]?[0-9]+)")
_WHOLE_DECIMAL = re.compile(r"(-?(?:0|[1-9][0-9]*))\.0+")
_TRUTH = {"true": "True", "t": "True", "yes": "True", "y": "True", "1": "True"} | {
    "false": "False",
    "f": "False",
    "no": "False",
    "n": "False",
    "0": "False",
}
TRUTH_LEVELS = ("False", "True")


@dataclass(frozen=True)
class Coded:
    """Codes into the sorted levels of one table; -1 is missing."""

    codes: NDArray[np.int32]
    levels: tuple[str, ...]


def number_text(number: float) -> str:
    """Return the canonical text of a number: digits alone when it is whole.

    Examples
    --------
    >>> number_text(1.0), number_text(-0.0), number_text(2.5), number_text(1e16)
    ('1', '0', '2.5', '10000000000000000')
    """
    return str(int(number)) if float(number).is_integer() else repr(float(number))


def canonical_text(text: str) -> str:
    """Return the canonical text of a cell: one form for each number and truth value.

    Whole numbers and texts with leading zeros stay as they are, and so do decimal numbers that a
    float64 does not hold exactly enough to be written back.

    Examples
    --------
    >>> [canonical_text(text) for text in ("1.0", "1e3", "007", "2.50", "TRUE", "A1")]
    ['1', '1000', '007', '2.5', 'True', 'A1']
    """
    if text.lower() in {"true", "false"}:
        return text.lower().title()
    if not _DECIMAL.fullmatch(text):
        return text
    whole = _WHOLE_DECIMAL.fullmatch(text)
    if whole:
        return "0" if whole[1] == "-0" else whole[1]
    number = float(text)
    mantissa = re.split("[eE]", text)[0].lstrip("-0.")
    digits = sum(character.isdigit() for character in mantissa)
    exact = digits <= 15 or repr(number) == text
    return number_text(number) if exact and np.isfinite(number) else text


def levels(array: pa.Array, missing: Collection[str], *, decimal: str) -> Coded:
    """Return the cells as codes into the sorted canonical texts that occur.

    Raises
    ------
    UnreadableCells
        If the stored type has no canonical text.
    """

    def canonical(text: str) -> str | None:
        if decimal != "." and text.count(decimal) == 1 and "." not in text:
            number = text.replace(decimal, ".")
            text = number if _DECIMAL.fullmatch(number) else text
        text = canonical_text(text)
        return None if text in missing else text

    codes, texts = _distinct(array, missing)
    return _coded(codes, [canonical(text) for text in texts])


def truth_values(array: pa.Array, missing: Collection[str]) -> Coded:
    """Return the cells as codes into ``("False", "True")``.

    Raises
    ------
    UnreadableCells
        If a cell is none of true/false, yes/no, t/f, y/n, 1/0, in any case.
    """
    codes, texts = _distinct(array, missing)
    named = [canonical_text(text) for text in texts]
    found = np.array(
        [-1 if text in missing else _truth_code(text) for text in named] + [-1], dtype=np.int32
    )[codes]
    bad = found == -2
    if bad.any():
        raise UnreadableCells(
            "{values} neither true nor false",
            "write true/false, yes/no or 1/0, or declare the column categorical",
            bad,
        )
    return Coded(found, TRUTH_LEVELS)


def in_order(coded: Coded, order: Sequence[str]) -> Coded:
    """Return the codes into a declared list of levels.

    Raises
    ------
    UnreadableCells
        If a level is not in the list.
    """
    rank = {level: code for code, level in enumerate(order)}
    ranks = np.array([rank.get(level, -2) for level in coded.levels] + [-1], dtype=np.int32)
    found = ranks[coded.codes]
    bad = found == -2
    if bad.any():
        raise UnreadableCells(
            "{values} not among the declared levels",
            "add the level to 'levels' or mend the data",
            bad,
        )
    return Coded(found, tuple(order))


def _truth_code(text: str) -> int:
    truth = _TRUTH.get(text.lower())
    return -2 if truth is None else TRUTH_LEVELS.index(truth)


def _coded(codes: NDArray[np.int64], texts: list[str | None]) -> Coded:
    known = sorted({text for text in texts if text is not None})
    rank = {text: code for code, text in enumerate(known)}
    lookup = np.array([-1 if text is None else rank[text] for text in texts] + [-1], dtype=np.int32)
    used = lookup[codes]
    return Coded(used, tuple(known))


def _distinct(array: pa.Array, missing: Collection[str]) -> tuple[NDArray[np.int64], list[str]]:
    """Return for each cell the place of its text in a list of distinct texts, -1 for missing."""
    kind = array.type
    if is_text(kind):
        return _encode(clean(array, missing), str)
    if pa.types.is_floating(kind):
        floats = array if kind == pa.float64() else _widened(array)
        return _encode(
            pc.if_else(pc.is_nan(floats), pa.scalar(None, pa.float64()), floats), number_text
        )
    if pa.types.is_boolean(kind) or pa.types.is_integer(kind):
        return _encode(array, str)
    if pa.types.is_decimal(kind):
        return _encode(array.cast(pa.string()), str)
    if pa.types.is_null(kind):
        return np.full(len(array), -1, dtype=np.int64), []
    if pa.types.is_date(kind):
        return _encode(array.cast(pa.date32()), str)
    raise UnreadableCells(
        f"cells of the stored type '{kind}' have no canonical text",
        "store it as text, or declare a column of times datetime",
    )


def _widened(array: pa.Array) -> pa.Array:
    return pa.array(numbers(array, (), decimal="."), from_pandas=True)


def _encode(array: pa.Array, text: Callable[[Any], str]) -> tuple[NDArray[np.int64], list[str]]:
    encoded = pc.dictionary_encode(array)
    codes = pc.fill_null(encoded.indices, -1).to_numpy(zero_copy_only=False).astype(np.int64)
    return codes, [text(value) for value in encoded.dictionary.to_pylist()]
