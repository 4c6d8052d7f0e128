"""In-authenticity asks how many published records are as near to a person as that person's peers.

An attacker takes a published record s for that of r, the real person nearest to it, if it lies at
least as near to r as any other person of r's side does: s is in-authentic if d(s, r) ≤ d(r, other
people), a tie included (Alaa et al.). The fld code reports AuthPct = 100 · share authentic - 50.

A quarter to three fifths of an *honest* release are in-authentic (measured on haplotypes and mixed
tables), so the share alone says nothing. The same share is therefore taken with as many people the
generator never saw in the place of train, and the p-value compares the difference on all rows with
random relabellings of train and holdout.

`auth` looks from the other side: the share of *people* to whom a record comes near, whose chance
level grows with the size of the release. This one counts *records*, and its chance level does not.
`auth` reports the share of authentic records as `auth_per_synthetic`, without anything beside it.

Of several people equally near to a record, r is the first in the release's order of rows.

Worked example: T = (0, 1, 3, 6, 10, 10.5) and S = (.1, 1.05, 1.2, 6.1, 20, 20.3) have nearest
people 0, 1, 1, 3, 5, 5 (counted from 0) at d = (.1, .05, .2, .1, 9.5, 9.8), whose own neighbours
lie at (1, 1, 1, 3, .5, .5): the first four are in-authentic, share 2/3 and AuthPct -16.67.
"""

from __future__ import annotations

from functools import partial
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
    unknown,
)
from privgate.metrics.authenticity import in_authentic
from privgate.metrics.comparison import NO_HOLDOUT
from privgate.metrics.contract import Measured, Records, metric
from privgate.metrics.distances import unseen_columns
from privgate.metrics.relabelling import EXCHANGEABLE, RelabelledParams, calibrated
from privgate.stats.compare import at_most
from privgate.stats.intervals import wilson

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy as np
    from numpy.random import Generator
    from numpy.typing import NDArray

    from privgate.evidence import JsonValue
    from privgate.metrics.inputs import Inputs
    from privgate.neighbors import Neighbours

TOO_FEW = "fewer than 2 holdout rows"


class InAuthParams(RelabelledParams):
    """Parameters of in-authenticity."""


CARD = Card(
    name="in_auth",
    version=1,
    title="In-authenticity",
    question="Are more published records as near to a person as that person's peers than chance "
    "allows?",
    family=Family.SCREEN,
    threat_model=ThreatModel(
        attacker="anyone who obtains the release",
        knows="the release and some real records",
        wants="to tell of a published record which real person it was made from",
    ),
    criteria=(Criterion.SINGLING_OUT, Criterion.MEMBERSHIP),
    formula="share = (1/m) Σⱼ 1[d(zⱼ, r(j)) ≤ minᵢ d(r(j), yᵢ)], r(j) the person nearest to zⱼ; "
    "AuthPct = 100·(1 − share) − 50; gap = share(train) − share(holdout), equally many rows",
    headline="gap",
    figures={
        "share": FigureSpec.share(
            "In-authentic records",
            "Share of published records at least as near to their closest person behind the "
            "release as that person's closest peer; a quarter to three fifths for honest ones.",
        ),
        "train_risk": FigureSpec.share(
            "In-authentic records, train, equal size",
            "The same share for as many people behind the release as there are on the other side.",
        ),
        "holdout_risk": FigureSpec.share(
            "In-authentic records, holdout, equal size",
            "The same share for equally many people the generator never saw.",
        ),
        "gap": FigureSpec(
            title="In-authentic records beyond chance",
            meaning="By how much more of the published records are in-authentic for the people "
            "behind the release than for equally many people the generator never saw.",
            safe_side=SafeSide.LOW,
            kind=FigureKind.DIFFERENCE,
            minimum=-1,
            maximum=1,
        ),
        "auth_pct": FigureSpec.score(
            "AuthPct",
            "Share of authentic records in per cent, less 50; no level of it stands for honest.",
            safe_side=SafeSide.HIGH,
            minimum=-50,
            maximum=50,
        ),
        "p_gap": FigureSpec.p_value(
            "Chance of so many more in-authentic records in an honest release (p)",
            "Chance that in an honest release train would exceed the holdout by as much, found by "
            "relabelling train and holdout at random.",
        ),
    },
    references=(
        "Alaa et al. 2022, arXiv 2102.08921",
        "Jiralerspong et al. 2023, arXiv 2302.04440 (AuthPct)",
        "Szatkownik et al. 2025, arXiv 2510.24233 (as a comparator)",
        "Comparison with the holdout and permutation test: derived by privgate",
    ),
    limits=(
        "A quarter to three fifths of an honest release are in-authentic: judge gap or p.",
        "The marked records are no list of copies: about as many are marked by chance.",
        "Many identical real rows lower the share: only exact copies reach a person with a twin.",
        "The gap has no interval, since records share their neighbours; the p-value is exact.",
        "The intervals of the shares take the people as given.",
        EXCHANGEABLE,
    ),
)


