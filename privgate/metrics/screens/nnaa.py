"""Nearest neighbour adversarial accuracy: whether nearest neighbours tell people from records.

An attacker asks of each person whether the nearest other row is a person or a published record, and
the same of each record. If the release is one more sample of the population, neither is nearer more
often and the accuracy is about 1/2. If records sit on top of people it is 0, if they lie apart 1.

NNAA = ½·[(1/N) Σ_i 1[dYZ(i) > dYY(i)] + (1/N) Σ_j 1[dZY(j) > dZZ(j)]] on N rows of each table, a
tie counting as not greater; the risk is 1 - NNAA. Of a larger table N rows are drawn, 10 times, and
the accuracies averaged, since unequal tables shift both halves.

Train is compared with the same number of people the generator never saw, asked with the same drawn
records; the gap NNAA(H, Z) - NNAA(Y, Z) is the privacy loss of the origin (Yale et al.).

The review prints the sum of the two halves, with which 1 - NNAA falls to -1; the accuracy is their
average. Shipped tools scale each pair of tables by its own range, so that one outlier moves the
result; here the scale is that of train throughout.

Worked example: Y = (0, 1, 4, 6) and Z = (0, 2.5, 9, 30) give halves 0.25 and 0.25, NNAA 0.25 and
risk 0.75.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from pydantic import Field

from privgate.errors import NotAssessable
from privgate.evidence import Card, Criterion, Estimate, Family, FigureSpec, SafeSide, ThreatModel
from privgate.metrics.adversarial import nearer_to_own_kind
from privgate.metrics.contract import Measured, metric
from privgate.metrics.distances import (
    DistanceParams,
    at_equal_size,
    equal_size_figures,
    risk_spec,
    unseen_columns,
)
from privgate.stats.compare import tied
from privgate.stats.intervals import wilson

if TYPE_CHECKING:
    from numpy.random import Generator
    from numpy.typing import NDArray

    from privgate.metrics.inputs import Inputs
    from privgate.neighbors import Neighbours

Draws = list["NDArray[np.int64]"]


class NnaaParams(DistanceParams):
    """Parameters of the nearest neighbour adversarial accuracy."""

    repetitions: int = Field(
        default=10, ge=2, le=1000, description="How often rows of a larger table are drawn."
    )


CARD = Card(
    name="nnaa",
    version=1,
    title="Nearest neighbour adversarial accuracy",
    question="Are published records mixed with people more closely than people with each other?",
    family=Family.SCREEN,
    threat_model=ThreatModel(
        attacker="anyone who obtains the release",
        knows="the release and some real records",
        wants="to tell whose records the release was made from by what lies next to them",
    ),
    criteria=(Criterion.SINGLING_OUT, Criterion.MEMBERSHIP),
    formula="NNAA = ½·[(1/N) Σᵢ 1[d(yᵢ, Z) > d(yᵢ, Y)] + (1/N) Σⱼ 1[d(zⱼ, Y) > d(zⱼ, Z)]]; "
    "risk = 1 − NNAA; gap = risk(train) − risk(holdout), equally many rows",
    review_name="NNAA",
    headline="gap",
    figures={
        "risk": risk_spec(
            "Risk 1 − NNAA",
            "How often the nearest row of a person is a published record or the reverse: 1/2 is "
            "expected, 1 when every record is a copy.",
        ),
        "real_half": FigureSpec.score(
            "People nearer to people",
            "Share of the people behind the release whose nearest other row is a person, averaged "
            "over the draws; 1/2 is expected.",
            safe_side=SafeSide.HIGH,
            minimum=0,
            maximum=1,
        ),
        "synthetic_half": FigureSpec.score(
            "Records nearer to records",
            "Share of the published records whose nearest other row is a record, averaged over the "
            "draws; 1/2 is expected.",
            safe_side=SafeSide.HIGH,
            minimum=0,
            maximum=1,
        ),
        **equal_size_figures("Risk 1 − NNAA", "The same risk for one set of people only"),
    },
    references=(
        "Yale et al. 2020, doi 10.1016/j.neucom.2019.12.136",
        "Trudslev et al. 2025, arXiv 2507.11324 (review; sum corrected to average)",
    ),
    limits=(
        "Averages two halves that can cancel: collapse to few modes, and copying.",
        "Says nothing about a single person.",
        "With many identical rows both halves go to 0 for any release.",
        "Where tables differ in size, a drawn part of the larger one misses some of its copies.",
        "The interval treats rows as independent although they share their neighbours.",
        "So a 95 % interval of the gap holds for about nine in ten honest releases only.",
    ),
)


@metric(CARD, params=NnaaParams)
def nnaa(inputs: Inputs, params: NnaaParams, rng: Generator) -> Measured:
    """Return the accuracy on equally many rows, and that for equally many holdout rows beside."""
    neighbours, level = inputs.neighbours(params.distance), inputs.confidence
    n, m = int(neighbours.train.sum()), len(neighbours.space.synthetic)
    size = min(n, m)
    if size < 2:
        raise NotAssessable("adversarial accuracy needs at least 2 rows of train and of synthetic")
    halves = _halves(neighbours, neighbours.train, _draws(n, m, params.repetitions, rng))
    real, synthetic = (float(half) for half in halves.mean(axis=0))
    equal = min(n, int(neighbours.holdout.sum()))
    draws = _draws(equal, m, params.repetitions, rng)
    risk = _risk(halves, size, level)
    return Measured(
        figures={
            "risk": risk,
            "real_half": Estimate(value=real, n=size),
            "synthetic_half": Estimate(value=synthetic, n=size),
            **at_equal_size(
                neighbours,
                rng,
                lambda members: _risk(_halves(neighbours, members, draws), min(equal, m), level),
            ),
        },
        raw=(real + synthetic) / 2,
        risk=risk.value,
        diagnostics={
            "chance level of the risk": size / (2 * size - 1),
            "rows of each table": size,
            "draws": len(halves),
            "standard error over draws": _standard_error(halves.mean(axis=1)),
            "ties": _ties(neighbours),
            "columns without a coordinate": list(neighbours.space.constant),
        },
        notes=unseen_columns(neighbours.space),
    )


def _draws(real: int, synthetic: int, repetitions: int, rng: Generator) -> Draws:
    """Return which rows of the larger table take part in each repetition; one if none is larger."""
    size = min(real, synthetic)
    if real == synthetic:
        return [np.arange(size)]
    return [rng.permutation(max(real, synthetic))[:size] for _ in range(repetitions)]


def _halves(
    neighbours: Neighbours[Any], members: NDArray[np.bool_], draws: Draws
) -> NDArray[np.float64]:
    """Return, for each draw, the share of people nearer to people and of records to records."""
    people, rows = np.flatnonzero(members), len(neighbours.space.synthetic)
    found = []
    for draw in draws:
        whole = len(people) <= rows
        asked = np.zeros(len(members), bool)
        asked[people if whole else people[draw]] = True
        records = np.zeros(rows, bool)
        records[draw if whole else slice(None)] = True
        found.append(nearer_to_own_kind(neighbours, asked, records))
    return np.array(found)


def _ties(neighbours: Neighbours[Any]) -> int:
    """Return how many train and synthetic rows have a person and a record equally near."""
    train, nearest = neighbours.train, neighbours.real_to_synthetic.distance
    people = tied(nearest[train], neighbours.real_to_real.nearest(train, train).distance)
    records = tied(
        neighbours.synthetic_to_real.nearest(train).distance,
        neighbours.synthetic_to_synthetic.distances[:, 0],
    )
    return int(people.sum() + records.sum())


def _standard_error(accuracies: NDArray[np.float64]) -> float | None:
    """Return the standard error of the mean; ``None`` for a single draw, which is all rows."""
    draws = len(accuracies)
    return float(accuracies.std(ddof=1) / np.sqrt(draws)) if draws > 1 else None


def _risk(halves: NDArray[np.float64], size: int, level: float) -> Estimate:
    """Return 1 - NNAA as a share of the rows of both tables."""
    near = float((1 - halves).mean(axis=0).sum()) * size
    return wilson(min(near, 2.0 * size), 2 * size, level=level)
