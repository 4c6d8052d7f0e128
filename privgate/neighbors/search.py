"""Exact search for the nearest rows.

A neighbour that is missed overstates a distance and hides a leak, so no approximate index is ever
used. An engine finds the pairs that may be nearest; here they are measured by the rows' own
``pair_distances`` and selected by (distance, index). Results do not depend on the engine, the parts
of its work, or where these run.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from privgate.encoding import Rows, TabularRows
from privgate.executors import SERIAL, Executor
from privgate.neighbors.distinct import Kinds
from privgate.neighbors.engines import FEWEST_PAIRS, Engine, Pairs, Question, engine_for
from privgate.neighbors.expansion import to_all_rows, to_all_rows_within
from privgate.neighbors.lists import Nearest, NeighbourList
from privgate.neighbors.selection import Lists, Measured
from privgate.neighbors.tiles import row_blocks

if TYPE_CHECKING:
    from collections.abc import Callable

R = TypeVar("R", bound=Rows)

LIST_LENGTH = 32
"""Of the longest lists."""
ENOUGH = 16
"""Rows of a list that answers for half of 65,536 rows, all but one of them."""
SHORTEST_LIST = 8
FEW_ROWS, FEW_COLUMNS = 256, 32
MOST_OF_LISTS = 768 * 2**20  # bytes of all lists of one search
ENTRY = np.dtype(np.float64).itemsize + np.dtype(np.int32).itemsize


def wanted_length(share: float, rows: int) -> int:
    """Return how many neighbours a list needs to hold a member, when a share of the rows are such.

    Of so many rows about one is left without, and has to be searched anew.

    Examples
    --------
    >>> wanted_length(1 / 2, 20_000), wanted_length(1 / 2, 2_000_000), wanted_length(1 / 3, 20_000)
    (16, 21, 28)
    """
    missed = math.log2(1 - share) if share < 1 else -math.inf
    sure = max(ENOUGH, math.ceil(math.log2(max(1, rows))))
    return max(ENOUGH, min(LIST_LENGTH, math.ceil(-sure / missed) if missed else LIST_LENGTH))


def list_length(rows: int, wanted: int = LIST_LENGTH) -> int:
    """Return how many neighbours the lists of so many rows hold, so that they fit into memory.

    No more than wanted, if that is no fewer than the shortest lists hold.

    Answers do not depend on it; with shorter lists more rows are searched anew.

    Examples
    --------
    >>> list_length(2_000_000), list_length(3_000_000), list_length(100_000_000)
    (32, 22, 8)
    """
    return max(SHORTEST_LIST, min(wanted, MOST_OF_LISTS // (ENTRY * max(1, rows))))


def search_within(
    rows: R,
    *,
    k: int = LIST_LENGTH,
    executor: Executor = SERIAL,
    engine: Callable[[Question[R]], Engine] = engine_for,
) -> NeighbourList[R]:
    """Return the k nearest other rows of each row; a duplicate counts, the row itself does not.

    A single row has a list of one entry, which is infinitely far away.
    """
    kinds = Kinds.of(rows)
    distinct = rows if kinds.alone else rows.take(kinds.first)
    wanted = max(1, min(k, len(rows) - 1))
    asked = Question(distinct, distinct, min(wanted, len(kinds) - 1), within=True)
    found, _ = _answered(asked, engine, executor)
    return NeighbourList(*to_all_rows_within(found, kinds, wanted), rows, rows, within=True)


def search_across(
    queries: R,
    base: R,
    *,
    k: int = LIST_LENGTH,
    k_back: int = LIST_LENGTH,
    executor: Executor = SERIAL,
    engine: Callable[[Question[R]], Engine] = engine_for,
) -> tuple[NeighbourList[R], NeighbourList[R]]:
    """Return the nearest base rows of each query, and the nearest queries of each base row.

    Lists of ``k`` and of ``k_back`` rows, and both directions from one search.
    """
    kinds, base_kinds = Kinds.of(queries), Kinds.of(base)
    asked = Question(
        queries if kinds.alone else queries.take(kinds.first),
        base if base_kinds.alone else base.take(base_kinds.first),
        min(k, len(base_kinds)),
        min(k_back, len(kinds)),
    )
    forward, backward = _answered(asked, engine, executor)
    there = to_all_rows(forward, kinds, base_kinds, min(k, len(base)))
    back = to_all_rows(backward, base_kinds, kinds, min(k_back, len(queries)))
    return (
        NeighbourList(*there, queries, base, within=False),
        NeighbourList(*back, base, queries, within=False),
    )


def search_nearest(queries: R, base: R, *, executor: Executor = SERIAL) -> Nearest:
    """Return the nearest base row of each query."""
    if len(queries) * len(base) >= FEWEST_PAIRS and not _few(base):
        return search_across(queries, base, k=1, k_back=0, executor=executor)[0].first
    distance, index = np.empty(len(queries)), np.empty(len(queries), np.int64)
    for block in row_blocks(len(queries), len(base)):
        tile = queries.take(block).distances(base)
        index[block] = found = tile.argmin(axis=1)
        distance[block] = tile[np.arange(len(tile)), found]
    return Nearest(distance, index)


def _few(base: Rows) -> bool:
    """Return whether measuring all pairs is less work than preparing a search."""
    narrow = isinstance(base, TabularRows) and (
        base.numbers.shape[1] + base.levels.shape[1] <= FEW_COLUMNS
    )
    return narrow and len(base) <= FEW_ROWS


def _answered(
    asked: Question[Any], engine: Callable[[Question[Any]], Engine], executor: Executor
) -> tuple[Lists, Lists]:
    """Return the lists of the queries and those of the base rows."""
    able = engine(asked) if asked.k or asked.k_back else None  # before there are lists beside it
    forward = Lists(len(asked.queries), asked.k)
    backward = forward if asked.within else Lists(len(asked.base), asked.k_back)
    if able is not None:
        for there, back in executor.map(measured, (able, asked), able.parts()):
            forward.add(there)
            backward.add(back)
    forward.require_full()
    backward.require_full()
    return forward, backward


def measured(shared: tuple[Engine, Question[Any]], part: Any) -> tuple[Measured, Measured]:
    """Return the nearest among the candidates of a part: those of queries, those of base rows."""
    engine, asked = shared
    found = engine.candidates(part)
    there, back = found.forward, found.backward
    if asked.within:
        there, back = _of_others(there), _of_others(back)
    return (
        Measured.nearest(
            there.query,
            there.base,
            lambda row, other: asked.queries.pair_distances(asked.base, row, other),
            k=asked.k,
        ),
        Measured.nearest(
            back.base,
            back.query,
            lambda row, other: asked.base.pair_distances(asked.queries, row, other),
            k=asked.k if asked.within else asked.k_back,
        ),
    )


def _of_others(pairs: Pairs) -> Pairs:
    """Return the pairs without those of a row with itself."""
    others = pairs.query != pairs.base
    return Pairs(pairs.query[others], pairs.base[others])
