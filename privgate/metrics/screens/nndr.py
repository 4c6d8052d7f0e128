"""Nearest neighbour distance ratio: whether a published record points at one person, not at two.

An attacker takes a published record for the trace of the person it lies closest to. The guess is
good if that person is much nearer than the next. For each synthetic row z_j let r1 ≤ r2 be its
distances to the two nearest train rows; the ratio is ρ_j = r1/r2, and 0 where r2 = 0.

NNDR = (1/m) Σ_j ρ_j and the risk is 1 - NNDR.

The ratio depends on how many people are asked about, so train is compared with the same number of
people the generator never saw.

The review takes distances between raw records, which mixed units make meaningless, and leaves the
case r2 = 0 open; shipped tools answer 1 there, so that a copied table whose rows occur twice looks
safe. A record that coincides with two identical people is a copy, and its ratio is 0.

Worked example: Y = (0, 1, 4, 6) and Z = (0, 2.5, 9, 30) give the ratios 0, 1, 3/5 and 12/13, NNDR
0.6308 and risk 0.3692.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from privgate.errors import NotAssessable
from privgate.evidence import Card, Criterion, Estimate, Family, FigureSpec, SafeSide, ThreatModel
from privgate.metrics.contract import Measured, Records, metric
from privgate.metrics.distances import (
    DistanceParams,
    at_equal_size,
    coinciding,
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


class NndrParams(DistanceParams):
    """Parameters of the nearest neighbour distance ratio."""


CARD = Card(
    name="nndr",
    version=1,
    title="Nearest neighbour distance ratio",
    question="Do published records point at single people behind the release?",
    family=Family.SCREEN,
    threat_model=ThreatModel(
        attacker="anyone who obtains the release",
        knows="the release and some real records",
        wants="to attribute a published record to the one person it lies closest to",
    ),
    criteria=(Criterion.SINGLING_OUT, Criterion.LINKABILITY),
    formula="NNDR = (1/m) Σⱼ r₁(zⱼ)/r₂(zⱼ), distances to the two nearest train rows, 0 if r₂ = 0; "
    "risk = 1 − NNDR; gap = risk(train) − risk(holdout), equally many rows",
    review_name="NNDR",
    headline="gap",
    figures={
        "risk": risk_spec(
            "Risk 1 − NNDR",
            "How much nearer the closest person behind the release is to a published record than "
            "the second closest, on average: 0 not at all, 1 when every record is a copy.",
        ),
        "p5": FigureSpec.score(
            "5th percentile of the ratio",
            "Five per cent of the published records have at most this ratio.",
            safe_side=SafeSide.HIGH,
            minimum=0,
            maximum=1,
        ),
        "zero_share": FigureSpec.share(
            "Published records with ratio 0",
            "Share of published records that coincide with a real person's record.",
        ),
        **equal_size_figures(
            "Risk 1 − NNDR",
            "The same mean over all published records, asked about one set of people only",
        ),
    },
    references=(
        "Guillaudeux et al. 2023, doi 10.1038/s41746-023-00771-5 (Avatar)",
        "Trudslev et al. 2025, arXiv 2507.11324 (review; distances in the encoded space, 0/0 is 0)",
        "Yao et al. 2025, arXiv 2505.01524 (why this check proves nothing on its own)",
    ),
    limits=(
        "A mean hides a few dangerous records; see the 5th percentile and the share of zeros.",
        "The scale of the columns decides the ratio.",
        "Depends on the number of train rows; compare with the holdout only.",
        "The interval is that of a share with the same mean, which is wider than needed.",
        "The interval treats records as independent although they share their neighbours.",
    ),
)


@metric(CARD, params=NndrParams)
def nndr(inputs: Inputs, params: NndrParams, rng: Generator) -> Measured:
    """Return the mean ratio over synthetic rows, with equally many holdout rows beside."""
    neighbours, level = inputs.neighbours(params.distance), inputs.confidence
    if neighbours.train.sum() < 2:
        raise NotAssessable("a distance ratio needs at least 2 train rows")
    first, second = _two_nearest(neighbours, neighbours.train)
    ratio = _ratio(first, second)
    m = len(ratio)

    def risk(members: NDArray[np.bool_]) -> Estimate:
        own = _ratio(*_two_nearest(neighbours, members))
        return wilson(float((1 - own).sum()), m, level=level)

    whole = risk(neighbours.train)
    return Measured(
        figures={
            "risk": whole,
            "p5": Estimate(value=float(np.quantile(ratio, 0.05)), n=m),
            "zero_share": wilson(int((ratio == 0).sum()), m, level=level),
            **at_equal_size(neighbours, rng, risk),
        },
        raw=float(ratio.mean()),
        risk=whole.value,
        diagnostics={
            "ties": int(tied(first, second).sum()),
            "records that coincide with two people": int((second == 0).sum()),
            "columns without a coordinate": list(neighbours.space.constant),
        },
        notes=unseen_columns(neighbours.space),
        records=(
            Records(table="synthetic", scores={"ratio": ratio}, named=coinciding(neighbours)),
        ),
    )


def _two_nearest(
    neighbours: Neighbours[Any], members: NDArray[np.bool_]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return each synthetic row's distances to the two nearest members."""
    found = neighbours.synthetic_to_real
    return found.nearest(members).distance, found.second(members)


def _ratio(first: NDArray[np.float64], second: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.divide(first, second, out=np.zeros_like(first), where=second > 0)
