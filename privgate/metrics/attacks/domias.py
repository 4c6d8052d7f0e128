"""DOMIAS ranks people by how much denser the release is around them than the population.

An attacker holds the release and a sample of the population: here one half of the holdout, the
reference. For a person with record x they compare the density of published records at x with that
of the reference, s(x) = ln p_S(x) - ln p_R(x). A generator that over-fits raises p_S around its own
people, also where people are common, so s ranks them above others. Train rows are therefore
compared with the other half of the holdout, which has played no part.

`kernel`: both densities are means of Gaussian kernels of one width on the principal components of
the encoded reference, not rescaled. The width is a multiple of Scott's rule s · n^(-1/(d + 4)), s²
being the mean variance of the d components and n the size of the reference. `classifier`: s is the
log odds that a learner taught to tell published from reference rows answers (LightGBM, 100 trees).

A record that is published value for value and is not in the reference ranks above all others: there
the density of the release has no bound, and smoothing must not hide a copy.

AUC is the chance that a person behind the release ranks above another one, ties counting half; the
risk is max(0, 2 · AUC - 1). The advantage is TPR - FPR of an attacker who knows the share π of
members among those they ask about (`member_share`) and calls the best share π members.

Worked example: members with s = (3, 2, 1) and others with s = (2, 0) give AUC 0.75 and risk 0.5.
With π = 0.5 the first member and 4/5 of the tied pair are called: TPR 0.6, FPR 0.4, advantage 0.2.
Where a quarter of the others may be called, half of the members are found.

The review has no such attack. Its membership inference risk never looks at people outside the
release, and a mean over all people hides the few who are certain, hence the recall at 1 % and 0.1 %
of false alarms beside the area.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

import numpy as np
from pydantic import Field

from privgate.data import row_ids
from privgate.encoding import DenseEncoder, Projection
from privgate.errors import NotAssessable
from privgate.evidence import (
    Card,
    Chart,
    Criterion,
    Family,
    FigureKind,
    FigurePart,
    FigureSpec,
    Need,
    SafeSide,
    Series,
    ThreatModel,
)
from privgate.executors import Threads
from privgate.learners import fit_separation, separation_settings
from privgate.metrics.comparison import NO_HOLDOUT
from privgate.metrics.contract import Measured, Records, metric
from privgate.metrics.subgroups import GroupedParams, group_figures, worst_group
from privgate.stats.density import log_density, scott_bandwidth
from privgate.stats.intervals import newcombe
from privgate.stats.ranking import auc, called, placements, recall_at, recall_estimate
from privgate.stats.rng import derived_int

if TYPE_CHECKING:
    from numpy.random import Generator
    from numpy.typing import NDArray

    from privgate.data import Release
    from privgate.encoding import EuclideanRows
    from privgate.evidence import Estimate, JsonValue
    from privgate.executors import Executor
    from privgate.metrics.inputs import Inputs

LEAST_KNOWN = 40  # published rows, and rows of the reference
LEAST_ASKED = 10
FALSE_ALARMS = (0.01, 0.02, 0.05, *(step / 10 for step in range(1, 11)))


class Density(StrEnum):
    """How two densities are compared."""

    KERNEL = "kernel"
    CLASSIFIER = "classifier"


class DomiasParams(GroupedParams):
    """Parameters of DOMIAS."""

    density: Density = Field(
        default=Density.KERNEL, description="How the density of the release is compared."
    )
    dimensions: int = Field(
        default=40,
        ge=1,
        le=200,
        description="Principal components that the kernel method uses, and those that vary as "
        "much as the last of them.",
    )
    bandwidth: float = Field(
        default=0.5, ge=0.01, le=10, description="Kernel width as a multiple of Scott's rule."
    )
    member_share: float = Field(
        default=0.5,
        gt=0,
        lt=1,
        description="Share of members among the people the attacker asks about; only the advantage "
        "and groups depend on it.",
    )
    most_rows: int = Field(
        default=20_000,
        ge=1000,
        le=1_000_000,
        description="Most rows of train, synthetic, reference and test part that take part; "
        "of a larger table as many are drawn by the seed.",
    )


def _recall(title: str, rate: str) -> FigureSpec:
    return FigureSpec.share(
        title,
        "Share of the people behind the release who are recognised by an attacker who raises a "
        f"false alarm for {rate} of others; an honest release has as many.",
    )


CARD = Card(
    name="domias",
    version=1,
    title="DOMIAS: membership by density ratio",
    question="Is the release denser around the people behind it than the population explains?",
    family=Family.ATTACK,
    threat_model=ThreatModel(
        attacker="anyone who obtains the release and a sample of the population",
        knows="the release, a sample of the population, and the record of a person",
        wants="to know whether that person was among the people behind the release",
    ),
    criteria=(Criterion.MEMBERSHIP,),
    formula="s(x) = ln p_S(x) − ln p_R(x); AUC = P(s(train) > s(test)) + ½ P(equal); "
    "risk = max(0, 2·AUC − 1); advantage = TPR − FPR when the best share π is called",
    headline="auc",
    figures={
        "auc": FigureSpec(
            title="Area under the curve",
            meaning="Chance that a person behind the release is ranked above one the generator "
            "never saw; one half for an honest release.",
            safe_side=SafeSide.LOW,
            kind=FigureKind.SCORE,
            minimum=0,
            maximum=1,
            has_interval=True,
            satisfies=(Criterion.MEMBERSHIP,),
        ),
        "advantage": FigureSpec.difference(
            "Membership advantage",
            "By how much more often people behind the release are called members than people the "
            "generator never saw.",
            part=FigurePart.EXCESS,
        ),
        "tpr_at_1": _recall("Recognised at 1 % of false alarms", "1 %"),
        "tpr_at_01": _recall("Recognised at 0.1 % of false alarms", "0.1 %"),
        **group_figures(Criterion.MEMBERSHIP),
    },
    needs=(Need.COLUMNS, Need.HOLDOUT),
    references=(
        "van Breugel et al. 2023, arXiv 2302.12580",
        "Scott 2015, doi 10.1002/9781118575574 (kernel width)",
        "Carlini et al. 2022, arXiv 2112.03570 (recall at few false alarms)",
    ),
    limits=(
        "One attacker: a low figure is no proof that no attack works.",
        "A reference from another time or place than train moves every figure.",
        "Advantage and groups hold where the stated share of the people asked about are members.",
        "If a release was made from a small fraction of a population, few of those called are in.",
        "If it was made from nearly everyone, membership is no secret to begin with.",
        "Kernels see only what the stated number of principal components keeps.",
        "Rare levels of a column with more than 64 levels count as one.",
        "The intervals cover the choice of people, not that of the reference or of the synthesis.",
        "Recall at 0.1 % needs 2,000 holdout rows and rests on the one or two others ranked first.",
    ),
)


@dataclass(frozen=True)
class _Draw:
    """Which rows take part; reference and tested are two parts of the holdout."""

    train: NDArray[np.int64]
    synthetic: NDArray[np.int64]
    reference: NDArray[np.int64]
    tested: NDArray[np.int64]


@dataclass(frozen=True)
class _Scores:
    """Log density ratios of members and others, and which of them are copies."""

    ratio: tuple[NDArray[np.float64], NDArray[np.float64]]
    copied: tuple[NDArray[np.bool_], NDArray[np.bool_]]
    how: dict[str, JsonValue]

    @property
    def ranked(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the scores, copies above all others."""
        members, others = (
            np.where(copied, np.inf, ratio)
            for copied, ratio in zip(self.copied, self.ratio, strict=True)
        )
        return members, others


