"""Aggregate tables that go out with a release: their counts, and which rows are totals.

A count is a whole number of people, 0 or more; an empty cell is suppressed. Anything else in a
column of counts is refused: a share would be taken for a small count, or hide one.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import numpy as np

from privgate.data.canonical import canonicalise
from privgate.data.columns import ColumnType, Role
from privgate.data.copies import row_ranks
from privgate.data.files import read_table
from privgate.data.fingerprint import content_digest
from privgate.data.frames import raw_from_frame
from privgate.data.levels import canonical_text
from privgate.data.schema import ColumnDeclaration, PublishedSource, Totals
from privgate.errors import InputError, Problem
from privgate.evidence import PublishedFacts

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    import pandas as pd
    from numpy.typing import NDArray

    from privgate.data.canonical import CanonicalColumn
    from privgate.data.raw import RawTable

_COUNT = ColumnDeclaration(type=ColumnType.NUMERIC, role=Role.OTHER)
_LEVELS = ColumnDeclaration(type=ColumnType.CATEGORICAL, role=Role.OTHER)


@dataclass(frozen=True)
class Dimension:
    """A column that says what a row counts, and which rows stand for all of its levels."""

    name: str
    codes: NDArray[np.int64]
    is_total: NDArray[np.bool_]


@dataclass(frozen=True)
class PublishedTable:
    """Counts by column, NaN where suppressed. ``name`` is unique among the tables of a release.

    ``dimensions`` is empty for a table without totals, and ``None`` if the release file does not
    say whether there are any.
    """

    name: str
    counts: Mapping[str, NDArray[np.float64]]
    dimensions: tuple[Dimension, ...] | None
    facts: PublishedFacts


def read_published(
    sources: Sequence[PublishedSource] | None, folder: Path
) -> tuple[PublishedTable, ...] | None:
    """Return the published tables of a release file, paths relative to ``folder``.

    Raises
    ------
    InputError
        With the problems of all tables.
    """
    if sources is None:
        return None
    found: list[PublishedTable] = []
    problems: list[Problem] = []
    names = _names([Path(source.path).name for source in sources])
    for source, name in zip(sources, names, strict=True):
        try:
            raw = read_table(folder / source.path, source)
            found.append(published_table(raw, source, name=name))
        except InputError as error:
            problems.extend(error.problems)
    if problems:
        raise InputError(problems)
    return tuple(found)


def published_from_frame(
    frame: pd.DataFrame,
    *,
    counts: Sequence[str],
    totals: Totals | Literal["none"] | None = None,
    name: str = "published",
) -> PublishedTable:
    """Return a data frame of counts as a published table; a missing value is a suppressed cell.

    Raises
    ------
    InputError
        If a column is missing, a count is no whole number, or two rows count the same.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"sex": ["f", "m", "all"], "people": [40, None, 45]})
    >>> table = published_from_frame(
    ...     frame, counts=["people"], totals=Totals(of=("sex",), level="all")
    ... )
    >>> table.counts["people"].tolist(), table.dimensions[0].is_total.tolist()
    ([40.0, nan, 45.0], [False, False, True])
    """
    source = PublishedSource(path=name, counts=tuple(counts), totals=totals)
    return published_table(raw_from_frame(frame, name), source, name=name)


def published_table(raw: RawTable, source: PublishedSource, *, name: str) -> PublishedTable:
    """Return a stored table as counts and dimensions.

    Raises
    ------
    InputError
        If a column is missing, a count is no whole number, or two rows count the same.
    """
    totals = source.totals if isinstance(source.totals, Totals) else None
    of = totals.of if totals else ()
    _refuse(_missing(raw, [*source.counts, *of]))
    read = {column: canonicalise(raw, column, _COUNT) for column in source.counts}
    levels = {column: canonicalise(raw, column, _LEVELS) for column in of}
    columns = [*read.values(), *levels.values()]
    _refuse(found for found in columns if isinstance(found, Problem))
    counts = {column: part.values.astype(np.float64) for column, part in _usable(read)}
    _refuse(_strange_counts(raw, counts))
    dimensions = [_dimension(column, part, totals) for column, part in _usable(levels)]
    _refuse(_strange_dimensions(raw, dimensions, totals))
    said = source.totals is not None
    content = dict(_usable({**read, **levels}))
    return PublishedTable(
        name=name,
        counts=counts,
        dimensions=tuple(dimensions) if said else None,
        facts=PublishedFacts(
            file=raw.file,
            format=raw.format,
            sha256=raw.sha256 or content_digest(content, np.arange(raw.rows)).content,
            rows=raw.rows,
            counts=source.counts,
            totals="declared" if totals else "none" if said else "not stated",
        ),
    )


def _names(files: Sequence[str]) -> list[str]:
    """Return a name for each file, with its place where two files are called alike."""
    often = Counter(files)
    return [
        file if often[file] == 1 else f"{file} ({place})"
        for place, file in enumerate(files, start=1)
    ]


def _usable(
    read: Mapping[str, CanonicalColumn | Problem],
) -> Iterator[tuple[str, CanonicalColumn]]:
    for column, part in read.items():
        if not isinstance(part, Problem):
            yield column, part


def _refuse(problems: Iterable[Problem]) -> None:
    found = list(problems)
    if found:
        raise InputError(found)


def _missing(raw: RawTable, names: Sequence[str]) -> Iterator[Problem]:
    for name in names:
        if name not in raw.columns:
            message = f"the published table has no column {name!r}"
            remedy = "name its columns under 'counts' and 'totals.of' as they are written there"
            yield raw.problem(message, remedy=remedy)


def _strange_counts(raw: RawTable, counts: Mapping[str, NDArray[np.float64]]) -> Iterator[Problem]:
    for column, values in counts.items():
        known = ~np.isnan(values)
        bad = known & ((values < 0) | (values != np.round(values)))
        if bad.any():
            row = int(bad.argmax()) + 1
            yield raw.problem(
                f"{int(bad.sum())} cells are not whole numbers of 0 or more, the first in row "
                f"{row}",
                row=row,
                column=column,
                remedy="list under 'counts' only columns that count people, and under 'missing' "
                "what stands in a suppressed cell",
            )


def _dimension(name: str, part: CanonicalColumn, totals: Totals | None) -> Dimension:
    codes = part.values.astype(np.int64)
    level = canonical_text(totals.level) if totals else ""
    known = part.levels or ()
    total = known.index(level) if level in known else None
    is_total = np.zeros(len(codes), np.bool_) if total is None else codes == total
    return Dimension(name, codes, is_total)


def _strange_dimensions(
    raw: RawTable, dimensions: Sequence[Dimension], totals: Totals | None
) -> Iterator[Problem]:
    """Yield what keeps rows from being told apart, and totals that nothing is the total of."""
    if totals is None:
        return
    for dimension in dimensions:
        empty = dimension.codes < 0
        if empty.any():
            row = int(empty.argmax()) + 1
            message = f"{int(empty.sum())} cells are empty, the first in row {row}"
            remedy = "write a level into every row of a column under 'totals.of'"
            yield raw.problem(message, row=row, column=dimension.name, remedy=remedy)
    if not any(dimension.is_total.any() for dimension in dimensions):
        message = "no row of the published table has the level that stands for totals"
        remedy = "correct 'totals.level', or write 'totals: none'"
        yield raw.problem(message, remedy=remedy)
    ranks = row_ranks((dimension.codes for dimension in dimensions), raw.rows)
    _, first, sizes = np.unique(ranks, return_index=True, return_counts=True)
    if (sizes > 1).any():
        row = int(first[sizes > 1].min()) + 1
        message = f"two rows of the published table count the same, one of them is row {row}"
        remedy = "list every column that says what a row counts under 'totals.of'"
        yield raw.problem(message, row=row, remedy=remedy)
