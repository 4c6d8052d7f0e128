"""Exact search for the nearest rows.

A neighbour that is missed overstates a distance and hides a leak, so no approximate index is ever
used. An engine finds the pairs that may be nearest; here they are measured by the rows' own
``pair_distances`` and selected by (distance, index). Results do not depend on the engine, the parts
of its work, or where these run.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from privgate.encoding import Rows
from privgate.executors import SERIAL, Executor
from privgate.neighbors.distinct import Kinds
from privgate.neighbors.engines import Engine, Question, engine_for
from privgate.neighbors.expansion import to_all_rows, to_all_rows_within
from privgate.neighbors.lists import NeighbourList
from privgate.neighbors.selection import Lists, Measured

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np
    from numpy.typing import NDArray

    from privgate.neighbors.engines import Pairs

R = TypeVar("R", bound=Rows)

LIST_LENGTH = 64


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


def search_nearest(queries: R, base: R, *, executor: Executor = SERIAL) -> NeighbourList[R]:
    """Return the nearest base row of each query, as a list of one."""
    return search_across(queries, base, k=1, k_back=0, executor=executor)[0]


def _answered(
    asked: Question[Any], engine: Callable[[Question[Any]], Engine], executor: Executor
) -> tuple[Lists, Lists]:
    """Return the lists of the queries and those of the base rows."""
    forward = Lists(len(asked.queries), asked.k)
    backward = forward if asked.within else Lists(len(asked.base), asked.k_back)
    if asked.k or asked.k_back:
        able = engine(asked)
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
    there, back = (_with_distance(pairs, asked) for pairs in (found.forward, found.backward))
    return (
        Measured.nearest(there[0], there[1], there[2], k=asked.k),
        Measured.nearest(back[1], back[0], back[2], k=asked.k if asked.within else asked.k_back),
    )


def _with_distance(
    pairs: Pairs, asked: Question[Any]
) -> tuple[NDArray[np.integer], NDArray[np.integer], NDArray[np.float64]]:
    query, base = pairs.query, pairs.base
    if asked.within:
        others = query != base
        query, base = query[others], base[others]
    return query, base, asked.queries.pair_distances(asked.base, query, base)
