"""Arrays of a release, checked and in the form that all code sees."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from privgate.data.array_files import stored_array
from privgate.data.columns import Distance
from privgate.data.matrices import packed_words, row_slices
from privgate.data.raw import Stored
from privgate.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    from numpy.typing import ArrayLike, NDArray

    from privgate.errors import Problem
    from privgate.evidence import TableName

ARRAY_DISTANCES = (Distance.HAMMING, Distance.EUCLIDEAN, Distance.COSINE)
EXACT = 2**53  # whole numbers up to here are float64 numbers
GREATEST, LEAST = 1e100, 1e-100  # squares and their sums stay in range


@dataclass(frozen=True, kw_only=True)
class RawArray(Stored):
    """One array in canonical form: float64, or 0/1 packed into words for the Hamming distance.

    ``type`` is that of the stored numbers; ``low`` and ``high`` are the least and the greatest.
    """

    matrix: NDArray[np.float64] | NDArray[np.uint64]
    dimensions: int
    type: str
    low: float
    high: float


def read_array(path: Path, name: str | None, distance: Distance) -> RawArray:
    """Return the array in a file, with the digest of the file's bytes.

    Raises
    ------
    InputError
        With all problems of the file, or of the numbers in it.
    """
    given, digest = stored_array(path, name)
    kind = path.suffix.lower().removeprefix(".")
    stored = Stored(
        source=str(path), file=path.name, format=kind, sha256=digest, rows=_length(given)
    )
    return _checked(given, stored, distance)


def array_from_memory(given: ArrayLike, table: TableName, distance: Distance) -> RawArray:
    """Return an array of this process in canonical form; it is copied.

    Raises
    ------
    InputError
        With all problems of the array.
    """
    source = f"{table} (array)"
    try:
        array = np.asanyarray(given)
    except ValueError:  # rows of different lengths; the text shows nothing of use
        array = np.array(None)
    stored = Stored(source=source, file=source, format="array", sha256=None, rows=_length(array))
    if isinstance(array, np.ma.MaskedArray) and np.ma.is_masked(array):
        remedy = "fill them or leave the rows out"
        raise InputError(stored.problem("the array has masked numbers", remedy=remedy))
    return _checked(np.asarray(array), stored, distance)


def agreement_problems(arrays: Mapping[TableName, RawArray]) -> Iterator[Problem]:
    """Yield every array that has another width than train or lies in another range."""
    train = arrays.get("train")
    if train is None:
        return
    for table, other in arrays.items():
        if other.dimensions != train.dimensions:
            yield other.problem(
                f"the array has {other.dimensions} columns, but train has {train.dimensions}",
                remedy="give arrays of the same positions or features",
            )
        elif table != "train" and (other.low > train.high or other.high < train.low):
            yield other.problem(
                "the array does not touch the range of the train array: it is coded in another "
                "way or unit, and distances would mean nothing",
                remedy="use one coding and unit in all arrays",
            )


def _length(given: NDArray[Any]) -> int:
    return given.shape[0] if given.ndim else 0


def _checked(given: NDArray[Any], stored: Stored, distance: Distance) -> RawArray:
    problems = list(_shape_problems(given, stored)) or list(
        _number_problems(given, stored, distance)
    )
    if problems:
        raise InputError(problems)
    matrix = (
        packed_words(given)
        if distance is Distance.HAMMING
        else given.astype(np.float64) + 0.0  # no negative zero: it is equal to zero
    )
    return RawArray(
        source=stored.source,
        file=stored.file,
        format=stored.format,
        sha256=stored.sha256,
        rows=stored.rows,
        matrix=matrix,
        dimensions=given.shape[1],
        type=given.dtype.name,
        low=float(given.min()),
        high=float(given.max()),
    )


def _shape_problems(given: NDArray[Any], stored: Stored) -> Iterator[Problem]:
    if given.dtype.kind not in "biuf" or given.dtype.itemsize > 8:
        yield stored.problem(
            f"the numbers are of type {given.dtype.name}",
            remedy="store integers, truth values or floating numbers of at most 64 bits",
        )
    if given.ndim != 2:
        message = f"the array has {given.ndim} dimensions and not 2"
        yield stored.problem(message, remedy="give one row per record and one column per position")
    elif not given.size:
        message = f"the array has {given.shape[0]} rows and {given.shape[1]} columns"
        yield stored.problem(message, remedy="check how the file was written")


def _number_problems(given: NDArray[Any], stored: Stored, distance: Distance) -> Iterator[Problem]:
    if given.dtype.kind == "f":
        broken = _misfits(given, np.isfinite)
        if broken:
            message = f"numbers that are missing or infinite: {broken}"
            yield stored.problem(message, remedy="fill them or leave the rows out")
            return
    if distance is Distance.HAMMING:
        other = _misfits(given, lambda block: (block == 0) | (block == 1))
        if other:
            message = f"numbers other than 0 and 1: {other}"
            remedy = "the Hamming distance is for 0/1 arrays; code the positions, or name another"
            yield stored.problem(message, remedy=remedy)
        return
    if given.dtype.kind in "iu" and given.dtype.itemsize == 8:
        inexact = _misfits(given, lambda block: (block <= EXACT) & (block >= -EXACT))
        if inexact:
            message = f"whole numbers beyond 2**53, which float64 cannot tell apart: {inexact}"
            yield stored.problem(message, remedy="shift or scale them in all arrays")
    yield from _size_problems(given, stored, distance)


def _size_problems(given: NDArray[Any], stored: Stored, distance: Distance) -> Iterator[Problem]:
    greatest = max(float(given.max()), -float(given.min()))
    if greatest > GREATEST or 0 < greatest < LEAST:
        message = "numbers are too large or too small for the squares that a distance sums"
        yield stored.problem(message, remedy="use another unit in all arrays")
    if distance is Distance.COSINE:
        empty = np.flatnonzero(~given.any(axis=1))
        if len(empty):
            message = f"rows of zeros have no direction: {len(empty)}, the first is {empty[0] + 1}"
            yield stored.problem(message, remedy="leave them out, or name another distance")


def _misfits(given: NDArray[Any], holds: Callable[[NDArray[Any]], NDArray[np.bool_]]) -> str | None:
    """Return how many numbers a condition does not hold for and where the first one stands."""
    count, first = 0, ""
    for rows in row_slices(given):
        wrong = ~holds(given[rows])
        found = int(wrong.sum())
        if found and not count:
            row, column = np.unravel_index(int(wrong.argmax()), wrong.shape)
            first = f", the first in row {rows.start + row + 1}, column {column + 1}"
        count += found
    return f"{count}{first}" if count else None
