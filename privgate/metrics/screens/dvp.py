"""Distant value probability: how many people are far from every published record, relatively.

An attacker who holds the release cannot recognise a person whom no published record comes near. Far
is meant relative to the other people: with dYZ(i) the distance from a train row to its nearest
synthetic row,

δ_i = (dYZ(i) - min dYZ) / (max dYZ - min dYZ) and DVP = (1/n) Σ_i 1[δ_i ≥ 0.8]; the risk is
1 - DVP, the share of people who are not far, which is not a share of people who are recognised.

The greatest of the δ is always 1, so DVP ≥ 1/n: a copy with a single changed row has risk 1 - 1/n.
If all distances are 0 the release is a copy and the risk is 1; if all are equal and above 0 there
is no scale and no figure. As the review prints it, a copied table is 0/0.

Worked example: Y = (0, 1, 4, 6) and Z = (0, 2.5, 9, 30) give δ = (0, 1/3, 1/2, 1), DVP 0.25 and
risk 0.75.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import Field

from privgate.evidence import (
    INFORM_ONLY,
    Card,
    Criterion,
    Estimate,
    Family,
    FigureKind,
    FigureSpec,
    SafeSide,
    ThreatModel,
)
from privgate.metrics.closeness import NO_INTERVAL, OWN_RANGE, closeness
from privgate.metrics.contract import Measured, Records, metric
from privgate.metrics.distances import DistanceParams, unseen_columns
from privgate.stats.compare import at_most, tied

if TYPE_CHECKING:
    from numpy.random import Generator

    from privgate.metrics.inputs import Inputs


class DvpParams(DistanceParams):
    """Parameters of the distant value probability."""

    threshold: float = Field(
        default=0.8, gt=0, le=1, description="Least scaled distance that counts as far."
    )


CARD = Card(
    name="dvp",
    version=1,
    title="Distant value probability",
    question="How many people have no published record near them, compared with other people?",
    family=Family.SCREEN,
    threat_model=ThreatModel(
        attacker="anyone who obtains the release",
        knows="the release",
        wants="to take a published record for that of a real person near it",
    ),
    criteria=(Criterion.SINGLING_OUT,),
    formula="DVP = (1/n) Σᵢ 1[δᵢ ≥ 0.8], δᵢ = (d(yᵢ, Z) − min)/(max − min); risk = 1 − DVP",
    review_name="DVP",
    headline="share",
    figures={
        "share": FigureSpec(
            title="People far from every record",
            meaning="Share of the people behind the release whose nearest published record is far, "
            "on the scale from the closest to the farthest of them.",
            safe_side=SafeSide.HIGH,
            kind=FigureKind.SHARE,
            minimum=0,
            maximum=1,
        ),
    },
    references=(
        "Qian et al. 2023, arXiv 2301.07573 (Synthcity)",
        "Trudslev et al. 2025, arXiv 2507.11324 (review)",
    ),
    limits=(
        INFORM_ONLY,
        OWN_RANGE,
        NO_INTERVAL,
        "The risk is near 1 for almost any data, honest ones included.",
    ),
)


@metric(CARD, params=DvpParams)
def dvp(inputs: Inputs, params: DvpParams, rng: Generator) -> Measured:
    """Return the share of train rows whose scaled distance to the release is great."""
    del rng
    neighbours = inputs.neighbours(params.distance)
    scaled = closeness(neighbours)
    share = float(at_most(params.threshold, scaled).mean())
    return Measured(
        figures={"share": Estimate(value=share, n=len(scaled))},
        raw=share,
        risk=1 - share,
        diagnostics={
            "ties with the threshold": int(tied(scaled, params.threshold).sum()),
            "columns without a coordinate": list(neighbours.space.constant),
        },
        notes=unseen_columns(neighbours.space),
        records=(Records(table="train", scores={"scaled_distance": scaled}),),
    )