@metric(CARD, params=DomiasParams)
def domias(inputs: Inputs, params: DomiasParams, rng: Generator) -> Measured:
    """Return how well the density ratio tells people behind the release from others."""
    space = inputs.neighbours().space
    if space.holdout is None:
        raise NotAssessable(NO_HOLDOUT)
    draw = _drawn(len(space.train), len(space.synthetic), len(space.holdout), params, rng)
    scores = _scored(inputs, space.holdout, draw, params, rng)
    members, others = scores.ranked
    hits, alarms = called(members, others, share=params.member_share)
    success = _spread(inputs.release, draw, (hits, alarms))
    grouped, counted = worst_group(inputs, params, *success)
    figures = _figures(members, others, inputs.confidence)
    area = float(figures["auc"].value or 0)
    return Measured(
        figures={
            **figures,
            "advantage": newcombe(
                float(hits.sum()),
                len(hits),
                float(alarms.sum()),
                len(alarms),
                level=inputs.confidence,
            ),
            **grouped,
        },
        raw=area,
        risk=max(0.0, 2 * area - 1),
        charts=(_chart(members, others),),
        diagnostics={
            "rows of the reference": len(draw.reference),
            "rows of the test part": len(draw.tested),
            "share of train rows that rank first as copies": float(scores.copied[0].mean()),
            "precision at the member share": float(hits.mean()),
            **scores.how,
            **counted,
        },
        notes=_notes(inputs.release, draw),
        records=_records(inputs.release, draw, scores),
    )


def _drawn(train: int, synthetic: int, holdout: int, params: DomiasParams, rng: Generator) -> _Draw:
    most, half = params.most_rows, holdout // 2
    shuffled = rng.permutation(holdout)
    draw = _Draw(
        train=rng.permutation(train)[:most],
        synthetic=rng.permutation(synthetic)[:most],
        reference=shuffled[:half][:most],
        tested=shuffled[half:][:most],
    )
    if min(len(draw.reference), synthetic) < LEAST_KNOWN:
        raise NotAssessable(
            f"{synthetic} synthetic rows and {half} rows of reference, half of the holdout, are "
            f"too few for densities; {LEAST_KNOWN} of each are needed"
        )
    if train < LEAST_ASKED:
        raise NotAssessable(f"the attack needs {LEAST_ASKED} train rows to ask about")
    return draw


