"""What metrics on nearest neighbours share: choice of distance, and comparison at equal size.

How near the nearest of many real rows lies depends on how many there are, so train is compared with
the same number of people the generator never saw.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from pydantic import Field

from privgate.encoding import Distance
from privgate.evidence import Estimate, FigureKind, FigureSpec, SafeSide, unknown
from privgate.metrics.comparison import NO_HOLDOUT
from privgate.metrics.contract import Params
from privgate.stats.intervals import difference, residual

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.random import Generator
    from numpy.typing import NDArray

    from privgate.encoding import Space
    from privgate.neighbors import Neighbours

OWN_DISTANCE = (
    "How the distance of two rows is measured; by default as the release says: Euclidean for "
    "tables, the declared distance for arrays."
)
EQUAL_SIZE = ("train_risk", "holdout_risk", "gap", "excess")


class DistanceParams(Params):
    """Parameters of a metric on distances."""

    distance: Distance | None = Field(default=None, description=OWN_DISTANCE)


def risk_spec(title: str, meaning: str, kind: FigureKind = FigureKind.SCORE) -> FigureSpec:
    """Return the specification of an estimated risk in [0, 1]."""
    return FigureSpec(
        title=title,
        meaning=meaning,
        safe_side=SafeSide.LOW,
        kind=kind,
        minimum=0,
        maximum=1,
        has_interval=True,
    )


def equal_size_figures(
    risk: str, meaning: str, kind: FigureKind = FigureKind.SCORE
) -> dict[str, FigureSpec]:
    """Return the specifications of the figures of a comparison at equal size.

    ``meaning`` is a sentence about the risk without its full stop.
    """
    return {
        "train_risk": risk_spec(
            f"{risk}, train, equal size",
            f"{meaning}: as many of the people behind the release as there are on the other side.",
            kind,
        ),
        "holdout_risk": risk_spec(
            f"{risk}, holdout, equal size",
            f"{meaning}: equally many people the generator never saw.",
            kind,
        ),
        "gap": FigureSpec.difference(
            f"{risk} beyond chance",
            "By how much the risk of the people behind the release exceeds that of equally many "
            "people the generator never saw.",
        ),
        "excess": FigureSpec.residual(
            "Excess over the holdout", "The same as a share of what chance had left to lose."
        ),
    }


def at_equal_size(
    neighbours: Neighbours[Any], rng: Generator, risk: Callable[[NDArray[np.bool_]], Estimate]
) -> dict[str, Estimate]:
    """Return a risk in [0, 1] for train and for equally many holdout rows, compared.

    ``risk`` gives the risk of a set of at least two real rows; it may be unknown.
    """
    masks = neighbours.balanced(rng)
    if masks is None:
        return dict.fromkeys(EQUAL_SIZE, unknown(NO_HOLDOUT))
    if masks[0].sum() < 2:
        reason = "fewer than 2 rows on each side of the comparison"
        return dict.fromkeys(EQUAL_SIZE, unknown(reason))
    train, holdout = (risk(mask) for mask in masks)
    return {"train_risk": train, "holdout_risk": holdout, **_beyond(train, holdout)}


def _beyond(train: Estimate, holdout: Estimate) -> dict[str, Estimate]:
    missing = train.reason or holdout.reason
    if missing:
        return dict.fromkeys(("gap", "excess"), unknown(missing))
    by_wilson = train.method == holdout.method == "Wilson"
    return {
        "gap": difference(train, holdout, method="Newcombe" if by_wilson else "MOVER"),
        "excess": unknown("the holdout risk is 1, so no excess can be seen")
        if holdout.value == 1
        else residual(train, holdout, method=f"MOVER ratio of {holdout.method}"),
    }


def coinciding(neighbours: Neighbours[Any]) -> NDArray[np.bool_]:
    """Return which synthetic rows are at distance 0 from a train row and from no holdout row."""

    def copied(members: NDArray[np.bool_]) -> NDArray[np.bool_]:
        return np.asarray(neighbours.synthetic_to_real.nearest(members).distance == 0)

    found = copied(neighbours.train)
    return found & ~copied(neighbours.holdout) if neighbours.holdout.any() else found


def unseen_columns(space: Space[Any]) -> tuple[str, ...]:
    """Return a note for each column that only varies where the distance cannot see it."""
    return tuple(
        f"Column '{name}' is constant in train and varies elsewhere; distances cannot see it."
        for name in space.varying
    )
