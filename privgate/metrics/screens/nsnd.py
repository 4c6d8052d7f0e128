"""Nearest synthetic neighbour distance: how far people are from the release, relatively.

An attacker who holds the release takes a published record for that of the person it lies close to.
How close people are is expressed on the scale of all people: with dYZ(i) the distance from a train
row to its nearest synthetic row,

δ_i = (dYZ(i) - min dYZ) / (max dYZ - min dYZ) and NSND = (1/n) Σ_i δ_i; the risk is 1 - NSND.

If all distances are 0 the release is a copy and the risk is 1; if all are equal and above 0 there
is no scale and no figure.

The review prints NSND itself as the risk, against its own definition of a risk, and a copied table
is 0/0 there, which a shipped tool turns into its best score.

Worked example: Y = (0, 1, 4, 6) and Z = (0, 2.5, 9, 30) give δ = (0, 1/3, 1/2, 1), NSND 11/24 and
risk 13/24.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from privgate.evidence import (
    INFORM_ONLY,
    Card,
    Criterion,
    Estimate,
    Family,
    FigureSpec,
    SafeSide,
    ThreatModel,
)
from privgate.metrics.closeness import NO_INTERVAL, OWN_RANGE, closeness
from privgate.metrics.contract import Measured, Records, metric
from privgate.metrics.distances import DistanceParams, unseen_columns

if TYPE_CHECKING:
    from numpy.random import Generator

    from privgate.metrics.inputs import Inputs


class NsndParams(DistanceParams):
    """Parameters of the nearest synthetic neighbour distance."""


CARD = Card(
    name="nsnd",
    version=1,
    title="Nearest synthetic neighbour distance",
    question="How far are people from the closest published record, compared with other people?",
    family=Family.SCREEN,
    threat_model=ThreatModel(
        attacker="anyone who obtains the release",
        knows="the release",
        wants="to take a published record for that of a real person close to it",
    ),
    criteria=(Criterion.SINGLING_OUT,),
    formula="NSND = (1/n) Σᵢ δᵢ, δᵢ = (d(yᵢ, Z) − min)/(max − min); risk = 1 − NSND",
    review_name="NSND",
    headline="mean",
    figures={
        "mean": FigureSpec.score(
            "Mean scaled distance to the release",
            "Mean distance from the people behind the release to their nearest published record, "
            "on the scale from the closest to the farthest of them.",
            safe_side=SafeSide.HIGH,
            minimum=0,
            maximum=1,
        ),
    },
    references=(
        "Qian et al. 2023, arXiv 2301.07573 (Synthcity)",
        "Trudslev et al. 2025, arXiv 2507.11324 (review; risk corrected to 1 − NSND)",
    ),
    limits=(INFORM_ONLY, OWN_RANGE, NO_INTERVAL),
)


@metric(CARD, params=NsndParams)
def nsnd(inputs: Inputs, params: NsndParams, rng: Generator) -> Measured:
    """Return the mean scaled distance from train rows to the release."""
    del rng
    neighbours = inputs.neighbours(params.distance)
    scaled = closeness(neighbours)
    mean = float(scaled.mean())
    return Measured(
        figures={"mean": Estimate(value=mean, n=len(scaled))},
        raw=mean,
        risk=1 - mean,
        diagnostics={
            "ties with the smallest distance": int((scaled == 0).sum()),
            "columns without a coordinate": list(neighbours.space.constant),
        },
        notes=unseen_columns(neighbours.space),
        records=(Records(table="train", scores={"scaled_distance": scaled}),),
    )
