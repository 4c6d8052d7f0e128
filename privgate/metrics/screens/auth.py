"""Authenticity asks whether a published record is as near to a person as any other person is.

A real row is exposed if some synthetic row lies at least as near to it as every other real row:
Auth = (1/n) Σ_i 1[dYY(i) < dYZ(i)] and the risk is 1 - Auth, ties counted as exposed.

Even an honest release exposes the share m/(m + n - 1) by chance, so train is compared with the same
number of people the generator never saw.

Worked example: Y = (0, 1, 4, 6) and Z = (0, 2.5, 9, 30) give Auth 0.25 and risk 0.75.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import Field

from privgate.encoding import Distance
from privgate.errors import NotAssessable
from privgate.evidence import (
    Card,
    Criterion,
    Estimate,
    Family,
    FigureKind,
    FigureSpec,
    SafeSide,
    ThreatModel,
    unknown,
)
from privgate.metrics.contract import Measured, Params, Records, metric
from privgate.stats.compare import at_most, less, tied
from privgate.stats.intervals import newcombe, wilson

if TYPE_CHECKING:
    from typing import Any

    import numpy as np
    from numpy.random import Generator
    from numpy.typing import NDArray

    from privgate.metrics.inputs import Inputs
    from privgate.neighbors import Neighbours


class AuthParams(Params):
    """Parameters of authenticity."""

    distance: Distance = Field(
        default=Distance.EUCLIDEAN, description="How the distance of two rows is measured."
    )


CARD = Card(
    name="auth",
    version=1,
    title="Authenticity",
    question="Does the release come closer to its own people than other real people do?",
    family=Family.SCREEN,
    threat_model=ThreatModel(
        attacker="anyone who obtains the release",
        knows="the release and some real records",
        wants="to recognise a real person by a published record closer than any other real one",
    ),
    criteria=(Criterion.SINGLING_OUT, Criterion.MEMBERSHIP),
    formula="risk = 1 − Auth = (1/n) Σᵢ 1[d(yᵢ, Z) ≤ minᵢ′≠ᵢ d(yᵢ, yᵢ′)]; "
    "gap = risk(train) − risk(holdout), equally many rows",
    review_name="Auth",
    headline="gap",
    figures={
        "risk": FigureSpec.share(
            "Exposed train rows",
            "Share of the people behind the release to whom a published record is at "
            "least as close as any other real person.",
        ),
        "train_risk": FigureSpec.share(
            "Exposed train rows, equal size",
            "The same share on as many train rows as there are holdout rows.",
        ),
        "holdout_risk": FigureSpec.share(
            "Exposed holdout rows, equal size",
            "The same share among equally many people the generator never saw.",
        ),
        "gap": FigureSpec.difference(
            "Exposure beyond chance",
            "By how much the exposure of the people behind the release exceeds that of "
            "people the generator never saw.",
        ),
        "excess": FigureSpec.score(
            "Excess over the holdout",
            "The exposure that chance does not explain, as a share of what was left to expose.",
            safe_side=SafeSide.LOW,
            minimum=0,
            maximum=1,
        ),
        "auth_per_synthetic": FigureSpec(
            title="Authenticity of published records",
            meaning="Share of published records farther from their closest person than that "
            "person's closest other person (Alaa et al.).",
            safe_side=SafeSide.HIGH,
            kind=FigureKind.SHARE,
            minimum=0,
            maximum=1,
            has_interval=True,
        ),
    },
    references=(
        "Alaa et al. 2022, arXiv 2102.08921",
        "Trudslev et al. 2025, arXiv 2507.11324 (review)",
    ),
    limits=(
        "Depends on the number of published records: the chance level is m/(m + n − 1).",
        "Says nothing about attributes, and one value for all hides a few fully exposed people.",
        "With many identical real rows nearly everyone counts as exposed.",
        "The interval treats people as independent although they share their neighbours.",
    ),
)


@metric(CARD, params=AuthParams)
def auth(inputs: Inputs, params: AuthParams, rng: Generator) -> Measured:
    """Return the share of exposed train rows, with equally many holdout rows beside."""
    neighbours, level = inputs.neighbours(params.distance), inputs.confidence
    n, m = int(neighbours.train.sum()), len(neighbours.space.synthetic)
    if n < 2:
        raise NotAssessable("authenticity needs at least 2 train rows")
    exposed = _exposed(neighbours, neighbours.train)
    between = neighbours.real_to_real.nearest(neighbours.train).distance
    closest = neighbours.synthetic_to_real.nearest(neighbours.train).distance
    person = neighbours.synthetic_to_real.first_tied(neighbours.train)
    authentic = less(between[person], closest)
    risk = wilson(int(exposed.sum()), n, level=level)
    ties = tied(neighbours.real_to_synthetic.distance[neighbours.train], between[neighbours.train])
    return Measured(
        figures={
            "risk": risk,
            "auth_per_synthetic": wilson(int(authentic.sum()), m, level=level),
            **_against_holdout(neighbours, rng, level),
        },
        raw=float(1 - exposed.mean()),
        risk=float(exposed.mean()),
        diagnostics={
            "chance level of the risk": m / (m + n - 1),
            "share of ties": float(ties.mean()),
        },
        records=(Records(table="train", scores={"exposed": exposed}),),
    )


def _exposed(neighbours: Neighbours[Any], members: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return, for each member, whether a synthetic row is at least as near as other members."""
    between = neighbours.real_to_real.nearest(members).distance[members]
    return at_most(neighbours.real_to_synthetic.distance[members], between)


def _against_holdout(
    neighbours: Neighbours[Any], rng: Generator, level: float
) -> dict[str, Estimate]:
    masks = neighbours.balanced(rng)
    if masks is None:
        missing = unknown("there is no holdout table")
    elif int(masks[0].sum()) < 2:
        missing = unknown("fewer than 2 rows on each side of the comparison")
    else:
        train, holdout = (_exposed(neighbours, mask) for mask in masks)
        counts = int(train.sum()), int(holdout.sum())
        size = len(train)
        left = 1 - counts[1] / size
        return {
            "train_risk": wilson(counts[0], size, level=level),
            "holdout_risk": wilson(counts[1], size, level=level),
            "gap": newcombe(counts[0], size, counts[1], size, level=level),
            "excess": Estimate(value=max(0.0, (counts[0] - counts[1]) / size / left), n=size)
            if left
            else unknown("every holdout row is exposed, so no excess can be seen"),
        }
    return dict.fromkeys(("train_risk", "holdout_risk", "gap", "excess"), missing)
