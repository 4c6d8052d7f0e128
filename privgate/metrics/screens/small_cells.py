"""Small cells: counts of 1 to 10 people in tables that go out with a release.

A reader of a published table finds a cell that counts few people, knows one of them, and learns
what the table says of all of them. Where the cell is suppressed the reader subtracts: a total minus
the cells shown under it is the number of people in the cells that are not shown.

With the cells x of a table, a total T over the levels of one column and K the cells under it that
are known: difference = T - sum of x over K. A cell that is alone unknown under its total becomes
known by that, and so does a total over known cells; subtraction is repeated until nothing new comes
out. Small is a cell, or a difference, of 1 to 10; 0 is not.

Worked example: f 40, m suppressed, all 45. No cell shown is small, and 45 - 40 = 5 is one small
difference. With m 12 and all 52 there is none of either.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from privgate.data.copies import row_ranks
from privgate.evidence import (
    Card,
    Criterion,
    Estimate,
    Family,
    FigureKind,
    FigureSpec,
    Need,
    Part,
    SafeSide,
    Status,
    ThreatModel,
    unknown,
)
from privgate.metrics.contract import Measured, Params, metric

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.random import Generator
    from numpy.typing import NDArray

    from privgate.data import Dimension, PublishedTable
    from privgate.metrics.inputs import Inputs

SMALLEST_PUBLISHED = 11


class SmallCellsParams(Params):
    """The screen has no parameters: 11 is the smallest cell that the practice lets be published."""


CARD = Card(
    name="small_cells",
    version=1,
    title="Small cells in published tables",
    question="Does a table that goes out with the release count 1 to 10 people in a cell?",
    family=Family.SCREEN,
    threat_model=ThreatModel(
        attacker="anyone who reads the published tables",
        knows="the tables and who is in the source",
        wants="to learn something about one of the few people in a cell",
    ),
    criteria=(Criterion.SINGLING_OUT,),
    formula="#{cells x : 1 ≤ x ≤ 10}; #{totals T : 1 ≤ T − Σ known cells under T ≤ 10}",
    headline="small_cells",
    figures={
        "small_cells": FigureSpec.count(
            "Cells of 1 to 10 people",
            "Number of cells in the published tables that count 1 to 10 people.",
        ),
        "small_differences": FigureSpec.count(
            "Totals that leave 1 to 10 people",
            "Number of totals from which subtracting the known cells leaves 1 to 10 people who are "
            "in cells that are not shown.",
        ),
        "smallest_cell": FigureSpec(
            title="Smallest cell",
            meaning="Least number of people in a cell of the published tables, empty cells aside.",
            safe_side=SafeSide.HIGH,
            kind=FigureKind.COUNT,
            minimum=1,
        ),
    },
    needs=(Need.PUBLISHED_TABLES,),
    references=(
        "CMS Cell Size Suppression Policy of 26 January 2024 (ResDAC, resdac.org/node/1506)",
    ),
    limits=(
        "Sees only the tables and columns that the release file lists; nobody verifies the list.",
        "Percentages, means and rates are not looked at; a share and its base give a count, too.",
        "Totals are subtracted within one table; two tables together may tell more.",
        "Repeated subtraction is not all of arithmetic: several totals at once can bound a cell.",
        "Takes the listed levels for all there are; an unlisted one counts as not shown.",
        "A screen can stop a release; finding no small cell does not clear it.",
    ),
)


@metric(CARD, params=SmallCellsParams)
def small_cells(inputs: Inputs, params: SmallCellsParams, rng: Generator) -> Measured:
    """Return how many cells of published tables are small, shown or by subtraction."""
    del params, rng
    tables = inputs.release.published or ()
    if not tables:
        none = unknown("no table of counts is published")
        figures = {"small_cells": Estimate(value=0), "small_differences": Estimate(value=0)}
        return Measured(figures=figures | {"smallest_cell": none}, raw=0.0)
    parts = tuple(_part(table) for table in tables)
    shown = sum(float(part.figures["small_cells"].value or 0) for part in parts)
    return Measured(parts=parts, raw=shown)


def _part(table: PublishedTable) -> Part:
    cells = np.concatenate(list(table.counts.values()))
    known = cells[~np.isnan(cells)]
    people = known[known > 0]
    nobody = unknown("no cell of the table counts anybody")
    return Part(
        of=table.name,
        status=Status.MEASURED,
        figures={
            "small_cells": Estimate(value=int(is_small(known).sum())),
            "small_differences": _differences(table),
            "smallest_cell": Estimate(value=int(people.min())) if len(people) else nobody,
        },
        diagnostics={"cells": len(cells), "suppressed cells": len(cells) - len(known)},
    )


def is_small(counts: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Return which counts are above 0 and below 11; an unknown one is not."""
    found: NDArray[np.bool_] = (counts > 0) & (counts < SMALLEST_PUBLISHED)
    return found


