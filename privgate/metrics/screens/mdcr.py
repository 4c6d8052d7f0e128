"""Median distance to closest record: whether records are nearer to people than people are.

An attacker takes a published record for that of the person it lies closest to. How near is near is
measured by how far apart real people are:

MDCR = median_j dZY(j) / median_i dYY(i), with dZY the distance from a synthetic row to its closest
train row and dYY that from a train row to its closest other train row. An honest release has about
1, copies have 0, and the risk is 1/(1 + MDCR).

The denominator falls with the number of people, so train is compared with the same number of people
the generator never saw.

The review applies the logistic function to MDCR, which grows with the distance: copies get 0.5 and
unrelated data 1. Its correction by σ(ln MDCR) keeps the wrong direction; 1 - σ(ln MDCR) is
1/(1 + MDCR). The review's numerator runs from real to synthetic rows; the source it cites
(SynthEval) asks from synthetic to real, as here.

Worked example: Y = (0, 1, 4, 6) and Z = (0, 2.5, 9, 30) give medians 2.25 and 1.5, MDCR 1.5 and
risk 0.4.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from privgate.errors import NotAssessable
from privgate.evidence import (
    Card,
    Criterion,
    Estimate,
    Family,
    FigureSpec,
    SafeSide,
    ThreatModel,
    unknown,
)
from privgate.metrics.contract import Measured, Records, metric
from privgate.metrics.distances import (
    DistanceParams,
    at_equal_size,
    equal_size_figures,
    risk_spec,
    unseen_columns,
)
from privgate.stats.medians import median_ends

if TYPE_CHECKING:
    from numpy.random import Generator
    from numpy.typing import NDArray

    from privgate.metrics.inputs import Inputs
    from privgate.neighbors import Neighbours

METHOD = "order statistics of both medians"


class MdcrParams(DistanceParams):
    """Parameters of the median distance to closest record."""


CARD = Card(
    name="mdcr",
    version=1,
    title="Median distance to closest record",
    question="Are published records nearer to real people than real people are to each other?",
    family=Family.SCREEN,
    threat_model=ThreatModel(
        attacker="anyone who obtains the release",
        knows="the release, and how far apart real people usually are",
        wants="to take a published record for that of the real person it lies closest to",
    ),
    criteria=(Criterion.SINGLING_OUT, Criterion.LINKABILITY, Criterion.MEMBERSHIP),
    formula="MDCR = medianⱼ d(zⱼ, Y) / medianᵢ minᵢ′≠ᵢ d(yᵢ, yᵢ′); risk = 1/(1 + MDCR); "
    "gap = risk(train) − risk(holdout), equally many rows",
    review_name="MDCR",
    headline="gap",
    figures={
        "ratio": FigureSpec.score(
            "Median distance to the closest person, in units of that between people",
            "How far a published record usually is from the closest person behind the release, "
            "divided by how far such people usually are from each other; about 1 is expected.",
            safe_side=SafeSide.HIGH,
            minimum=0,
        ),
        "risk": risk_spec(
            "Risk 1/(1 + MDCR)",
            "The ratio on the common scale: 1/2 is expected, 1 when most records are copies.",
        ),
        **equal_size_figures("Risk 1/(1 + MDCR)", "The same risk for one set of people only"),
    },
    references=(
        "Lautrup et al. 2024, doi 10.1007/s10618-024-01081-4 (SynthEval)",
        "Trudslev et al. 2025, arXiv 2507.11324 (review; transform corrected to 1/(1 + MDCR))",
        "Yao et al. 2025, arXiv 2505.01524 (why this check proves nothing on its own)",
    ),
    limits=(
        "A median cannot see it if up to half of the published records are copies.",
        "Depends on the number of train rows; compare with the holdout only.",
        "Not defined where most people have an identical twin and most records have none.",
        "The intervals treat distances as independent although they share their neighbours.",
        "The gap treats its two sides as independent although the same records are asked.",
    ),
)


@metric(CARD, params=MdcrParams)
def mdcr(inputs: Inputs, params: MdcrParams, rng: Generator) -> Measured:
    """Return the ratio of medians and its risk, with equally many holdout rows beside."""
    neighbours, level = inputs.neighbours(params.distance), inputs.confidence
    if neighbours.train.sum() < 2:
        raise NotAssessable("the distance between people needs at least 2 train rows")
    across, between = _distances(neighbours, neighbours.train)
    risk = _risk(across, between, level)
    if risk.value is None:
        raise NotAssessable(str(risk.reason))
    middle, spacing = float(np.median(across)), float(np.median(between))
    ratio = middle / spacing if middle else 0.0
    return Measured(
        figures={
            "ratio": Estimate(value=ratio, n=len(across)),
            "risk": risk,
            **at_equal_size(
                neighbours, rng, lambda members: _risk(*_distances(neighbours, members), level)
            ),
        },
        raw=ratio,
        risk=risk.value,
        diagnostics={
            "median distance from records to people": middle,
            "median distance between people": spacing,
            "people with an identical twin": int((between == 0).sum()),
            "columns without a coordinate": list(neighbours.space.constant),
        },
        notes=unseen_columns(neighbours.space),
        records=(Records(table="synthetic", scores={"distance_to_train": across}),),
    )


def _distances(
    neighbours: Neighbours[Any], members: NDArray[np.bool_]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the distances from synthetic rows to members, and between members."""
    return (
        neighbours.synthetic_to_real.nearest(members).distance,
        neighbours.real_to_real.nearest(members, members).distance,
    )


def _risk(across: NDArray[np.float64], between: NDArray[np.float64], level: float) -> Estimate:
    """Return between / (between + across) of the medians; 1 if most records are copies.

    The interval holds at ``level`` if each median's holds at 1 - (1 - level)/2 (Bonferroni).
    """
    middle, spacing = float(np.median(across)), float(np.median(between))
    if middle > 0 and spacing == 0:
        return unknown("most people have an identical twin, so nothing tells how near is near")
    half = 1 - (1 - level) / 2
    near, far = median_ends(across, level=half)
    tight, wide = median_ends(between, level=half)
    risk = _share(spacing, middle)
    return Estimate(
        value=risk,
        low=min(risk, _share(max(tight, 0.0), far)),
        high=max(risk, _share(wide, max(near, 0.0))),
        level=level,
        method=METHOD,
        n=min(len(across), len(between)),
    )


def _share(spacing: float, distance: float) -> float:
    """Return 1/(1 + distance/spacing): 1 at distance 0, whatever the spacing."""
    if distance == 0:
        return 1.0
    return 1.0 if math.isinf(spacing) else spacing / (spacing + distance)
