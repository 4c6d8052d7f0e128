"""The values of a release that could point at somebody, as phrases and as sorted numbers."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from privgate.leakscan.tokens import words

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from numpy.typing import NDArray

    from privgate.data import Column, Release
    from privgate.leakscan.reading import Phrase

FEWEST_PEOPLE = 11  # who share a value that points at nobody; as in small counts
_LONGEST_PHRASE = 8
_LEAST_BYTES = 4
_LEAST_DIGITS = 5
_NUMERIC = re.compile(r"[+-]?(?:[1-9][0-9]*|0)(?:[.,][0-9]+)?(?:e[+-]?[0-9]+)?", re.IGNORECASE)


@dataclass(frozen=True)
class SortedNumbers:
    """The numbers of a column: of real people, and of all tables.

    Of an identifier column every value counts as rare.
    """

    name: str
    real: NDArray[np.float64]
    every: NDArray[np.float64]
    identifier: bool = False

    def rare_between(
        self, low: NDArray[np.float64], high: NDArray[np.float64]
    ) -> NDArray[np.bool_]:
        """Return for each closed range whether the values in it are those of few people."""
        few = _count(self.real, low, high) < FEWEST_PEOPLE
        return (_count(self.every, low, high) > 0) & (few | self.identifier)


def _count(
    numbers: NDArray[np.float64], low: NDArray[np.float64], high: NDArray[np.float64]
) -> NDArray[np.int64]:
    return np.searchsorted(numbers, high, side="right") - np.searchsorted(numbers, low)


def rare_phrases(release: Release, column: Column, seen: frozenset[str]) -> Iterator[Phrase]:
    """Yield the levels of few people, as far as they are made of words that were seen."""
    for level in _rare_levels(release, column):
        if _NUMERIC.fullmatch(level):
            continue
        phrase = words(level)[:_LONGEST_PHRASE]
        if seen.issuperset(phrase) and _is_specific(phrase):
            yield phrase


def _is_specific(phrase: Phrase) -> bool:
    """Return whether a phrase is long enough to be recognised."""
    text = "".join(phrase)
    if text.isdecimal():
        return len(text) >= _LEAST_DIGITS
    return len(text.encode()) >= _LEAST_BYTES


def _rare_levels(release: Release, column: Column) -> Iterator[str]:
    real, every = _level_counts(release, column)
    chosen = every > 0
    if column not in release.identifiers:
        chosen &= real < FEWEST_PEOPLE
    yield from (column.levels[code] for code in np.flatnonzero(chosen).tolist())


def _level_counts(release: Release, column: Column) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    size = len(column.levels) + 1
    real, every = np.zeros(size, np.int64), np.zeros(size, np.int64)
    for name, table in release.tables.items():
        if column.name in table.values:
            counts = np.bincount(table.values[column.name].astype(np.int64) + 1, minlength=size)
            every += counts
            real += counts if name != "synthetic" else 0
    return real[1:], every[1:]


def sorted_numbers(release: Release) -> Iterator[SortedNumbers]:
    """Yield the numbers of each column, of numeric levels and of each dimension of an array."""
    tables = release.tables
    for column in release.columns:
        if not column.type.has_levels:
            yield _sorted(column.name, {n: t.values[column.name] for n, t in tables.items()})
    for column in (*release.columns, *release.identifiers):
        if column.levels:
            yield from _numeric_levels(release, column)
    # Positions of a Hamming release are packed bits, which no report could show.
    matrices = {n: t.matrix for n, t in tables.items() if t.matrix is not None}
    matrices = {n: matrix for n, matrix in matrices.items() if matrix.dtype.kind == "f"}
    for place in range(matrices["train"].shape[1] if matrices else 0):
        yield _sorted(f"dimension {place + 1}", {n: m[:, place] for n, m in matrices.items()})


def _sorted(name: str, parts: Mapping[str, NDArray[np.generic]]) -> SortedNumbers:
    found = {table: values.astype(np.float64) for table, values in parts.items()}
    found = {table: values[~np.isnan(values)] for table, values in found.items()}
    real = np.sort(np.concatenate([v for table, v in found.items() if table != "synthetic"]))
    every = np.sort(np.concatenate([real, found["synthetic"]]))
    return SortedNumbers(name, real, every)


def _numeric_levels(release: Release, column: Column) -> Iterator[SortedNumbers]:
    numeric = [bool(_NUMERIC.fullmatch(level)) for level in column.levels]
    if not any(numeric):
        return
    real, every = (counts[numeric] for counts in _level_counts(release, column))
    written = [level for level, there in zip(column.levels, numeric, strict=True) if there]
    numbers = np.array([float(level.replace(",", ".")) for level in written])
    order = np.argsort(numbers)
    yield SortedNumbers(
        column.name,
        np.repeat(numbers[order], real[order]),
        np.repeat(numbers[order], every[order]),
        identifier=column in release.identifiers,
    )
