"""A random part of a release whose tables stand to each other as in the whole."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from privgate.data.replacement import with_tables
from privgate.errors import InputError, Problem

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from privgate.data.columns import Table
    from privgate.data.release import Release
    from privgate.evidence import TableName

FEWEST_ROWS = 100
UNITS = 20  # a sample of fewer units than this would be no picture of the table


@dataclass(frozen=True)
class Drawn:
    """The part of a release that was drawn, and what was drawn at a time."""

    release: Release
    by: Literal["rows", "identifiers", "pairs"]


def draw_sample(release: Release, rows: int, rng: np.random.Generator) -> Drawn | None:
    """Return ``rows`` rows of the largest table and equal shares of the others; or ``None``.

    ``None`` means that no table has more rows than that, so that nothing is left out.

    Each table is drawn by itself, without looking at values: train and holdout stay as exchangeable
    as they were. Two things are kept together. Rows that share a value of the only identifier
    column are drawn or left out as one, unless twenty such groups would not fit into the sample.
    And a synthetic row that is declared to be made from a train row comes with it.

    Raises
    ------
    InputError
        If fewer than a hundred rows of a larger table are asked for.

    Examples
    --------
    >>> from privgate.testing.samples import survey_release
    >>> drawn = draw_sample(survey_release(400), 200, np.random.default_rng(0))
    >>> drawn.by, {name: table.rows for name, table in drawn.release.tables.items()}
    ('rows', {'train': 200, 'synthetic': 200, 'holdout': 200})
    """
    largest = max(table.rows for table in release.tables.values())
    if largest <= rows:
        return None
    if rows < FEWEST_ROWS:
        message = f"a sample of {rows} rows says nothing about a release"
        raise InputError(Problem(message, remedy=f"ask for {FEWEST_ROWS} rows or more"))
    sizes = {name: -(-table.rows * rows // largest) for name, table in _tables(release).items()}
    train = _chosen(np.arange(release.train.rows), sizes["train"], rng)
    pairs = _paired_with(release, train)
    chosen: dict[TableName, NDArray[np.int64]]
    if pairs is None:
        units = _units(release, sizes)
        chosen = {name: _chosen(units[name], sizes[name], rng) for name in sorted(sizes)}
        grouped = any(len(np.unique(of)) < len(of) for of in units.values())
        by: Literal["rows", "identifiers", "pairs"] = "identifiers" if grouped else "rows"
    else:
        chosen, by = {"train": train, "synthetic": pairs}, "pairs"
        if release.holdout is not None:
            every = np.arange(release.holdout.rows)
            chosen["holdout"] = _chosen(every, sizes["holdout"], rng)
    tables = {name: _tables(release)[name].take(index) for name, index in chosen.items()}
    return Drawn(with_tables(release, tables), by)


def _tables(release: Release) -> dict[TableName, Table]:
    found: dict[TableName, Table] = {"train": release.train, "synthetic": release.synthetic}
    return found if release.holdout is None else {**found, "holdout": release.holdout}


def _chosen(of: NDArray[np.int64], size: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Return the rows of units drawn until there are ``size`` rows; ``of`` is each row's unit."""
    counts = np.bincount(of)
    order = rng.permutation(len(counts))
    enough = int(np.searchsorted(np.cumsum(counts[order]), size)) + 1
    drawn = np.zeros(len(counts), bool)
    drawn[order[:enough]] = True
    return np.flatnonzero(drawn[of])


def _units(release: Release, sizes: dict[TableName, int]) -> dict[TableName, NDArray[np.int64]]:
    """Return for each table which rows belong together; by themselves where none do."""
    alone: dict[TableName, NDArray[np.int64]] = {}
    alone |= {name: np.arange(table.rows) for name, table in _tables(release).items()}
    if len(release.identifiers) != 1:
        return alone
    name = release.identifiers[0].name
    grouped = {
        table: _by_value(held.values[name])
        for table, held in _tables(release).items()
        if name in held.values
    }
    fits = all(
        np.bincount(of).max() * UNITS <= sizes[table] or len(np.unique(of)) == len(of)
        for table, of in grouped.items()
    )
    return {**alone, **grouped} if fits else alone


def _by_value(codes: NDArray[np.generic]) -> NDArray[np.int64]:
    """Return the number of each row's value; a row without one is a unit of its own."""
    missing = codes < np.zeros((), codes.dtype)
    of = np.unique(codes, return_inverse=True)[1].astype(np.int64)
    of[missing] = of.max() + 1 + np.arange(int(missing.sum()))
    # Numbers without a gap, so that no unit is empty.
    return np.unique(of, return_inverse=True)[1].astype(np.int64)


def _paired_with(release: Release, train: NDArray[np.int64]) -> NDArray[np.int64] | None:
    """Return the synthetic rows declared to be made from the drawn train rows, if any are."""
    declared = release.facts.correspondence
    if declared is None or declared == "none":
        return None
    ours, theirs = (_keys(release, table) for table in (release.train, release.synthetic))
    if ours is None or theirs is None:
        return None
    found = np.flatnonzero(np.isin(theirs, ours[train]))
    return found if len(found) else None


def _keys(release: Release, table: Table) -> NDArray[np.generic] | None:
    declared = release.facts.correspondence
    if not isinstance(declared, dict):
        return table.positions
    return table.values.get(str(declared["key"]))
