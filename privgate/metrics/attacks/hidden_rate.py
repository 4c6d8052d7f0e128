"""The hidden rate is the share of people whose published record is not the one nearest to them.

Some generators make each published record from one real person. The attacker holds the real
records (the worst case) and the release, and links each person to the nearest published record,
hoping it is the one made from theirs. Among equally near records they guess.

With T_i = {j : d(y_i, z_j) minimal, ties included} and π(i) the record made from person i, the
person is linked with probability hit_i = 1[π(i) ∈ T_i] / |T_i|; HidR = 1 - (1/n) Σ_i hit_i and the
risk is 1 - HidR. Guessing links 1/n.

Worked example: Y = (0, 1, 4, 6) and Z = (0.2, 5.8, 4.1, 0.9), made in this order, give hits
(1, 0, 1, 0) and HidR 0.5; Y = (0, 1) and Z = (0.5, 0.5) give hits (1/2, 1/2) and HidR 0.5.

The review prints the formula as if every generator had such a correspondence; most have none, and
taken by position an exact copy is at risk 1 in order and 0 once shuffled. Here the release file
must declare it, as `same_order` or by a key column that both tables have, and it must pair all
rows one to one.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from pydantic import Field

from privgate.errors import NotAssessable
from privgate.evidence import (
    Card,
    Criterion,
    Estimate,
    Family,
    FigureKind,
    FigurePart,
    FigureSpec,
    Need,
    SafeSide,
    ThreatModel,
    unknown,
)
from privgate.metrics.contract import Measured, Records, metric
from privgate.metrics.distances import DistanceParams
from privgate.metrics.subgroups import NO_GROUPS, GroupedParams, members, worst_of
from privgate.stats.compare import tied
from privgate.stats.intervals import clopper_pearson, wilson

if TYPE_CHECKING:
    from typing import Any

    from numpy.random import Generator
    from numpy.typing import NDArray

    from privgate.data import Release, Table, TableName
    from privgate.evidence import JsonValue
    from privgate.metrics.inputs import Inputs
    from privgate.metrics.subgroups import Masks
    from privgate.neighbors import Neighbours

TRAIN: tuple[TableName, ...] = ("train",)
ROUNDING = 1e-9  # thirds of a link add up to a whole one only nearly
WORST = "worst_group_risk"


class HiddenRateParams(GroupedParams, DistanceParams):
    """Parameters of the hidden rate."""

    min_group: int = Field(
        default=50, ge=11, description="Least number of train people in a group."
    )


CARD = Card(
    name="hidden_rate",
    version=1,
    title="Hidden rate",
    question="Can a published record be linked to the person it was made from?",
    family=Family.ATTACK,
    threat_model=ThreatModel(
        attacker="someone who holds the real records and obtains the release",
        knows="the release and the complete records of the people behind it",
        wants="to link each person to the published record that was made from them",
    ),
    criteria=(Criterion.LINKABILITY,),
    formula="HidR = 1 − (1/n) Σᵢ 1[π(i) ∈ Tᵢ]/|Tᵢ|, Tᵢ the records nearest to yᵢ, π(i) the one "
    "made from it; risk = 1 − HidR",
    review_name="HidR",
    headline="linked_share",
    figures={
        "linked_share": FigureSpec.share(
            "Linked people",
            "Share of the people behind the release who are linked to the record made from them; "
            "a guess among several counts in proportion.",
            satisfies=(Criterion.LINKABILITY,),
            part=FigurePart.ATTACK,
        ),
        "hidden_share": FigureSpec(
            title="Hidden people",
            meaning="Share of the people behind the release who are not linked to the record made "
            "from them: the hidden rate.",
            safe_side=SafeSide.HIGH,
            kind=FigureKind.SHARE,
            minimum=0,
            maximum=1,
            has_interval=True,
            satisfies=(Criterion.LINKABILITY,),
        ),
        WORST: FigureSpec.share(
            "Linked people, worst group",
            "The greatest share of linked people in one group, its interval widened for the number "
            "of groups.",
            satisfies=(Criterion.LINKABILITY,),
        ),
    },
    needs=(Need.CORRESPONDENCE,),
    references=(
        "Guillaudeux et al. 2023, doi 10.1038/s41746-023-00771-5 (Avatar)",
        "Trudslev et al. 2025, arXiv 2507.11324 (review)",
    ),
    limits=(
        "Means nothing unless each published record was really made from the one declared person.",
        "A wrong link does not protect the values: the nearest record may tell as much.",
        "A copy of train scores 1 only where no two people have the same record.",
        "There is no holdout to compare with; guessing links one in n.",
    ),
)


@metric(CARD, params=HiddenRateParams)
def hidden_rate(inputs: Inputs, params: HiddenRateParams, rng: Generator) -> Measured:
    """Return the share of people who are linked to the published record made from them."""
    del rng
    made = _made_from(inputs.release)
    neighbours = inputs.neighbours(params.distance)
    nearest = neighbours.real_to_synthetic.distance[neighbours.train]
    linked = np.flatnonzero(tied(_paired(neighbours, made), nearest))
    rivals = neighbours.synthetic_groups.sizes[linked]
    hits = np.zeros(len(made))
    hits[linked] = 1 / rivals
    n = len(made)
    share = wilson(float(hits.sum()), n, level=inputs.confidence)
    worst, counted = _worst_group(inputs, params, hits)
    return Measured(
        figures={"linked_share": share, "hidden_share": _complement(share), WORST: worst},
        raw=1 - float(hits.mean()),
        risk=float(hits.mean()),
        diagnostics={
            "share that guessing links": 1 / n,
            "linked people with several nearest records": int((rivals > 1).sum()),
            **counted,
        },
        records=(Records(table="train", scores={"linked": hits}),),
    )


def _made_from(release: Release) -> NDArray[np.int64]:
    """Return for each train row the synthetic row that was made from it.

    Raises
    ------
    NotAssessable
        If the declared correspondence does not pair all rows one to one.
    """
    train = _pairing_values(release, release.train)
    synthetic = _pairing_values(release, release.synthetic)
    order = np.argsort(synthetic, kind="stable")
    if len(np.unique(train)) < len(train) or not np.array_equal(np.sort(train), synthetic[order]):
        raise NotAssessable(
            "the declared correspondence does not pair each train row with one synthetic row"
        )
    made: NDArray[np.int64] = order[np.searchsorted(synthetic[order], train)]
    return made


def _pairing_values(release: Release, table: Table) -> NDArray[np.generic]:
    declared = release.facts.correspondence
    if not isinstance(declared, dict):
        return table.positions
    key = str(declared["key"])
    if key not in table.values:
        raise NotAssessable(
            f"the key column {key!r} of the correspondence is not read; give it the role identifier"
        )
    values = table.values[key]
    missing = np.isnan(values) if values.dtype.kind == "f" else values < 0
    if missing.any():
        raise NotAssessable(f"the key column {key!r} of the correspondence has missing values")
    return values


def _paired(neighbours: Neighbours[Any], made: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the distance of each train row to the synthetic row made from it."""
    space = neighbours.space
    found: NDArray[np.float64] = space.train.pair_distances(
        space.synthetic, np.arange(len(made)), made
    )
    return found


def _worst_group(
    inputs: Inputs, params: HiddenRateParams, hits: NDArray[np.float64]
) -> tuple[Estimate, dict[str, JsonValue]]:
    """Return the share of linked people in the worst group, and how many groups there were."""
    if not params.groups:
        return unknown(NO_GROUPS), {}

    def linked(masks: Masks, level: float) -> Estimate:
        own = hits[masks["train"]]
        count, n = float(own.sum()), len(own)
        # The exact interval is for whole counts: a share of a link makes it wider.
        low = clopper_pearson(math.floor(count + ROUNDING), n, level=level)
        high = clopper_pearson(math.ceil(count - ROUNDING), n, level=level)
        value = min(max(count / n, low.low or 0.0), high.high or 1.0)
        return high.model_copy(update={"value": value, "low": low.low})

    return worst_of(
        inputs,
        params,
        members(inputs, params, TRAIN),
        size=lambda masks: int(masks["train"].sum()),
        risk=linked,
    )


def _complement(share: Estimate) -> Estimate:
    if share.value is None or share.low is None or share.high is None:
        return share
    return share.model_copy(
        update={"value": 1 - share.value, "low": 1 - share.high, "high": 1 - share.low}
    )
