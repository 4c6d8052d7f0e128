"""Leaks of known size, planted into a synthetic table to learn whether the checks see them.

For a random person of train the published record nearest to them is found, and a share of its
fields is overwritten with the person's own. With all fields it is a verbatim copy. A perturbed leak
moves every copied number by a hundredth of its standard deviation, so that no row is identical and
only distances can tell; of 0/1 positions it flips a hundredth, at least one. People are drawn
uniformly, so outliers are leaked as often as anybody.

References
----------
The copy experiment of Szatkownik et al. 2025, arXiv 2510.24233, overwrites fields of published
records with those of their nearest train record; drawing the person first is privgate's choice.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from privgate.data import with_tables
from privgate.data.columns import Table
from privgate.trials.array_leaks import NOISE, chosen_fields, overwritten_array

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.random import Generator
    from numpy.typing import NDArray

    from privgate.data import Column, Release
    from privgate.trials.leak import Leak


def plant(
    release: Release, leak: Leak, nearest: NDArray[np.int64], rng: Generator
) -> tuple[Release, NDArray[np.int64]]:
    """Return the release with a leak planted, and which synthetic rows now leak, ascending.

    Parameters
    ----------
    nearest
        For each train row the synthetic row nearest to it.

    Notes
    -----
    Two people may share the nearest record: the first drawn gets it. Where fewer records are
    nearest to anybody than are to leak, the people left over get records drawn at random.
    """
    people, rows = _pairs(
        nearest, release.synthetic.rows, leak.records(release.synthetic.rows), rng
    )
    leaked = _overwritten(release, people, rows, leak, rng)
    return with_tables(release, {"synthetic": leaked}), np.sort(rows)


def _pairs(
    nearest: NDArray[np.int64], synthetic: int, wanted: int, rng: Generator
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return people of train and, for each, a published record of their own."""
    people = rng.permutation(len(nearest))
    _, first = np.unique(nearest[people], return_index=True)
    drawn = people[np.sort(first)][:wanted]
    rows = nearest[drawn]
    lacking = min(wanted, len(nearest)) - len(drawn)
    if lacking > 0:
        others = np.setdiff1d(people, drawn, assume_unique=True)
        free = np.setdiff1d(np.arange(synthetic), rows, assume_unique=True)
        drawn = np.concatenate([drawn, rng.permutation(others)[:lacking]])
        rows = np.concatenate([rows, rng.permutation(free)[:lacking]])
        drawn = drawn[: len(rows)]
    return drawn, rows


def _overwritten(
    release: Release,
    people: NDArray[np.int64],
    rows: NDArray[np.int64],
    leak: Leak,
    rng: Generator,
) -> Table:
    if release.is_array:
        return overwritten_array(release, people, rows, leak, rng)
    columns = release.columns
    copied = chosen_fields(len(rows), len(columns), leak.fields, rng)
    if leak.perturbed:
        copied = _with_a_level_kept(copied, columns)
    values = dict(release.synthetic.values)
    for place, column in enumerate(columns):
        chosen = copied[:, place]
        taken = release.train.values[column.name][people]
        if leak.perturbed and not column.type.has_levels:
            taken = taken + _noise(release.train, column, len(taken), rng)
        values[column.name] = values[column.name].copy()
        values[column.name][rows[chosen]] = taken[chosen]
    return Table(values, release.synthetic.positions)


def _with_a_level_kept(copied: NDArray[np.bool_], columns: Sequence[Column]) -> NDArray[np.bool_]:
    """Leave one copied field as it was in records without a copied number that could be moved."""
    numeric = np.array([not column.type.has_levels for column in columns])
    bare = ~(copied & numeric).any(axis=1)
    kept = copied.copy()
    kept[bare, copied[bare].argmax(axis=1)] = False
    return kept


def _noise(train: Table, column: Column, size: int, rng: Generator) -> NDArray[np.float64]:
    known = train.values[column.name].astype(np.float64)
    known = known[~np.isnan(known)]
    step = NOISE * float(known.std())
    if (known == np.round(known)).all():
        step = max(1.0, round(step))
    signs: NDArray[np.float64] = rng.choice([-1.0, 1.0], size)
    return signs * step
