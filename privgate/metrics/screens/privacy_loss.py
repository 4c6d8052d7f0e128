"""Privacy loss: whether the release mixes with its own people more closely than with others.

An attacker asks of each person whether the nearest other row is a person or a published record, and
the same of each record. AATS is the share of "its own kind", averaged over people and records: 1/2
if the release is one more sample of the population, 0 if it copies people, 1 if it lies apart.

AATS(A, S) = ½·[(1/n) Σ_i 1[d_AS(i) > d_AA(i)] + (1/n) Σ_j 1[d_SA(j) > d_SS(j)]] on n rows of each
table, a tie counting as not greater, and privacy loss = AATS(E, S) - AATS(T, S) for train T, people
the generator never saw E, and the release S: about 0 for an honest release, high when it leaks.

Where tables differ in size, as many rows as the smallest has are drawn from each, 50 times, and the
figures averaged. The spread over draws is reported; it says how much the draws matter and is no
confidence interval. The p-value judges the same difference on all rows under random relabellings of
train and holdout: unequal sizes shift both halves, but shift the relabelled differences alike. The
risk is 1 - AATS(T, S) on all rows, which misses no copy.

`nnaa` states the accuracy itself as a risk, drawn down to the smaller of train and release; its gap
is this loss at another size, with an interval that is only approximate. Here the loss comes at
Yale's one size for all three tables, and with a p-value that is exact.

Worked example: T = (0, 1, 3, 6, 10, 10.5), E = (.4, 2, 2.2, 7, 9, 14) and S = (.1, 1.05, 1.2, 6.1,
20, 20.3) give AATS(T, S) = ½·(1/3 + 1/2) = 5/12, AATS(E, S) = ½·(2/3 + 2/3) = 2/3 and loss 1/4.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from pydantic import Field

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
from privgate.metrics.adversarial import nearer_to_own_kind
from privgate.metrics.contract import Measured, metric
from privgate.metrics.distances import unseen_columns
from privgate.metrics.relabelling import EXCHANGEABLE, RelabelledParams, calibrated

if TYPE_CHECKING:
    from numpy.random import Generator
    from numpy.typing import NDArray

    from privgate.metrics.inputs import Inputs
    from privgate.neighbors import Neighbours


class PrivacyLossParams(RelabelledParams):
    """Parameters of the privacy loss."""

    repetitions: int = Field(
        default=50, ge=2, le=1000, description="How often rows of larger tables are drawn."
    )


def _accuracy(title: str, meaning: str) -> FigureSpec:
    return FigureSpec.score(title, meaning, safe_side=SafeSide.HIGH, minimum=0, maximum=1)


CARD = Card(
    name="privacy_loss",
    version=1,
    title="Privacy loss of the adversarial accuracy",
    question="Does the release mix with its own people more closely than with other people?",
    family=Family.SCREEN,
    threat_model=ThreatModel(
        attacker="anyone who obtains the release",
        knows="the release and some real records",
        wants="to tell whose records the release was made from by what lies next to them",
    ),
    criteria=(Criterion.SINGLING_OUT, Criterion.MEMBERSHIP),
    formula="AATS(A, S) = ½·[(1/n) Σᵢ 1[d(aᵢ, S) > d(aᵢ, A)] + (1/n) Σⱼ 1[d(sⱼ, A) > d(sⱼ, S)]]; "
    "privacy loss = AATS(holdout, S) − AATS(train, S), equally many rows of all three",
    headline="privacy_loss",
    figures={
        "privacy_loss": FigureSpec(
            title="Privacy loss",
            meaning="By how much nearest neighbours tell the release from people the generator "
            "never saw more often than from its own people; about 0 for an honest release.",
            safe_side=SafeSide.LOW,
            kind=FigureKind.DIFFERENCE,
            minimum=-1,
            maximum=1,
        ),
        "aats_train": _accuracy(
            "Adversarial accuracy, train",
            "How often the nearest row is of one's own kind, for the people behind the release "
            "and the published records: 1/2 is expected, 0 when every record is a copy.",
        ),
        "aats_holdout": _accuracy(
            "Adversarial accuracy, holdout",
            "The same for people the generator never saw: what follows from the population.",
        ),
        "p_privacy_loss": FigureSpec.p_value(
            "Chance of this much privacy loss in an honest release (p)",
            "Chance that an honest release would mix with train at least as much more than with "
            "the holdout, found by relabelling train and holdout at random.",
        ),
    },
    needs=(Need.HOLDOUT,),
    references=(
        "Yale et al. 2020, doi 10.1016/j.neucom.2019.12.136",
        "Szatkownik et al. 2025, arXiv 2510.24233 (as a comparator)",
        "Drawn sizes and permutation test: derived by privgate",
    ),
    limits=(
        "One value for all: a few copies among thousands of records do not move it.",
        "Says nothing about a single person.",
        "Averages two halves that can cancel: collapse to few modes, and copying.",
        "With many identical rows both accuracies go to 0 for any release.",
        "Where tables differ in size, a drawn part of the larger ones misses some of the copies.",
        "The loss has no interval; the spread over draws is none. The p-value is exact.",
        EXCHANGEABLE,
    ),
)


@metric(CARD, params=PrivacyLossParams)
def privacy_loss(inputs: Inputs, params: PrivacyLossParams, rng: Generator) -> Measured:
    """Return how much more the release mixes with train than with as much holdout, and its p."""
    neighbours = inputs.neighbours(params.distance)
    tables = _tables(neighbours)
    size = min(int(table.sum()) for table in tables)
    if size < 2:
        raise NotAssessable("privacy loss needs at least 2 rows of each table")
    found = _drawn(neighbours, size, params.repetitions, rng)
    train, holdout = (float(accuracy) for accuracy in found.mean(axis=0))
    whole = np.ones(len(neighbours.space.synthetic), bool)
    p_value, law = calibrated(
        partial(_loss, neighbours),
        neighbours.train,
        safe_side=SafeSide.LOW,
        permutations=params.permutations,
        rng=rng,
        executor=inputs.executor,
    )
    return Measured(
        figures={
            "privacy_loss": Estimate(value=holdout - train, n=size),
            "aats_train": Estimate(value=train, n=size),
            "aats_holdout": Estimate(value=holdout, n=size),
            "p_privacy_loss": p_value,
        },
        raw=holdout - train,
        risk=1 - _aats(neighbours, neighbours.train, whole),
        diagnostics={
            "rows of each table": size,
            "draws": len(found),
            "standard deviation of the loss over draws": _spread(found[:, 1] - found[:, 0]),
            **{f"loss on all rows, {name}": value for name, value in law.items()},
            **_duplicates(neighbours),
            "columns without a coordinate": list(neighbours.space.constant),
        },
        notes=unseen_columns(neighbours.space),
    )


def _tables(neighbours: Neighbours[Any]) -> tuple[NDArray[np.bool_], ...]:
    """Return the rows of train, holdout and synthetic as masks."""
    return neighbours.train, neighbours.holdout, np.ones(len(neighbours.space.synthetic), bool)


def _drawn(
    neighbours: Neighbours[Any], size: int, repetitions: int, rng: Generator
) -> NDArray[np.float64]:
    """Return the accuracies on train and holdout for each draw; one if all tables have one size."""
    tables = _tables(neighbours)
    draws = repetitions if any(table.sum() > size for table in tables) else 1
    found = []
    for _ in range(draws):
        train, holdout, records = (_part(table, size, rng) for table in tables)
        found.append([_aats(neighbours, people, records) for people in (train, holdout)])
    return np.array(found)


def _part(table: NDArray[np.bool_], size: int, rng: Generator) -> NDArray[np.bool_]:
    """Return ``size`` rows of a table, drawn without replacement."""
    rows = np.flatnonzero(table)
    if len(rows) == size:
        return table
    part = np.zeros_like(table)
    part[rng.permutation(rows)[:size]] = True
    return part


def _aats(
    neighbours: Neighbours[Any], people: NDArray[np.bool_], records: NDArray[np.bool_]
) -> float:
    return sum(nearer_to_own_kind(neighbours, people, records)) / 2


def _loss(neighbours: Neighbours[Any], labels: NDArray[np.bool_]) -> float:
    """Return the privacy loss on all rows when ``labels`` mark those of train."""
    whole = np.ones(len(neighbours.space.synthetic), bool)
    return _aats(neighbours, ~labels, whole) - _aats(neighbours, labels, whole)


def _spread(losses: NDArray[np.float64]) -> float | None:
    return float(losses.std(ddof=1)) if len(losses) > 1 else None


def _duplicates(neighbours: Neighbours[Any]) -> dict[str, float]:
    """Return how many rows have a twin in their own table; their own kind is never farther."""
    train = neighbours.train
    between = neighbours.real_to_real.nearest(train, train).distance
    made = neighbours.synthetic_to_synthetic.distances[:, 0]
    return {
        "share of train rows with an identical twin": float((between == 0).mean()),
        "share of synthetic rows with an identical twin": float((made == 0).mean()),
    }
