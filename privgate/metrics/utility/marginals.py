"""Marginals: how alike the columns of the release and of train are, each on its own.

A column with levels is compared by its shares: 1 - (1/2) Σ |p(l) - q(l)|, one minus the total
variation distance, a missing value being a level of its own. Numbers and dates are compared by
their distribution functions: 1 - max |F(x) - G(x)|, one minus the Kolmogorov–Smirnov distance, a
missing value lying above all others. The figure is the mean over the measured columns, and the
worst column is named beside it.

The synthetic table is public, so an exact distance would tell how many people of train have a rare
value. Levels with fewer than 11 people of train count as one, and distribution functions are
compared where at least 11 people lie on either side. A column in which that leaves nothing to
compare is left out.

The same figure for people the generator never saw tells what an honest draw of their number
reaches: a release that is far above it may simply repeat train, and one far below has lost
something. It is not 1, as chance alone sets two small tables apart.

This measures use and no risk. A table of copies of train has similarity 1.

Worked example, with 11 people for each entry: shares (1/2, 1/2) in train and (1/4, 3/4) in the
release give 0.75; numbers {1, 2, 3, 4} and {1, 2, 9, 9} give F = 1 and G = 1/2 at 4, so 0.5; the
mean is 0.625.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from privgate.errors import NotAssessable
from privgate.evidence import (
    Card,
    Estimate,
    Family,
    FigurePart,
    Need,
    Part,
    Status,
    unknown,
)
from privgate.metrics.comparison import NO_HOLDOUT
from privgate.metrics.contract import Measured, Params, metric
from privgate.metrics.likeness import least_first, similarity
from privgate.stats.similarity import level_similarity, number_similarity

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.random import Generator

    from privgate.data import Column, Table
    from privgate.metrics.inputs import Inputs

FEWEST = 11  # people who are compared together at least
_TOO_FEW = "no two values of the column have at least 11 people of train each"


class MarginalsParams(Params):
    """Marginals have no parameters."""


CARD = Card(
    name="marginals",
    version=1,
    title="Marginals: columns on their own",
    question="Do single columns of the release look like those of the real table?",
    family=Family.UTILITY,
    criteria=(),
    formula="mean over columns of 1 − ½ Σ |p − q| (levels) or 1 − max |F − G| (numbers)",
    headline="similarity",
    figures={
        "similarity": similarity(
            "Similarity of columns",
            "How alike the columns of the release and of train are, on the average: 1 is equal, 0 "
            "has nothing in common.",
        ),
        "holdout_similarity": similarity(
            "Similarity of columns, holdout",
            "The same for people the generator never saw: what an honest draw of their number "
            "reaches.",
            part=FigurePart.CONTROL,
        ),
        "column_similarity": similarity(
            "Similarity of the worst column",
            "How alike the column is in the release and in train; of the release, that of the "
            "column that was changed most.",
        ),
        "holdout_column_similarity": similarity(
            "Similarity of the worst column, holdout",
            "The same for people the generator never saw.",
        ),
    },
    needs=(Need.COLUMNS,),
    references=(
        "Documentation of SDMetrics: KSComplement, TVComplement",
        "Lautrup et al. 2025, doi 10.1007/s10618-024-01081-4 (SynthEval)",
        "Missing values as a level or greatest number, groups of 11 people: chosen by privgate",
    ),
    limits=(
        "No evidence about privacy: a copy of train has similarity 1.",
        "Sees single columns only; what they have to do with each other is lost on it.",
        "Chance sets small tables apart; compare with the holdout, and of equal size.",
        "The order of ordinal levels does not count.",
        "Values of fewer than 11 people of train count together, so it does not see them go.",
    ),
)


@metric(CARD, params=MarginalsParams)
def marginals(inputs: Inputs, params: MarginalsParams, rng: Generator) -> Measured:
    """Return how alike the columns of synthetic and train are, with the holdout beside."""
    del params, rng
    release = inputs.release
    if min(table.rows for table in release.tables.values()) < FEWEST:
        raise NotAssessable(f"a distribution needs at least {FEWEST} rows of each table")
    against = {"": release.synthetic, "holdout_": release.holdout}
    found = {
        prefix: [
            _estimate(_column(release.train, table, column), table.rows)
            for column in release.columns
        ]
        for prefix, table in against.items()
        if table is not None
    }
    if all(entry.value is None for entry in found[""]):
        raise NotAssessable(f"no column can be compared in groups of at least {FEWEST} people")
    missing = [unknown(NO_HOLDOUT)] * len(release.columns)
    figures: dict[str, Estimate] = {}
    for prefix, table in against.items():
        own = found.get(prefix, missing)
        figures[f"{prefix}similarity"] = _mean(own, rows=0 if table is None else table.rows)
        figures[f"{prefix}column_similarity"] = min(own, key=least_first)
    return Measured(
        figures=figures,
        parts=tuple(
            Part(
                of=column.name,
                status=Status.MEASURED,
                figures={
                    f"{prefix}column_similarity": found.get(prefix, missing)[place]
                    for prefix in against
                },
            )
            for place, column in enumerate(release.columns)
        ),
        raw=figures["similarity"].value,
    )


def _column(train: Table, other: Table, column: Column) -> float:
    first, second = train.values[column.name], other.values[column.name]
    if column.type.has_levels:
        codes, others = np.asarray(first, np.int32), np.asarray(second, np.int32)
        return level_similarity(codes, others, levels=len(column.levels), fewest=FEWEST)
    numbers, others_ = np.asarray(first, np.float64), np.asarray(second, np.float64)
    return number_similarity(numbers, others_, fewest=FEWEST)


def _estimate(value: float, rows: int) -> Estimate:
    return unknown(_TOO_FEW) if math.isnan(value) else Estimate(value=value, n=rows)


def _mean(found: Sequence[Estimate], *, rows: int) -> Estimate:
    known = [float(entry.value) for entry in found if entry.value is not None]
    return Estimate(value=math.fsum(known) / len(known), n=rows) if known else found[0]