def _scored(
    inputs: Inputs, holdout: EuclideanRows, draw: _Draw, params: DomiasParams, rng: Generator
) -> _Scores:
    space, ids = inputs.neighbours().space, row_ids(inputs.release)
    asked = np.concatenate([ids["train"][draw.train], ids["holdout"][draw.tested]])
    # Equal rows are scored once: rounding must not rank one above its twin.
    distinct, first, back = np.unique(asked, return_index=True, return_inverse=True)
    rows = space.train.take(draw.train).joined(holdout.take(draw.tested)).take(first)
    encoder = DenseEncoder.fitted(space)
    matrices = (
        encoder.matrix(rows),
        encoder.matrix(space.synthetic.take(draw.synthetic)),
        encoder.matrix(holdout.take(draw.reference)),
    )
    if params.density is Density.KERNEL:
        ratio, how = _kernel_ratio(*matrices, params, executor=Threads(inputs.jobs))
    else:
        ratio, how = _learned_ratio(*matrices, derived_int(rng))
    copied = np.isin(distinct, ids["synthetic"])
    copied &= ~np.isin(distinct, ids["holdout"][draw.reference])
    split = len(draw.train)
    every, copies = ratio[back], copied[back]
    return _Scores((every[:split], every[split:]), (copies[:split], copies[split:]), how)


def _kernel_ratio(
    asked: NDArray[np.float64],
    published: NDArray[np.float64],
    reference: NDArray[np.float64],
    params: DomiasParams,
    *,
    executor: Executor,
) -> tuple[NDArray[np.float64], dict[str, JsonValue]]:
    """Return ln p_S - ln p_R of kernel densities.

    The reference decides about the directions and the width: it is the attacker's own, and the
    release can bend neither.
    """
    projection = Projection.fitted(reference, params.dimensions)
    known = projection.coordinates(reference)
    width = params.bandwidth * scott_bandwidth(known)
    points = projection.coordinates(asked)
    released = projection.coordinates(published)
    ratio = log_density(points, released, bandwidth=width, executor=executor)
    ratio -= log_density(points, known, bandwidth=width, executor=executor)
    kept = float(known.var(axis=0).sum() / reference.var(axis=0).sum())
    return ratio, {
        "dimensions": known.shape[1],
        "share of the variance in them": kept,
        "kernel width": width,
    }


def _learned_ratio(
    asked: NDArray[np.float64],
    published: NDArray[np.float64],
    reference: NDArray[np.float64],
    seed: int,
) -> tuple[NDArray[np.float64], dict[str, JsonValue]]:
    chance = fit_separation(published, reference, seed=seed)(asked)
    chance = np.clip(chance, 1e-15, 1 - 1e-15)
    return np.log(chance) - np.log1p(-chance), {"learner": separation_settings()}


def _figures(
    members: NDArray[np.float64], others: NDArray[np.float64], level: float
) -> dict[str, Estimate]:
    return {
        "auc": auc(*placements(members, others), level=level),
        "tpr_at_1": recall_estimate(members, others, false_alarms=0.01, level=level),
        "tpr_at_01": recall_estimate(members, others, false_alarms=0.001, level=level),
    }


def _spread(
    release: Release, draw: _Draw, found: tuple[NDArray[np.float64], NDArray[np.float64]]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return values of the rows that took part at their places in the tables, NaN elsewhere."""
    train = np.full(release.train.rows, np.nan)
    holdout = np.full(release.tables["holdout"].rows, np.nan)
    train[draw.train], holdout[draw.tested] = found
    return train, holdout


def _notes(release: Release, draw: _Draw) -> tuple[str, ...]:
    train, synthetic = release.train.rows, release.synthetic.rows
    if (len(draw.train), len(draw.synthetic)) == (train, synthetic):
        return ()
    took_part = (
        f"{len(draw.train)} of {train} train rows and {len(draw.synthetic)} of {synthetic} "
        "synthetic rows, drawn by the seed, took part."
    )
    return (took_part,)


def _records(release: Release, draw: _Draw, scores: _Scores) -> tuple[Records, ...]:
    train, holdout = _spread(release, draw, scores.ratio)
    return (
        Records(table="train", scores={"log_density_ratio": train}),
        Records(table="holdout", scores={"log_density_ratio": holdout}),
    )


def _chart(members: NDArray[np.float64], others: NDArray[np.float64]) -> Chart:
    found = tuple(recall_at(members, others, false_alarms=rate) for rate in FALSE_ALARMS)
    return Chart(
        kind="curve",
        title="People recognised by rate of false alarms",
        x_label="share of people the generator never saw who are called members",
        y_label="share of the people behind the release who are called members",
        x=FALSE_ALARMS,
        series=(
            Series(name="this release", y=found, n=len(members)),
            Series(name="throwing a coin", y=FALSE_ALARMS),
        ),
        caption="Where the release gives nobody away the line follows that of a coin; a line above "
        "it at the left shows people who are recognised with few false alarms.",
    )
