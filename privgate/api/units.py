"""What a division of people never takes apart, and which of that goes to one side."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np
import pandas as pd
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from privgate.errors import InputError, Problem

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.random import Generator
    from numpy.typing import NDArray

Duplicates = Literal["warn", "together"]
_LARGEST_TABLE = 50_000_000  # cells of groups × strata; more would not fit into memory


@dataclass(frozen=True)
class Units:
    """What is never taken apart, and what each is made of.

    ``of_row`` numbers the unit of each row. ``makeup`` has, for each kind of unit, its rows in each
    stratum; ``kind`` is each unit's kind.
    """

    of_row: NDArray[np.int64]
    kind: NDArray[np.int64]
    makeup: NDArray[np.int64]


@dataclass(frozen=True)
class Labels:
    """What rows are recognised by: a number for each content, and one for each group."""

    content: NDArray[np.uint64]
    group: NDArray[np.uint64]


def row_labels(data: pd.DataFrame, groups: str | None) -> Labels:
    """Return the labels of a table's rows, from what they hold alone."""
    own = data.drop(columns=[] if groups is None else [groups])
    content = _hashed(own) if own.shape[1] else np.zeros(len(data), np.uint64)
    return Labels(content, content if groups is None else _hashed(data[[groups]]))


def _hashed(table: pd.DataFrame) -> NDArray[np.uint64]:
    try:
        hashed = pd.util.hash_pandas_object(table, index=False)
    except TypeError:  # its text would quote the cell
        message = "the table has cells that hold lists or other objects"
        raise InputError(Problem(message, path="data", remedy="give plain values")) from None
    return np.asarray(hashed, np.uint64)


def units_of(
    data: pd.DataFrame,
    labels: Labels,
    *,
    groups: str | None,
    strata: Sequence[str],
    duplicates: Duplicates = "warn",
) -> Units:
    """Return which rows stay together, and the kinds of such units.

    Raises
    ------
    InputError
        If there are too many groups and strata to count.
    """
    stratum = stratum_of(data, strata)
    if groups is None and duplicates == "warn":
        kinds = int(stratum.max()) + 1
        _require_countable(kinds, kinds)
        return Units(np.arange(len(data)), stratum, np.eye(kinds, dtype=np.int64))
    unit = _joined(data, labels, groups=groups, duplicates=duplicates)
    shape = (int(unit.max()) + 1, int(stratum.max()) + 1)
    _require_countable(*shape)
    counts = coo_array((np.ones(len(data), np.int64), (unit, stratum)), shape=shape).toarray()
    makeup, kind = np.unique(counts, axis=0, return_inverse=True)
    return Units(unit, kind.ravel(), makeup)


def _require_countable(units: int, strata: int) -> None:
    if units * strata > _LARGEST_TABLE:
        message = f"{units} groups and {strata} values are too many to be counted together"
        remedy = "put numbers into classes, or give a column of fewer values"
        raise InputError(Problem(message, path="stratify", remedy=remedy))


def stratum_of(data: pd.DataFrame, strata: Sequence[str]) -> NDArray[np.int64]:
    """Return a number for each row's stratum; numbers follow from the strata's content."""
    if not strata:
        return np.zeros(len(data), np.int64)
    stratum = np.unique(_hashed(data[list(strata)]), return_inverse=True)[1]
    return np.asarray(stratum, np.int64)


def _joined(
    data: pd.DataFrame, labels: Labels, *, groups: str | None, duplicates: Duplicates
) -> NDArray[np.int64]:
    """Return the unit of each row: its group, or all that equal rows and groups connect."""
    content = np.unique(labels.content, return_inverse=True)[1]
    if groups is None:
        return content.astype(np.int64)
    group = pd.factorize(data[groups])[0].astype(np.int64)
    if duplicates == "warn":
        return group
    first = int(group.max()) + 1
    nodes = first + int(content.max()) + 1
    links = coo_array((np.ones(len(data), np.int8), (group, first + content)), shape=(nodes, nodes))
    _, joined = connected_components(links, directed=False)
    units: NDArray[np.int64] = np.unique(joined[group], return_inverse=True)[1].astype(np.int64)
    return units


def chosen_units(units: Units, share: float, labels: Labels, rng: Generator) -> NDArray[np.bool_]:
    """Return which units make up a share of all rows, chosen by chance within each kind."""
    draws = _draws(units, labels, rng)
    order = np.lexsort((draws, units.kind))
    sizes = np.bincount(units.kind, minlength=len(units.makeup))
    taken = _taken(units.makeup, sizes, share, rng)
    place = np.arange(len(order)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    chosen = np.empty(len(order), np.bool_)
    chosen[order] = place < np.repeat(taken, sizes)
    return chosen


def _draws(units: Units, labels: Labels, rng: Generator) -> NDArray[np.int64]:
    """Return a random number for each unit that belongs to its content, not to its place."""
    named = np.full(len(units.kind), np.iinfo(np.uint64).max, np.uint64)
    np.minimum.at(named, units.of_row, labels.group)
    draws = np.empty(len(named), np.int64)
    draws[np.argsort(named, kind="stable")] = rng.permutation(len(named))
    return draws


def _taken(
    makeup: NDArray[np.int64], sizes: NDArray[np.int64], share: float, rng: Generator
) -> NDArray[np.int64]:
    """Return how many units of each kind are taken: the share, rounded for the best sum."""
    counted = np.column_stack([makeup, makeup.sum(axis=1)]).astype(np.float64)
    taken: NDArray[np.int64] = np.floor(share * sizes + 1e-9).astype(np.int64)
    left = share * sizes - taken
    lacking = left @ counted
    for kind in np.lexsort((rng.random(len(sizes)), -left, -counted[:, -1])):
        own = counted[kind]
        if left[kind] > 1e-9 and 2 * (lacking @ own) > own @ own + 1e-9:
            taken[kind] += 1
            lacking = lacking - own
    return taken
