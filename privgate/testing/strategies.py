"""Hypothesis strategies that make the tables metrics stumble over; needs ``privgate[testing]``.

Small, tied, constant, full of missing values, with levels that only one table has and with odd
names: whatever they give, a metric says what it measured or why it did not, and never breaks.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from hypothesis import strategies as st

from privgate.data import release_from_frames

if TYPE_CHECKING:
    from collections.abc import Mapping

    from hypothesis.strategies import DrawFn, SearchStrategy

    from privgate.data import Release

ODD_NAMES = ("a", "a b", "Größe", "x;y", "0", "none", "class")
_THERE: Mapping[str, SearchStrategy[Any]] = {
    "numeric": st.one_of(
        st.sampled_from((0.0, 1.0, -1.0, 1e-9, 1e12)), st.integers(-3, 3).map(float)
    ),
    "categorical": st.sampled_from(("x", "y", "z", "ä", "1e5", "x y")),
    "boolean": st.booleans(),
}
_CELLS = {kind: st.one_of(st.none(), cells) for kind, cells in _THERE.items()}
_ROLES = ("quasi_identifier", "sensitive", "other")


@st.composite
def declarations(draw: DrawFn) -> dict[str, dict[str, str]]:
    """Return one to four declared columns, the first a quasi-identifier."""
    names = draw(st.lists(st.sampled_from(ODD_NAMES), min_size=1, max_size=4, unique=True))
    roles = ["quasi_identifier", *(draw(st.sampled_from(_ROLES)) for _ in names[1:])]
    return {
        name: {"type": draw(st.sampled_from(sorted(_CELLS))), "role": role}
        for name, role in zip(names, roles, strict=True)
    }


@st.composite
def tables(
    draw: DrawFn,
    columns: Mapping[str, Mapping[str, str]],
    *,
    max_rows: int = 12,
    shared: Mapping[str, Any] | None = None,
) -> pd.DataFrame:
    """Return a table of one to ``max_rows`` rows with these columns.

    Each column has one value at least, the ``shared`` one where it is given.
    """
    rows = draw(st.integers(1, max_rows))
    drawn = {}
    for name, declared in columns.items():
        kind = declared["type"]
        first = shared[name] if shared else draw(_THERE[kind])
        further = st.lists(_CELLS[kind], min_size=rows - 1, max_size=rows - 1)
        drawn[name] = np.array(draw(st.permutations([first, *draw(further)])), object)
    return pd.DataFrame(drawn)


@st.composite
def table_releases(draw: DrawFn, *, max_rows: int = 12) -> Release:
    """Return a release of such tables, with a holdout or without.

    A value of each column is in all tables: without one in common they are refused unmeasured.
    """
    columns = draw(declarations())
    shared = {name: draw(_THERE[declared["type"]]) for name, declared in columns.items()}
    own = tables(columns, max_rows=max_rows, shared=shared)
    return release_from_frames(
        train=draw(own),
        synthetic=draw(own),
        holdout=draw(own) if draw(st.booleans()) else None,
        columns=columns,
    )
