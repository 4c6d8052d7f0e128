"""C_T asks whether published records lie nearer to train than fresh people of the population do.

An attacker who compares distances to train would find copies nearer than chance. With L(a) the
distance of a row to the nearest train row, U counts the pairs of a published record s and a person
e that the generator never saw in which L(s) > L(e), ties half. For m records and n people

Z = (U - (mn/2 - 1/2)) / sqrt(mn(m + n + 1)/12), C_T = Σ_c P_c Z_c / Σ_c P_c

over cells c of the space, P_c being the share of fresh people in a cell and neighbours being looked
for inside it. Far below 0 (-3 is strong) records copy train, far above they miss it.

By default the space is one cell: the value is then the same for any seed, and the permutation test
of train against holdout gives it a p-value. With more cells these are found by k-means on train (on
64 principal components where there are more coordinates); a cell with at most 20 records, or
without train rows or fresh people, is left out and noted. The half in Z is that of the authors'
code, which does not correct for ties either.

Z grows with the number of rows. The share of pairs in which the record is the nearer one does not,
so it stands beside; the risk is how far it exceeds chance, max(0, 2·share - 1).

Worked example: L(S) = (.1, .05, .2, .1, 9.5, 9.8) and L(E) = (.4, 1, .8, 1, 1, 3.5) give U = 12 and
Z = -.8807048459280. Cells with Z = (-2, 1) and 4 and 2 fresh people give C_T = -1.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from pydantic import Field

from privgate.encoding import Projection, coordinates_of
from privgate.errors import NotAssessable
from privgate.evidence import (
    Card,
    Criterion,
    Estimate,
    Family,
    FigureKind,
    FigureSpec,
    Need,
    SafeSide,
    ThreatModel,
    unknown,
)
from privgate.learners import cells_around
from privgate.metrics.contract import Measured, metric
from privgate.metrics.distances import unseen_columns
from privgate.metrics.relabelling import EXCHANGEABLE, RelabelledParams, calibrated
from privgate.neighbors import search_nearest
from privgate.stats.compare import tie_levels
from privgate.stats.rank_sum import closeness_z, weighted_z
from privgate.stats.ranking import auc, placements
from privgate.stats.rng import derived_int

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.random import Generator
    from numpy.typing import NDArray

    from privgate.encoding import Space
    from privgate.evidence import JsonValue
    from privgate.metrics.inputs import Inputs
    from privgate.neighbors import Neighbours

FEWEST_RECORDS = 20
DIMENSIONS = 64
ONE_CELL_ONLY = "the permutation test is made for one cell only"

Distances = tuple["NDArray[np.float64]", "NDArray[np.float64]"]


class CTParams(RelabelledParams):
    """Parameters of C_T."""

    cells: int = Field(
        default=1,
        ge=1,
        le=100,
        description="Cells into which k-means divides the space; more than 1 leave out the "
        "p-value and depend on the seed.",
    )


CARD = Card(
    name="c_t",
    version=1,
    title="C_T: data-copying test",
    question="Do published records lie nearer to the people behind them than fresh people do?",
    family=Family.SCREEN,
    threat_model=ThreatModel(
        attacker="anyone who obtains the release",
        knows="the release and some real records",
        wants="to tell whose records the release was made from by how near published ones lie",
    ),
    criteria=(Criterion.MEMBERSHIP,),
    formula="Z = (U − (mn/2 − 1/2))/√(mn(m + n + 1)/12), U = #{(s, e): d(s, T) > d(e, T)} + ½ "
    "ties; C_T = Σ P(c)·Z(c)/Σ P(c) over cells",
    headline="c_t",
    figures={
        "c_t": FigureSpec.score(
            "C_T",
            "How many standard deviations farther from train published records lie than people "
            "the generator never saw; about 0 for an honest release, below -3 when it copies.",
            safe_side=SafeSide.HIGH,
        ),
        "nearer_share": FigureSpec(
            title="Published records nearer than fresh people",
            meaning="Chance that a published record lies nearer to the people behind the release "
            "than a person the generator never saw does; one half for an honest release.",
            safe_side=SafeSide.LOW,
            kind=FigureKind.SCORE,
            minimum=0,
            maximum=1,
            has_interval=True,
        ),
        "p_c_t": FigureSpec.p_value(
            "Chance of a C_T this low in an honest release (p)",
            "Chance that an honest release would lie at least as near to train, found by "
            "relabelling train and holdout at random.",
        ),
    },
    needs=(Need.HOLDOUT,),
    references=(
        "Meehan, Chaudhuri and Dasgupta 2020, arXiv 2004.05675",
        "Szatkownik et al. 2025, arXiv 2510.24233 (as a comparator)",
        "One cell as the default, and the permutation test: derived by privgate",
    ),
    limits=(
        "One value for all: a few copies among thousands of records do not move it.",
        "Records that miss train elsewhere cancel copies; with one cell most of all.",
        "Grows with the number of rows: compare values at equal sizes only, or judge the share.",
        "A value far above 0 says that records lie apart, not that nobody is exposed.",
        "Not corrected for ties: with many of them the value is closer to 0 than it should be.",
        "The interval of the share takes the train rows as given.",
        EXCHANGEABLE,
    ),
)


@metric(CARD, params=CTParams)
def c_t(inputs: Inputs, params: CTParams, rng: Generator) -> Measured:
    """Return how much nearer to train published records lie than holdout rows do."""
    neighbours = inputs.neighbours(params.distance)
    train, size = neighbours.train, len(neighbours.space.synthetic)
    if min(train.sum(), neighbours.holdout.sum(), size) < 2:
        raise NotAssessable("C_T needs at least 2 rows of each table")
    whole = _distances(neighbours, train)
    value, judged, p_value, law = (
        (closeness_z(*whole), 1, *_calibrated(inputs, params, rng))
        if params.cells == 1
        else (*_over_cells(neighbours.space, params.cells, rng), unknown(ONE_CELL_ONLY), {})
    )
    nearer = _nearer(whole, inputs.confidence)
    return Measured(
        figures={
            "c_t": Estimate(value=value, n=size),
            "nearer_share": nearer,
            "p_c_t": p_value,
        },
        raw=value,
        risk=None if nearer.value is None else max(0.0, 2 * nearer.value - 1),
        diagnostics={
            "cells": judged,
            "cells left out": params.cells - judged,
            **law,
            "columns without a coordinate": list(neighbours.space.constant),
        },
        notes=(*unseen_columns(neighbours.space), *_left_out(params.cells, judged)),
    )


def _distances(neighbours: Neighbours[Any], labels: NDArray[np.bool_]) -> Distances:
    """Return how far published records and the other real rows are from the labelled ones."""
    return (
        neighbours.synthetic_to_real.nearest(labels).distance,
        neighbours.real_to_real.nearest(labels, ~labels).distance,
    )


def _nearer(distances: Distances, level: float) -> Estimate:
    """Return the chance that a published record is nearer than a fresh person, ties half."""
    places = -tie_levels(np.concatenate(distances)).astype(np.float64)
    count = len(distances[0])
    return auc(*placements(places[:count], places[count:]), level=level)


def _calibrated(
    inputs: Inputs, params: CTParams, rng: Generator
) -> tuple[Estimate, Mapping[str, JsonValue]]:
    neighbours = inputs.neighbours(params.distance)
    return calibrated(
        partial(_closeness, neighbours),
        neighbours.train,
        safe_side=SafeSide.HIGH,
        permutations=params.permutations,
        rng=rng,
        executor=inputs.executor,
    )


def _closeness(neighbours: Neighbours[Any], labels: NDArray[np.bool_]) -> float:
    return closeness_z(*_distances(neighbours, labels))


def _over_cells(space: Space[Any], cells: int, rng: Generator) -> tuple[float, int]:
    """Return C_T over the cells that can be judged, and their number."""
    found = _in_cells(space, _cells(space, cells, derived_int(rng)))
    if not found:
        raise NotAssessable(
            f"no cell has train rows, holdout rows and over {FEWEST_RECORDS} records"
        )
    scores = [closeness_z(*distances) for distances in found]
    return weighted_z(scores, [len(fresh) for _, fresh in found]), len(found)


def _cells(space: Space[Any], cells: int, seed: int) -> list[NDArray[np.int64]]:
    """Return the cell of each train, holdout and synthetic row."""
    coordinates = coordinates_of(space)
    real, records = coordinates(space.real), coordinates(space.synthetic)
    if real.shape[1] > DIMENSIONS:
        projection = Projection.fitted(real[: len(space.train)], DIMENSIONS)
        real, records = projection.coordinates(real), projection.coordinates(records)
    train, holdout = np.split(real, [len(space.train)])
    return cells_around(train, (holdout, records), cells=cells, seed=seed)


def _in_cells(space: Space[Any], cell_of: list[NDArray[np.int64]]) -> list[Distances]:
    """Return the distances to train inside each cell that can be judged."""
    found = []
    for cell in np.unique(cell_of[0]):
        train, holdout, records = (np.flatnonzero(own == cell) for own in cell_of)
        if len(records) > FEWEST_RECORDS and len(holdout):
            fresh = space.real.take(len(space.train) + holdout)
            queries, base = space.synthetic.take(records).joined(fresh), space.train.take(train)
            nearest = search_nearest(queries, base).distance
            found.append((nearest[: len(records)], nearest[len(records) :]))
    return found


def _left_out(cells: int, judged: int) -> tuple[str, ...]:
    if judged == cells:
        return ()
    reason = f"no train or holdout row, or at most {FEWEST_RECORDS} records"
    return (f"{cells - judged} of {cells} cells were left out: they have {reason}.",)
