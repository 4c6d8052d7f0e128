"""Close value probability: how many people have a published record close to them, relatively.

An attacker who holds the release takes a person to be recognisable if a published record is close
to them. Close is meant relative to the other people: with dYZ(i) the distance from a train row to
its nearest synthetic row,

δ_i = (dYZ(i) - min dYZ) / (max dYZ - min dYZ) and CVP = (1/n) Σ_i 1[δ_i ≤ 0.2]; the risk is CVP.

The least of the δ is always 0, so even unrelated data have CVP ≥ 1/n. If all distances are 0 the
release is a copy and CVP is 1; if all are equal and above 0 there is no scale and no figure.

The review compares by < 0.2; the origin (Synthcity) by ≤, as here, which is the cautious side. As
printed, a copied table is 0/0.

Worked example: Y = (0, 1, 4, 6) and Z = (0, 2.5, 9, 30) give δ = (0, 1/3, 1/2, 1) and CVP 0.25.
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
    FigureSpec,
    ThreatModel,
)
from privgate.metrics.closeness import NO_INTERVAL, OWN_RANGE, closeness
from privgate.metrics.contract import Measured, Records, metric
from privgate.metrics.distances import DistanceParams, unseen_columns
from privgate.stats.compare import at_most, tied

if TYPE_CHECKING:
    from numpy.random import Generator

    from privgate.metrics.inputs import Inputs


class CvpParams(DistanceParams):
    """Parameters of the close value probability."""

    threshold: float = Field(
        default=0.2, ge=0, lt=1, description="Greatest scaled distance that counts as close."
    )


CARD = Card(
    name="cvp",
    version=1,
    title="Close value probability",
    question="How many people have a published record close to them, compared with other people?",
    family=Family.SCREEN,
    threat_model=ThreatModel(
        attacker="anyone who obtains the release",
        knows="the release",
        wants="to take a published record for that of a real person close to it",
    ),
    criteria=(Criterion.SINGLING_OUT,),
    formula="CVP = (1/n) Σᵢ 1[δᵢ ≤ 0.2], δᵢ = (d(yᵢ, Z) − min)/(max − min)",
    review_name="CVP",
    headline="share",
    figures={
        "share": FigureSpec.share(
            "People with a close record",
            "Share of the people behind the release whose nearest published record is close, on "
            "the scale from the closest to the farthest of them.",
            exact=True,
        ),
    },
    references=(
        "Qian et al. 2023, arXiv 2301.07573 (Synthcity)",
        "Trudslev et al. 2025, arXiv 2507.11324 (review)",
    ),
    limits=(INFORM_ONLY, OWN_RANGE, NO_INTERVAL),
)


@metric(CARD, params=CvpParams)
def cvp(inputs: Inputs, params: CvpParams, rng: Generator) -> Measured:
    """Return the share of train rows whose scaled distance to the release is small."""
    del rng
    neighbours = inputs.neighbours(params.distance)
    scaled = closeness(neighbours)
    share = float(at_most(scaled, params.threshold).mean())
    return Measured(
        figures={"share": Estimate(value=share, n=len(scaled))},
        raw=share,
        risk=share,
        diagnostics={
            "ties with the threshold": int(tied(scaled, params.threshold).sum()),
            "columns without a coordinate": list(neighbours.space.constant),
        },
        notes=unseen_columns(neighbours.space),
        records=(Records(table="train", scores={"scaled_distance": scaled}),),
    )
