"""Identifiability asks whether a published record is nearer to a person than any other person is.

As authenticity, in a space that stresses what sets people apart: every encoded column of attribute
a is multiplied by w_a = 1/H_a, with H_a the Shannon entropy of the attribute among the train rows
(levels; ten equal-width bins for numbers; missing is a value of its own). A rare deviation in an
attribute that nearly all people share then counts more than an everyday difference in one that
varies much. With d̂ the distance in that space

ID = (1/n) Σ_i 1[d̂YZ(i) < d̂YY(i)]; the risk also counts d̂YZ(i) = 0, ties or not, so that a
copied table has risk 1 even where every row occurs twice.

An honest release identifies the share m/(m + n - 1) by chance, so train is compared with the same
number of people the generator never saw, in the space fitted on train.

The review divides by w_a + ε and so multiplies by the entropy, the opposite of the purpose, and
lets the weight depend on the value, which leaves no metric space. The weight here is that of the
origin (Yoon et al.). Attributes that do not vary in train are left out and listed; a weight of 1/ε
would let a constant column moved by 10⁻⁶ make a copied table look safe.

Worked example: the encoded rows Y = (0,0), (0,3), (0,6), (2,9) and Z = (2,0), (0,3.5), (2,6), (0,9)
have entropies 0.5623 and 1.3863, distances d̂YY = (2.164, 2.164, 2.164, 4.163) and
d̂YZ = (2.525, 0.361, 1.803, 2.164), so ID and risk are 0.75.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

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
)
from privgate.metrics.contract import Measured, Records, metric
from privgate.metrics.distances import (
    DistanceParams,
    at_equal_size,
    equal_size_figures,
    unseen_columns,
)
from privgate.stats.compare import less, tied
from privgate.stats.intervals import wilson

if TYPE_CHECKING:
    from numpy.random import Generator
    from numpy.typing import NDArray

    from privgate.metrics.inputs import Inputs
    from privgate.neighbors import Neighbours


class IdentifiabilityParams(DistanceParams):
    """Parameters of identifiability."""


CARD = Card(
    name="identifiability",
    version=1,
    title="Identifiability",
    question="Does the release come closer to its own people than others do, rare traits stressed?",
    family=Family.SCREEN,
    threat_model=ThreatModel(
        attacker="anyone who obtains the release",
        knows="the release, some real records and which traits are rare",
        wants="to recognise a real person by a published record nearer than any other real one",
    ),
    criteria=(Criterion.SINGLING_OUT, Criterion.MEMBERSHIP),
    formula="ID = (1/n) Σᵢ 1[d̂(yᵢ, Z) < minᵢ′≠ᵢ d̂(yᵢ, yᵢ′)], columns divided by their entropy in "
    "train; risk = ID + share of further rows with d̂(yᵢ, Z) = 0; "
    "gap = risk(train) − risk(holdout), equally many rows",
    review_name="ID",
    headline="gap",
    figures={
        "risk": FigureSpec.share(
            "Identifiable train rows",
            "Share of the people behind the release to whom a published record is closer than any "
            "other real person, or identical.",
        ),
        "identifiability": FigureSpec(
            title="Identifiability score",
            meaning="The same share without records that are identical to a person's and to "
            "another real person's.",
            safe_side=SafeSide.LOW,
            kind=FigureKind.SHARE,
            minimum=0,
            maximum=1,
            has_interval=True,
        ),
        **equal_size_figures(
            "Identifiable people",
            "Share of people to whom a published record is closer than any other person of their "
            "own side, or identical",
            FigureKind.SHARE,
        ),
    },
    needs=(Need.COLUMNS,),
    references=(
        "Yoon et al. 2020, doi 10.1109/JBHI.2020.2980262 (ADS-GAN)",
        "Trudslev et al. 2025, arXiv 2507.11324 (review; weights corrected to 1/H)",
    ),
    limits=(
        "Depends on the number of published records: the chance level is m/(m + n − 1).",
        "The binning decides how much a numeric column counts.",
        "Says nothing about attributes, and one value for all hides a few fully exposed people.",
        "The interval treats people as independent although they share their neighbours.",
        "So a 95 % interval of the gap holds for about nine in ten honest releases only.",
    ),
)


@metric(CARD, params=IdentifiabilityParams)
def identifiability(inputs: Inputs, params: IdentifiabilityParams, rng: Generator) -> Measured:
    """Return the share of identifiable train rows, with equally many holdout rows beside."""
    neighbours, level = inputs.weighted_neighbours(params.distance), inputs.confidence
    train, space = neighbours.train, neighbours.space
    n, m = int(train.sum()), len(space.synthetic)
    if n < 2:
        raise NotAssessable("identifiability needs at least 2 train rows")
    nearest, between = _distances(neighbours, train)
    nearer, identified = less(nearest, between), _identified(neighbours, train)

    def risk(members: NDArray[np.bool_]) -> Estimate:
        found = _identified(neighbours, members)
        return wilson(int(found.sum()), len(found), level=level)

    return Measured(
        figures={
            "risk": risk(train),
            "identifiability": wilson(int(nearer.sum()), n, level=level),
            **at_equal_size(neighbours, rng, risk),
        },
        raw=float(nearer.mean()),
        risk=float(identified.mean()),
        diagnostics={
            "chance level of the risk": m / (m + n - 1),
            "ties": int(tied(nearest, between).sum()),
            "columns without a weight": list(space.constant),
        },
        notes=unseen_columns(space),
        records=(Records(table="train", scores={"identified": identified}),),
    )


def _distances(
    neighbours: Neighbours[Any], members: NDArray[np.bool_]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return each member's distance to the nearest synthetic row and to the nearest member."""
    return (
        neighbours.nearest_synthetic.distance[members],
        neighbours.real_to_real.nearest(members, members).distance,
    )


def _identified(neighbours: Neighbours[Any], members: NDArray[np.bool_]) -> NDArray[np.bool_]:
    nearest, between = _distances(neighbours, members)
    return np.asarray(less(nearest, between) | (nearest == 0))