def _differences(table: PublishedTable) -> Estimate:
    if table.dimensions is None:
        return unknown(
            "the release file does not say whether the table has totals; write 'totals' with 'of' "
            "and 'level', or 'totals: none'"
        )
    found = 0
    for column, values in table.counts.items():
        telling = small_differences(values, table.dimensions)
        if telling is None:
            return unknown(
                f"in column {column!r} a total is smaller than the sum of the cells under it, so "
                "the table is not what its totals say"
            )
        found += telling
    return Estimate(value=found)


def small_differences(counts: NDArray[np.float64], dimensions: Sequence[Dimension]) -> int | None:
    """Return how many totals leave 1 to 10 people, or ``None`` where totals contradict cells.

    Examples
    --------
    >>> from privgate.data import Dimension
    >>> sex = Dimension("sex", np.array([0, 1, 2]), np.array([False, False, True]))
    >>> small_differences(np.array([40.0, np.nan, 45.0]), [sex])
    1
    """
    equations = [_Equations(dimensions, place) for place in range(len(dimensions))]
    telling = [np.zeros(own.totals, np.bool_) for own in equations]
    known, open_cells = counts, len(counts) + 1
    while int(np.isnan(known).sum()) < open_cells:
        open_cells = int(np.isnan(known).sum())
        for place, own in enumerate(equations):
            left = own.left(known)
            if (left < 0).any():
                return None
            telling[place] |= is_small(left)
            known = own.completed(known, left)
    return sum(int(marks.sum()) for marks in telling)


class _Equations:
    """The totals over one column, one for each combination of the other columns' levels."""

    def __init__(self, dimensions: Sequence[Dimension], over: int) -> None:
        codes = [it.codes for place, it in enumerate(dimensions) if place != over]
        self._of = row_ranks(codes, len(dimensions[over].codes))
        self._is_total = dimensions[over].is_total
        self.totals = int(self._of.max()) + 1
        self._has_cells = self._summed(~self._is_total) > 0

    def left(self, known: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return each total less its known cells; NaN without a known total or any cell."""
        totals = np.full(self.totals, np.nan)
        totals[self._of[self._is_total]] = known[self._is_total]
        cells = np.where(self._is_total | np.isnan(known), 0.0, known)
        return np.where(self._has_cells, totals - self._summed(cells), np.nan)

    def completed(
        self, known: NDArray[np.float64], left: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Return the counts with every one that is alone unknown in its equation."""
        unseen = np.isnan(known) & ~self._is_total
        alone = unseen & (self._summed(unseen) == 1)[self._of]
        cells = np.where(alone, left[self._of], known)
        sums = self._summed(np.where(self._is_total, 0.0, cells))
        unseen_total = self._is_total & np.isnan(cells) & self._has_cells[self._of]
        return np.where(unseen_total, sums[self._of], cells)

    def _summed(self, values: NDArray[np.generic]) -> NDArray[np.float64]:
        sums = np.bincount(self._of, values.astype(np.float64), minlength=self.totals)
        return sums.astype(np.float64)
