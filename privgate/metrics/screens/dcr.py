"""Distance to closest record: how near the synthetic rows lie to real ones.

An attacker who holds the release assumes that a published row lies close to the person it was made
from. For each synthetic row z_j the distance to its closest train row is
dZY(j) = min_i ‖E(z_j) - E(y_i)‖, and DCR = (1/m) Σ_j dZY(j). The risk 1/(1 + DCR) is 1 for copies.

What tells leakage from good data is the comparison with people the generator never saw: with as
many holdout as train rows, an honest synthetic row is nearer to a train row half of the time.

Worked example: Y = (0, 1, 4, 6) and Z = (0, 2.5, 9, 30) give distances 0, 1.5, 3, 24, DCR 7.125 and
risk 8/65.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from privgate.evidence import (
    Card,
    Chart,
    Criterion,
    Estimate,
    Family,
    FigureSpec,
    JsonValue,
    SafeSide,
    Series,
    ThreatModel,
    unknown,
)
from privgate.metrics.contract import Measured, Records, metric
from privgate.metrics.distances import DistanceParams, coinciding, unseen_columns
from privgate.stats.compare import less, tied
from privgate.stats.intervals import wilson

if TYPE_CHECKING:
    from numpy.random import Generator
    from numpy.typing import NDArray

    from privgate.metrics.inputs import Inputs

BINS = 30
# As far below one half as policies let honest releases be above it.
NEARER_HOLDOUT = 0.45
EXCHANGED = (
    "Published records lie nearer to the holdout than to train. Were the two tables exchanged, or "
    "did the generator see the holdout?"
)


class DcrParams(DistanceParams):
    """Parameters of the distance to closest record."""


CARD = Card(
    name="dcr",
    version=1,
    title="Distance to closest record",
    question="Do published records lie closer to the people behind the release than to others?",
    family=Family.SCREEN,
    threat_model=ThreatModel(
        attacker="anyone who obtains the release",
        knows="the release",
        wants="to take a published record for that of the real person it lies closest to",
    ),
    criteria=(Criterion.SINGLING_OUT, Criterion.LINKABILITY, Criterion.MEMBERSHIP),
    formula="DCR = (1/m) Σⱼ minᵢ d(zⱼ, yᵢ); risk = 1/(1 + DCR); share nearer to train = "
    "(1/m) Σⱼ (1[d(zⱼ, Y) < d(zⱼ, H)] + ½·1[tie]), equally many rows in Y and H",
    review_name="DCR",
    headline="share_nearer_train",
    figures={
        "share_nearer_train": FigureSpec.share(
            "Nearer to train than to holdout",
            "Share of published records that lie nearer to a person behind the release "
            "than to any of equally many other people; an honest release has about one half.",
        ),
        "mean": FigureSpec.distance(
            "Mean distance to train",
            "Mean distance from a published record to the closest person behind the release.",
        ),
        "median": FigureSpec.distance(
            "Median distance to train",
            "Median distance from a published record to the closest person behind the release.",
        ),
        "p5": FigureSpec.distance(
            "5th percentile of the distance to train",
            "Five per cent of the published records lie at least this close to a person behind "
            "the release.",
        ),
        "train_mean": FigureSpec.distance(
            "Mean distance to train, equal size",
            "Mean distance to the closest of as many train rows as there are holdout rows.",
        ),
        "holdout_mean": FigureSpec.distance(
            "Mean distance to holdout, equal size",
            "Mean distance to the closest of equally many people the generator never saw.",
        ),
        "risk": FigureSpec.score(
            "Risk 1/(1 + DCR)",
            "The mean distance on the common scale: 1 when every record is a copy.",
            safe_side=SafeSide.LOW,
            minimum=0,
            maximum=1,
        ),
        "zero_share": FigureSpec.share(
            "Published records at distance 0",
            "Share of published records that coincide with a real person's record.",
        ),
    },
    references=(
        "Guillaudeux et al. 2023, doi 10.1038/s41746-023-00771-5 (Avatar)",
        "Trudslev et al. 2025, arXiv 2507.11324 (review; transform corrected to 1/(1 + DCR))",
        "Yao et al. 2025, arXiv 2505.01524 (why this check proves nothing on its own)",
    ),
    limits=(
        "The mean cannot see a single copy among thousands.",
        "Scale and number of columns decide the value; compare with the holdout only.",
        "Releases that pass this check have been attacked successfully.",
        "The interval treats records as independent although they share their neighbours.",
    ),
)


@metric(CARD, params=DcrParams)
def dcr(inputs: Inputs, params: DcrParams, rng: Generator) -> Measured:
    """Return distances from synthetic rows to train, with equally many holdout rows beside."""
    neighbours = inputs.neighbours(params.distance)
    nearest = neighbours.synthetic_to_real.nearest(neighbours.train).distance
    back = neighbours.real_to_synthetic.distance[neighbours.train]
    mean = float(nearest.mean())
    figures = {
        "mean": Estimate(value=mean, n=len(nearest)),
        "median": Estimate(value=float(np.median(nearest)), n=len(nearest)),
        "p5": Estimate(value=float(np.quantile(nearest, 0.05)), n=len(nearest)),
        "risk": Estimate(value=1 / (1 + mean), n=len(nearest)),
        "zero_share": wilson(int((nearest == 0).sum()), len(nearest), level=inputs.confidence),
    }
    masks = neighbours.balanced(rng)
    scores = {"distance_to_train": nearest}
    charts: tuple[Chart, ...] = ()
    diagnostics: dict[str, JsonValue] = {
        "mean distance from train rows to the release": float(back.mean()),
        "smallest distance from a published record to train": float(nearest.min()),
        "columns without a coordinate": list(neighbours.space.constant),
    }
    if masks is None:
        missing = unknown("there is no holdout table")
        figures |= dict.fromkeys(("share_nearer_train", "train_mean", "holdout_mean"), missing)
    else:
        to_train, to_holdout = (
            neighbours.synthetic_to_real.nearest(mask).distance for mask in masks
        )
        ties = int(tied(to_train, to_holdout).sum())
        nearer = float(less(to_train, to_holdout).sum()) + ties / 2
        figures["share_nearer_train"] = wilson(nearer, len(nearest), level=inputs.confidence)
        figures["train_mean"] = Estimate(value=float(to_train.mean()), n=len(nearest))
        figures["holdout_mean"] = Estimate(value=float(to_holdout.mean()), n=len(nearest))
        charts = (_chart(to_train, to_holdout),)
        scores |= {"distance_to_holdout_equal_size": to_holdout}
        diagnostics |= {
            "rows of each side in the comparison": int(masks[0].sum()),
            "ties": ties,
            **_ratio(float(to_train.mean()), float(to_holdout.mean())),
        }
    return Measured(
        figures=figures,
        raw=mean,
        risk=1 / (1 + mean),
        charts=charts,
        diagnostics=diagnostics,
        notes=(*unseen_columns(neighbours.space), *_exchanged(figures["share_nearer_train"])),
        records=(Records(table="synthetic", scores=scores, named=coinciding(neighbours)),),
    )


def _exchanged(share: Estimate) -> tuple[str, ...]:
    """Return a note if the release is made of the holdout's people, by all that can be seen."""
    unlike = share.high is not None and share.high < NEARER_HOLDOUT
    return (EXCHANGED,) if unlike else ()


