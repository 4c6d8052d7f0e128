"""PQMass asks whether the release resembles its own people more than others, cell by cell.

A random tessellation is drawn: some rows of the release and of a set of people become references,
and are taken out of both; every other row is counted in the cell of its nearest reference. Were
both samples of one population, Pearson's χ² of the two rows of counts would have as many degrees of
freedom as there are occupied cells, less one. It is stated on the scale of all references (equal
probability, R - 1 degrees of freedom), and averaged over tessellations.

gap = χ²(S, E) - χ²(S, T) for the release S, and equally many holdout rows E and train rows T, since
χ² grows with the number of rows. It is above 0 when the release resembles train more. A χ²(S, T)
far below R - 1 means rows that the two have in common.

PRIVET takes 1,000 tessellations; the default here is 100. There are at most a fifth as many
references as rows of both samples, for cells without rows say nothing. Where a probability is
below the smallest float, its logarithm is matched instead.

The measure is weak and noisy: PRIVET's authors show 2 to 5 without a leak, and 8 with two fifths of
the records partly copied. It informs and never certifies.

Worked example: counts (10, 20, 30, 0) and (15, 15, 20, 10) give χ² 13.7142857142857 with 3 degrees
of freedom; (10, 20, 0) and (15, 15, 0) give 1.7142857142857 with 1, that is 3.3169384411849 with 2.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from pydantic import Field

from privgate.errors import NotAssessable
from privgate.evidence import (
    INFORM_ONLY,
    Card,
    Estimate,
    Family,
    FigureSpec,
    Need,
    SafeSide,
    ThreatModel,
)
from privgate.metrics.comparison import NO_HOLDOUT
from privgate.metrics.contract import Measured, metric
from privgate.metrics.distances import DistanceParams, unseen_columns
from privgate.neighbors import Cells
from privgate.stats.tessellation import at_freedom, pearson

if TYPE_CHECKING:
    from numpy.random import Generator
    from numpy.typing import NDArray

    from privgate.metrics.inputs import Inputs

ROWS_PER_REFERENCE = 5
FEWEST_REFERENCES = 2


class PqmassParams(DistanceParams):
    """Parameters of the PQMass gap."""

    references: int = Field(
        default=100, ge=2, le=10_000, description="Reference rows of each tessellation."
    )
    tessellations: int = Field(
        default=100, ge=2, le=10_000, description="Random tessellations of each comparison."
    )


CARD = Card(
    name="pqmass",
    version=1,
    title="PQMass gap",
    question="Does the release fill the cells of random tessellations more like train than like "
    "other people?",
    family=Family.SCREEN,
    threat_model=ThreatModel(
        attacker="anyone who obtains the release",
        knows="the release and some real records",
        wants="to notice that a generator reproduces the people it was made from",
    ),
    criteria=(),
    formula="gap = χ²(S, E) − χ²(S, T), χ² of counts in cells of R random references, mapped to "
    "R − 1 degrees of freedom, mean over tessellations",
    headline="gap",
    figures={
        "gap": FigureSpec.score(
            "PQMass gap",
            "By how much the release differs more from people the generator never saw than from "
            "its own people; 0 is expected, with noise of a few units.",
            safe_side=SafeSide.LOW,
        ),
        "chi2_train": FigureSpec.score(
            "Difference from train (χ²)",
            "How much the release differs from the people behind it; one less than the number of "
            "references for two samples of one population, far less when they share rows.",
            safe_side=SafeSide.HIGH,
            minimum=0,
        ),
        "chi2_holdout": FigureSpec.score(
            "Difference from the holdout (χ²)",
            "How much the release differs from people the generator never saw.",
            safe_side=SafeSide.HIGH,
            minimum=0,
        ),
    },
    needs=(Need.HOLDOUT,),
    references=(
        "Lemos et al. 2024, arXiv 2402.04355 (PQMass)",
        "Szatkownik et al. 2025, arXiv 2510.24233 (as a comparator)",
        "Equal sizes and the logarithmic tail: derived by privgate",
    ),
    limits=(
        INFORM_ONLY,
        "Not to be certified on: weak, and as noisy without a leak as with a mild one.",
        "Without interval and p-value; the spread over tessellations is not that over samples.",
        "Cells hold many rows, so a few copies do not show.",
        "Of the larger one of train and holdout only a drawn part takes part.",
    ),
)


@metric(CARD, params=PqmassParams)
def pqmass(inputs: Inputs, params: PqmassParams, rng: Generator) -> Measured:
    """Return how much more the release differs from holdout than from as many train rows."""
    neighbours = inputs.neighbours(params.distance)
    space, masks = neighbours.space, neighbours.balanced(rng)
    if masks is None:
        raise NotAssessable(NO_HOLDOUT)
    size, records = int(masks[0].sum()), len(space.synthetic)
    references = min(params.references, (size + records) // ROWS_PER_REFERENCE)
    if references < FEWEST_REFERENCES:
        raise NotAssessable("too few rows for a tessellation of at least 2 cells")
    found = [
        _compared(space.synthetic, space.real.take(np.flatnonzero(mask)), references, params, rng)
        for mask in masks
    ]
    train, holdout = (float(values.mean()) for values in found)
    return Measured(
        figures={
            "gap": Estimate(value=holdout - train, n=size),
            "chi2_train": Estimate(value=train, n=size),
            "chi2_holdout": Estimate(value=holdout, n=size),
        },
        raw=holdout - train,
        diagnostics={
            "references": references,
            "χ² expected without any difference": references - 1,
            "tessellations of train and holdout judged": [len(values) for values in found],
            "standard deviation over tessellations, train": float(found[0].std()),
            "standard deviation over tessellations, holdout": float(found[1].std()),
            "columns without a coordinate": list(space.constant),
        },
        notes=(*unseen_columns(space), *_fewer(references, params.references)),
    )


def _compared(
    records: Any, people: Any, references: int, params: PqmassParams, rng: Generator
) -> NDArray[np.float64]:
    """Return χ² on the scale of all references, for each tessellation that can be judged.

    Raises
    ------
    NotAssessable
        If none can, because all rows lie in one cell.
    """
    cells, found = Cells.of(records.joined(people)), []
    for _ in range(params.tessellations):
        chosen = _references(len(records), len(people), references, rng)
        cell = cells.around(chosen)
        cell[chosen] = references  # a cell of their own, which is not counted
        counts = [
            np.bincount(side, minlength=references)[:references]
            for side in np.split(cell, [len(records)])
        ]
        try:
            value, freedom = pearson(*counts)
        except ValueError:
            continue
        found.append(at_freedom(value, freedom, references - 1))
    if not found:
        raise NotAssessable("all rows lie in one cell of every tessellation")
    return np.array(found)


def _references(records: int, people: int, count: int, rng: Generator) -> NDArray[np.int64]:
    """Return rows of both samples, of each a number drawn in proportion to its size."""
    of_records = int(rng.binomial(count, records / (records + people)))
    of_records = min(max(of_records, count - people), records)
    return np.concatenate(
        [
            rng.permutation(records)[:of_records],
            records + rng.permutation(people)[: count - of_records],
        ]
    )


def _fewer(used: int, wanted: int) -> tuple[str, ...]:
    if used == wanted:
        return ()
    return (f"Only {used} of {wanted} references were drawn, since the tables are small.",)