@metric(CARD, params=InAuthParams)
def in_auth(inputs: Inputs, params: InAuthParams, rng: Generator) -> Measured:
    """Return the share of in-authentic records, with holdout in the place of train beside."""
    neighbours, level = inputs.neighbours(params.distance), inputs.confidence
    train = neighbours.train
    if train.sum() < 2:
        raise NotAssessable("in-authenticity needs at least 2 train rows")
    marked = in_authentic(neighbours, train)
    p_value, law = _calibrated(inputs, params, rng)
    return Measured(
        figures={
            "share": _share(marked, level),
            "auth_pct": Estimate(value=100 * float(1 - marked.mean()) - 50, n=len(marked)),
            "p_gap": p_value,
            **_beside_holdout(neighbours, rng, level),
        },
        raw=float(marked.mean()),
        risk=float(marked.mean()),
        diagnostics={
            "share of holdout rows in-authentic as if published": _fresh(neighbours),
            **{f"gap on all rows, {name}": value for name, value in law.items()},
            "columns without a coordinate": list(neighbours.space.constant),
        },
        notes=unseen_columns(neighbours.space),
        records=(Records(table="synthetic", scores={"in_authentic": marked}),),
    )


def _beside_holdout(
    neighbours: Neighbours[Any], rng: Generator, level: float
) -> dict[str, Estimate]:
    """Return the share for equally many people of both kinds, and their difference."""
    masks = neighbours.balanced(rng)
    if masks is None or masks[0].sum() < 2:
        reason = unknown(NO_HOLDOUT if masks is None else TOO_FEW)
        return dict.fromkeys(("train_risk", "holdout_risk", "gap"), reason)
    train, holdout = (in_authentic(neighbours, members) for members in masks)
    return {
        "train_risk": _share(train, level),
        "holdout_risk": _share(holdout, level),
        "gap": Estimate(value=float(train.mean() - holdout.mean()), n=len(train)),
    }


def _share(marked: NDArray[np.bool_], level: float) -> Estimate:
    return wilson(int(marked.sum()), len(marked), level=level)


def _calibrated(
    inputs: Inputs, params: InAuthParams, rng: Generator
) -> tuple[Estimate, Mapping[str, JsonValue]]:
    """Return the p-value of the difference between train and holdout on all rows."""
    neighbours = inputs.neighbours(params.distance)
    if neighbours.holdout.sum() < 2:
        return unknown(TOO_FEW if neighbours.holdout.any() else NO_HOLDOUT), {}
    return calibrated(
        partial(_gap, neighbours),
        neighbours.train,
        safe_side=SafeSide.LOW,
        permutations=params.permutations,
        rng=rng,
        executor=inputs.executor,
    )


def _gap(neighbours: Neighbours[Any], labels: NDArray[np.bool_]) -> float:
    nearest = neighbours.synthetic_to_real.nearest
    # Whom a tie chooses must only be one rule for all labellings. The listed neighbour is found
    # much faster than the first of all tied ones.
    train, holdout = (
        in_authentic(neighbours, members, nearest(members).index) for members in (labels, ~labels)
    )
    return float(train.mean() - holdout.mean())


def _fresh(neighbours: Neighbours[Any]) -> float | None:
    """Return which share of the holdout would be in-authentic if it were the release."""
    if not neighbours.holdout.any():
        return None
    train = neighbours.train
    nearest = neighbours.real_to_real.nearest(train)
    asked = neighbours.holdout
    own = nearest.distance[nearest.index[asked]]
    return float(at_most(nearest.distance[asked], own).mean())
