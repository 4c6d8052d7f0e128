"""Associations: whether columns go together in the release as they do in train.

Every pair of measured columns has an association: Spearman's correlation for two numbers (-1 to 1),
the bias-corrected Cramér's V for two columns with levels, and the correlation ratio of the ranks,
corrected likewise, for a number with levels (both 0 to 1). A pair is kept to 1 - min(1, |a - b|), a
in train and b in the release; the figure is the mean over all pairs that vary in train. A pair that
no longer varies in the release counts as b = 0.

Two yardsticks stand beside it. People the generator never saw tell what an honest draw reaches. And
a table with the same columns and no association at all tells what keeping nothing would give, which
is far above 0 where most pairs have little to do with each other.

This measures use and no risk. A table of copies of train has similarity 1.

Worked example: in train the ranks of two numbers agree (a = 1), in the release {1, 2, 3} meets
{9, 7, 8} (b = -1/2), so their pair gives 0, and in {1, 2, 3} with {7, 9, 8} b = 1/2 gives 1/2.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from pydantic import Field

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
from privgate.metrics.sampling import sample_notes, sampled
from privgate.stats.association import associations as association_matrix

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.random import Generator
    from numpy.typing import NDArray

    from privgate.data import Column, Table
    from privgate.metrics.inputs import Inputs

FEWEST_ROWS = 11
_ALONE = "the column varies together with no other one in train"


class AssociationsParams(Params):
    """Parameters of the comparison of associations."""

    most_rows: int = Field(
        default=100_000,
        ge=100,
        le=1_000_000,
        description="Rows of a table above which a seeded subsample of this size stands for it.",
    )


CARD = Card(
    name="associations",
    version=1,
    title="Associations: columns in pairs",
    question="Do columns of the release go together as they do in the real table?",
    family=Family.UTILITY,
    criteria=(),
    formula="mean over pairs of 1 − min(1, |a − b|); a, b: Spearman's ρ, corrected Cramér's V or "
    "correlation ratio in train and in the release",
    headline="similarity",
    figures={
        "similarity": similarity(
            "Similarity of associations",
            "How far pairs of columns keep what they have to do with each other, on the average: 1 "
            "is equal, 0 has nothing in common.",
        ),
        "holdout_similarity": similarity(
            "Similarity of associations, holdout",
            "The same for people the generator never saw: what an honest draw of their number "
            "reaches.",
            part=FigurePart.CONTROL,
        ),
        "independent_similarity": similarity(
            "Similarity of associations, nothing kept",
            "The same for a table in which no column has to do with any other.",
            part=FigurePart.BASELINE,
        ),
        "column_similarity": similarity(
            "Similarity of associations, worst column",
            "The mean over the pairs of a column; of the release, that of the column that lost "
            "most.",
        ),
    },
    needs=(Need.COLUMNS,),
    references=(
        "Spearman 1904, doi 10.2307/1412159",
        "Bergsma 2013, doi 10.1016/j.jkss.2012.10.002 (bias-corrected Cramér's V)",
        "Kelley 1935, doi 10.1073/pnas.21.9.554 (unbiased correlation ratio)",
        "Lautrup et al. 2025, doi 10.1007/s10618-024-01081-4 (SynthEval, mixed associations)",
    ),
    limits=(
        "No evidence about privacy: a copy of train has similarity 1.",
        "Sees pairs only, and of numbers only what rises or falls together.",
        "Most pairs of a wide table have little in common; compare with what keeping none gives.",
        "Chance sets small tables apart; compare with the holdout, and of equal size.",
    ),
)


@metric(CARD, params=AssociationsParams)
def associations(inputs: Inputs, params: AssociationsParams, rng: Generator) -> Measured:
    """Return how far pairs of columns keep their associations, with the holdout beside."""
    release = inputs.release
    columns = sorted(release.columns, key=lambda column: column.type.has_levels)
    rows = {name: table.rows for name, table in release.tables.items()}
    if min(rows.values()) < FEWEST_ROWS:
        raise NotAssessable(f"associations need at least {FEWEST_ROWS} rows of each table")
    found = {
        name: _matrix(
            release.tables[name], columns, sampled(np.arange(rows[name]), params.most_rows, own)
        )
        for name, own in zip(sorted(rows), rng.spawn(len(rows)), strict=True)
    }
    real = found["train"]
    counts = ~np.isnan(real)
    if not counts.any():
        raise NotAssessable("no two columns of train vary together")
    kept = _kept(real, found["synthetic"])
    figures = {
        "similarity": Estimate(value=_mean(kept), n=rows["synthetic"]),
        "holdout_similarity": Estimate(
            value=_mean(_kept(real, found["holdout"])), n=rows["holdout"]
        )
        if "holdout" in found
        else unknown(NO_HOLDOUT),
        "independent_similarity": Estimate(
            value=_mean(_kept(real, np.zeros(real.shape))), n=rows["train"]
        ),
    }
    own = _by_column(kept, columns, rows["synthetic"])
    return Measured(
        figures=figures | {"column_similarity": min(own.values(), key=least_first)},
        parts=tuple(
            Part(
                of=column.name,
                status=Status.MEASURED,
                figures={"column_similarity": own[column.name]},
            )
            for column in release.columns
        ),
        raw=figures["similarity"].value,
        diagnostics={"pairs compared": int(counts.sum()) // 2},
        notes=sample_notes(rows, params.most_rows),
    )


def _matrix(
    table: Table, columns: Sequence[Column], rows: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Return the associations of a table's columns, numbers first."""
    numbers = [column.name for column in columns if not column.type.has_levels]
    found = np.empty((len(rows), len(numbers)))
    for place, name in enumerate(numbers):
        found[:, place] = table.values[name][rows]
    levels = [column.name for column in columns if column.type.has_levels]
    return association_matrix(
        found, [np.asarray(table.values[name][rows], np.int32) for name in levels]
    )


def _kept(real: NDArray[np.float64], other: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return how far each pair is kept; NaN for pairs that do not vary in train."""
    return 1 - np.minimum(1.0, np.abs(real - np.nan_to_num(other)))


def _mean(kept: NDArray[np.float64]) -> float:
    return float(np.nanmean(kept))


def _by_column(
    kept: NDArray[np.float64], columns: Sequence[Column], rows: int
) -> Mapping[str, Estimate]:
    found: dict[str, Estimate] = {}
    for column, pairs in zip(columns, kept, strict=True):
        known = pairs[~np.isnan(pairs)]
        found[column.name] = (
            Estimate(value=float(known.mean()), n=rows) if len(known) else unknown(_ALONE)
        )
    return found
