"""Authenticity asks whether a published record is as near to a person as any other person is.

A real row is exposed if some synthetic row lies at least as near to it as every other real row:
Auth = (1/n) Σ_i 1[dYY(i) < dYZ(i)] and the risk is 1 - Auth, ties counted as exposed.

Even an honest release exposes the share m/(m + n - 1) by chance, so train is compared with the same
number of people the generator never saw.

The review's definition stands. Its origin (Alaa et al.) counts published records instead, which is
another number: it is reported as ``auth_per_synthetic``, and judged beside people the generator
never saw by the metric ``in_auth``.

Worked example: Y = (0, 1, 4, 6) and Z = (0, 2.5, 9, 30) give Auth 0.25 and risk 0.75.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

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
)
from privgate.metrics.authenticity import in_authentic
from privgate.metrics.contract import Measured, Records, metric
from privgate.metrics.distances import (
    DistanceParams,
    at_equal_size,
    equal_size_figures,
    unseen_columns,
)
from privgate.stats.compare import at_most, tied
from privgate.stats.intervals import wilson

if TYPE_CHECKING:
    import numpy as np
    from numpy.random import Generator
    from numpy.typing import NDArray

    from privgate.metrics.inputs import Inputs
    from privgate.neighbors import Neighbours


class AuthParams(DistanceParams):
    """Parameters of authenticity."""


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
        **equal_size_figures(
            "Exposed people",
            "Share of people to whom a published record is at least as close as any other person "
            "of their own side",
            FigureKind.SHARE,
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
        "So a 95 % interval of the gap holds for about nine in ten honest releases only.",
    ),
)


@metric(CARD, params=AuthParams)
def auth(inputs: Inputs, params: AuthParams, rng: Generator) -> Measured:
    """Return the share of exposed train rows, with equally many holdout rows beside."""
    neighbours, level = inputs.neighbours(params.distance), inputs.confidence
    train = neighbours.train
    n, m = int(train.sum()), len(neighbours.space.synthetic)
    if n < 2:
        raise NotAssessable("authenticity needs at least 2 train rows")
    exposed = _exposed(neighbours, train)

    def risk(members: NDArray[np.bool_]) -> Estimate:
        found = _exposed(neighbours, members)
        return wilson(int(found.sum()), len(found), level=level)

    between = neighbours.real_to_real.nearest(train, train).distance
    ties = tied(neighbours.real_to_synthetic.distance[train], between)
    authentic = m - int(in_authentic(neighbours, train).sum())
    return Measured(
        figures={
            "risk": risk(train),
            "auth_per_synthetic": wilson(authentic, m, level=level),
            **at_equal_size(neighbours, rng, risk),
        },
        raw=float(1 - exposed.mean()),
        risk=float(exposed.mean()),
        diagnostics={
            "chance level of the risk": m / (m + n - 1),
            "ties": int(ties.sum()),
            "columns without a coordinate": list(neighbours.space.constant),
        },
        notes=unseen_columns(neighbours.space),
        records=(Records(table="train", scores={"exposed": exposed}),),
    )


def _exposed(neighbours: Neighbours[Any], members: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return, for each member, whether a synthetic row is at least as near as other members."""
    between = neighbours.real_to_real.nearest(members, members).distance
    return at_most(neighbours.real_to_synthetic.distance[members], between)
