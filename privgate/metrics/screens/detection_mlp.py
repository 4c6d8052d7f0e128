"""Detection by a network: whether a multilayer perceptron tells published from real records.

An attacker who holds the release and some real records trains a network to tell the two apart. The
area under its ROC curve (AUC) in stratified cross-validation is 1/2 if it cannot and 1 if it always
can; the risk is min(1, max(0, 2·(1 - AUC))).

This measures fidelity: ideal fresh records of the population cannot be told apart either and have
risk 1. What speaks of copying is an AUC *below* 1/2: the twin of a tested row lies in the training
part with the opposite label. copy_signal = max(0, 1 - 2·AUC) says so, and the gap is the AUC
against as many people the generator never saw, minus that against train, with the same published
records. There is no excess of the risk over the holdout, as the holdout risk of good data is 1.

The review takes the AUC itself as risk, the wrong way round; a later version of its tool takes
1 - AUC, which is 1/2 for good data and cannot reach 1. An AUC below 1/2 must not be folded back.

Features are the coordinates of the encoded space (an indicator for each level of train, holdout and
synthetic), standardised in each training part. Tables above a stated size are subsampled by seed;
equal rows of two tables have one lot, so that a copy is not parted from its person by chance. The
digits depend on the version of scikit-learn and on the order of columns, which is that of their
names.

Worked example: AUCs of 0.7, 0.8 and 0.75 in three folds give AUC 0.75 and risk 0.5.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from pydantic import Field

from privgate.encoding import DenseEncoder
from privgate.errors import NotAssessable
from privgate.evidence import (
    INFORM_ONLY,
    Card,
    Criterion,
    Estimate,
    Family,
    FigureSpec,
    Need,
    SafeSide,
    ThreatModel,
    unknown,
)
from privgate.learners import detect, network_settings
from privgate.metrics.comparison import NO_HOLDOUT
from privgate.metrics.contract import Measured, Params, metric
from privgate.metrics.distances import risk_spec, unseen_columns
from privgate.metrics.sampling import sample_notes, sampled_alike
from privgate.stats.cross_validation import fold_mean
from privgate.stats.intervals import difference
from privgate.stats.rng import derived_int

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.random import Generator
    from numpy.typing import NDArray

    from privgate.learners import Detection
    from privgate.metrics.inputs import Inputs

FEWEST_ROWS = 10


class DetectionMlpParams(Params):
    """Parameters of detection by a network."""

    folds: int = Field(default=5, ge=2, le=20, description="Folds of the cross-validation.")
    epochs: int = Field(default=300, ge=1, le=10_000, description="Most passes over the rows.")
    most_rows: int = Field(
        default=500,
        ge=10,
        description="Rows of a table above which a seeded subsample of this size stands for it.",
    )


def _auc_spec(title: str, meaning: str) -> FigureSpec:
    return FigureSpec.score(
        title, meaning, safe_side=SafeSide.HIGH, minimum=0, maximum=1, exact=False
    )


CARD = Card(
    name="detection_mlp",
    version=2,
    title="Detection by a network",
    question="Can a network tell published records from real ones, or does it find their copies?",
    family=Family.SCREEN,
    threat_model=ThreatModel(
        attacker="anyone who obtains the release",
        knows="the release and some real records",
        wants="to tell real from published records, and to notice those that are both",
    ),
    criteria=(Criterion.MEMBERSHIP,),
    formula="AUC of a multilayer perceptron, Y against Z, mean over folds; "
    "risk = min(1, max(0, 2·(1 − AUC))); gap = AUC(holdout) − AUC(train), equally many rows",
    review_name="D-MLP",
    headline="gap",
    figures={
        "auc": _auc_spec(
            "Area under the ROC curve",
            "How well a network tells published records from those behind the release: 1/2 not at "
            "all, 1 always, below 1/2 where records are copies.",
        ),
        "risk": risk_spec(
            "Risk 2·(1 − AUC)",
            "How little published records differ from real ones; good data have 1, too.",
        ),
        "copy_signal": risk_spec(
            "Sign of copies",
            "How far the area under the curve lies below 1/2: what only copies bring about.",
        ),
        "train_auc": _auc_spec(
            "Area under the ROC curve, train, equal size",
            "The same area for as many people behind the release as there are on the other side.",
        ),
        "holdout_auc": _auc_spec(
            "Area under the ROC curve, holdout, equal size",
            "The same area for equally many people the generator never saw.",
        ),
        "gap": FigureSpec.difference(
            "Closeness beyond chance",
            "By how much published records are easier to tell from people the generator never saw "
            "than from the people behind the release.",
        ),
    },
    needs=(Need.COLUMNS,),
    references=(
        "Qian et al. 2023, arXiv 2301.07573 (Synthcity)",
        "Trudslev et al. 2025, arXiv 2507.11324 (review; risk corrected to 2·(1 − AUC))",
    ),
    limits=(
        INFORM_ONLY,
        "Measures fidelity: fresh records of the population have risk 1 as well.",
        "One kind of network with fixed settings; the digits depend on scikit-learn's version.",
        "Names and order of columns and levels decide the network's first weights.",
        "Above a stated number of rows it sees a sample only, and misses copies outside it.",
    ),
)


@metric(CARD, params=DetectionMlpParams)
def detection_mlp(inputs: Inputs, params: DetectionMlpParams, rng: Generator) -> Measured:
    """Return how well a network tells synthetic from train rows, with holdout rows beside."""
    space = inputs.neighbours().space
    n, m = len(space.train), len(space.synthetic)
    if min(n, m) < 2 or n + m < FEWEST_ROWS:
        raise NotAssessable(f"a network needs 2 rows of each table and {FEWEST_ROWS} together")
    seed = derived_int(rng)
    encoder = DenseEncoder.fitted(space)
    real, synthetic = encoder.matrix(space.real), encoder.matrix(space.synthetic)
    kinds = space.real.joined(space.synthetic).ranks()
    lots = rng.spawn(1)[0].permutation(kinds.max() + 1)[kinds]
    of_real, of_synthetic = np.split(lots, [len(real)])
    records = synthetic[sampled_alike(np.arange(m), params.most_rows, of_synthetic)]

    def detected(members: NDArray[np.bool_]) -> tuple[Detection, Estimate]:
        people = real[sampled_alike(np.flatnonzero(members), params.most_rows, of_real)]
        folds = min(params.folds, len(people), len(records))
        found = detect(people, records, folds=folds, epochs=params.epochs, seed=seed)
        rows = len(people) + len(records)
        return found, fold_mean(found.aucs, level=inputs.confidence, n=rows)

    found, auc = detected(inputs.neighbours().train)
    risk = _turned(auc, lambda value: min(1.0, max(0.0, 2 * (1 - value))))
    return Measured(
        figures={
            "auc": auc,
            "risk": risk,
            "copy_signal": _turned(auc, lambda value: max(0.0, 1 - 2 * value)),
            **_against_holdout(inputs, lambda members: detected(members)[1], auc, rng),
        },
        raw=auc.value,
        risk=risk.value,
        diagnostics={
            "fold AUCs": list(found.aucs),
            "folds that ran out of epochs": found.unfinished,
            "features": real.shape[1],
            "network": network_settings(),
        },
        notes=(
            *unseen_columns(space),
            *sample_notes({"train": n, "synthetic": m}, params.most_rows),
        ),
    )


def _turned(auc: Estimate, figure: Callable[[float], float]) -> Estimate:
    """Return a figure that falls as the AUC grows, with its interval."""
    if auc.value is None or auc.low is None or auc.high is None:
        return auc
    return Estimate(
        value=figure(auc.value),
        low=figure(auc.high),
        high=figure(auc.low),
        level=auc.level,
        method=auc.method,
        n=auc.n,
    )


def _against_holdout(
    inputs: Inputs,
    area: Callable[[NDArray[np.bool_]], Estimate],
    whole: Estimate,
    rng: Generator,
) -> dict[str, Estimate]:
    """Return the AUCs of equally many people of both kinds; train's is known if all take part."""
    neighbours = inputs.neighbours()
    names = ("train_auc", "holdout_auc", "gap")
    masks = neighbours.balanced(rng)
    if masks is None:
        return dict.fromkeys(names, unknown(NO_HOLDOUT))
    size = int(masks[0].sum())
    if size < 2 or size + len(neighbours.space.synthetic) < FEWEST_ROWS:
        return dict.fromkeys(names, unknown("too few rows on each side of the comparison"))
    train = whole if size == neighbours.train.sum() else area(masks[0])
    holdout = area(masks[1])
    return dict(
        zip(names, (train, holdout, difference(holdout, train, method="MOVER")), strict=True)
    )