def _ratio(train: float, holdout: float) -> dict[str, JsonValue]:
    """Return how the mean distances at equal size compare, as a ratio and as excess of the risk."""
    own, other = 1 / (1 + train), 1 / (1 + holdout)
    return {
        "mean distance to holdout divided by that to train": holdout / train if train else None,
        "excess of the risk over the holdout": max(0.0, (own - other) / (1 - other))
        if other < 1
        else None,
    }


def _chart(to_train: NDArray[np.float64], to_holdout: NDArray[np.float64]) -> Chart:
    """Return both distance distributions on a common grid; the last bin is open."""
    end = float(f"{np.quantile(np.concatenate([to_train, to_holdout]), 0.99):.2g}") or 1.0
    edges = np.linspace(0, end, BINS + 1)

    def counts(distances: NDArray[np.float64]) -> tuple[float, ...]:
        return tuple(
            int(count) for count in np.histogram(np.minimum(distances, end), bins=edges)[0]
        )

    return Chart(
        kind="histogram",
        title="Distance from published records to the closest real record",
        x_label="distance in the encoded space",
        y_label="published records",
        x=tuple(float(edge) for edge in edges),
        series=(
            Series(name="to the closest train row", y=counts(to_train), n=len(to_train)),
            Series(name="to the closest holdout row", y=counts(to_holdout), n=len(to_holdout)),
        ),
        caption="Equally many train and holdout rows. If the release had learned nothing about its "
        "own people the two outlines would agree; a bulge of the train outline at the left is "
        "closeness that other people do not have. The last bar holds everything beyond it.",
    )
