"""FLD asks whether the release, as a density, makes its own people likelier than fresh ones.

The release is turned into a density: a Gaussian around each published record, whose width is fitted
to make *train* most likely. Where the generator memorised a person the width collapses around the
copy, and train becomes likelier than people the generator never saw.

nll(A) = -(mean log density of A)/d, gap = 100·(nll(T) - nll(E)), negative when train T is likelier
than the holdout E. That is the sign of the authors' code; the words "test score minus train score",
used by others, would turn it. FLD = 100·(nll(E) - baseline), the baseline being nll(E) under the
same construction from train alone: half of it gives the centres, the other half the widths.

Coordinates are those of the encoded space, standardised by mean and standard deviation of the
holdout; such that do not vary there are dropped. The widths are fitted by about 50 steps of
L-BFGS, where the authors take 50 of Adam; during the fit only, one more Gaussian at the mean of
train keeps likelihoods finite.

Each published record's memorisation score is the greatest log density, per coordinate, that its own
Gaussian gives to a train row; each train row's is the greatest that it gets from one Gaussian. Both
are kept with the records only.

The widths are fitted to train, so the gap of an honest release is not 0: on 1,000 normal rows it
was -25 with 2 coordinates, -3 with 10 and about 0 with 30. It informs and never certifies.

Worked example: centres (0, 2) with variances (1, 1/4) give ln density -1.6114 and -.8535 at
T = {0, 2}, -1.7431 and -2.8787 at E = {1, 3}: gap -107.8471722868531.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from pydantic import Field

from privgate.encoding import coordinates_of
from privgate.errors import NotAssessable
from privgate.evidence import (
    INFORM_ONLY,
    Card,
    Estimate,
    Family,
    FigureSpec,
    Need,
    SafeSide,
    ThreatModel,
)
from privgate.executors import Threads
from privgate.metrics.contract import Measured, Params, Records, metric
from privgate.metrics.distances import unseen_columns
from privgate.metrics.sampling import sample_notes, sampled
from privgate.stats.mixture import fitted_mixture, generalisation_gap

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.random import Generator
    from numpy.typing import NDArray

    from privgate.metrics.inputs import Inputs
    from privgate.stats.mixture import Mixture

FEWEST_ROWS = 4
CONSTANT = 1e-9  # a spread below this share of the largest value is rounding

FARTHEST = 1e100  # squares of more, times a precision, leave the range of floats
BEYOND_DOUBT = -1000
MEMORISED = "The gap is below -1000: published records (nearly) coincide with train rows."


class FldParams(Params):
    """Parameters of the feature likelihood divergence."""

    most_rows: int = Field(
        default=2500,
        ge=100,
        le=20_000,
        description="Most rows of each table that take part in the fit; of a larger one as many "
        "are drawn by the seed.",
    )


CARD = Card(
    name="fld",
    version=1,
    title="Generalisation gap of the feature likelihood divergence",
    question="Does the release, as a density, make its own people likelier than other people?",
    family=Family.SCREEN,
    threat_model=ThreatModel(
        attacker="anyone who obtains the release",
        knows="the release and some real records",
        wants="to notice that a generator reproduces the people it was made from",
    ),
    criteria=(),
    formula="gap = 100·(nll(T) − nll(E)), nll(A) = −mean ln((1/M) Σⱼ N(a; sⱼ, vⱼI))/d, vⱼ fitted "
    "to T; FLD = 100·(nll(E) − nll(E) of half of T fitted to the other half)",
    headline="gap",
    figures={
        "gap": FigureSpec.score(
            "Generalisation gap",
            "How much less likely the people behind the release are than people the generator "
            "never saw, in hundredths of a nat per coordinate; negative when it over-fits.",
            safe_side=SafeSide.HIGH,
        ),
        "fld": FigureSpec.score(
            "Feature likelihood divergence (FLD)",
            "How much worse the release describes people the generator never saw than train "
            "itself does; about 0 when as well, far above when it misses them or holds copies.",
            safe_side=SafeSide.LOW,
        ),
    },
    needs=(Need.HOLDOUT,),
    references=(
        "Jiralerspong et al. 2023, arXiv 2302.04440",
        "Szatkownik et al. 2025, arXiv 2510.24233 (as a comparator)",
        "Fit by L-BFGS in the place of Adam: derived by privgate",
    ),
    limits=(
        INFORM_ONLY,
        "Not to be certified on: its level for honest releases depends on data and coordinates.",
        "Without interval and p-value, as each relabelling would need a new fit.",
        "A gap beyond -1000 means that records are copies; most copying stays far below.",
        "The variances are where about 50 steps lead, no exact optimum.",
        "Columns of more than 64 levels keep their most frequent ones only.",
        "Of the baseline's two halves of train the seed decides; FLD depends on it a little.",
    ),
)


@metric(CARD, params=FldParams)
def fld(inputs: Inputs, params: FldParams, rng: Generator) -> Measured:
    """Return how much likelier train rows are than holdout rows under the release's mixture."""
    space = inputs.neighbours().space
    coordinates = coordinates_of(space)
    real, records = coordinates(space.real), coordinates(space.synthetic)
    people, others = np.split(real, [len(space.train)])
    if min(len(people), len(others), len(records)) < FEWEST_ROWS:
        raise NotAssessable(f"a density needs at least {FEWEST_ROWS} rows of each table")
    train, holdout, synthetic = _standardised(others, (people, others, records))
    dimensions = train.shape[1]
    sample, fresh, centres = (
        table[sampled(np.arange(len(table)), params.most_rows, rng)]
        for table in (train, holdout, synthetic)
    )
    # Blocks of milliseconds, in steps that wait for each other: sent away they would take longer.
    here = Threads(inputs.jobs)
    mixture = fitted_mixture(centres, sample, executor=here)
    likely, less = (mixture.log_density(rows, executor=here) for rows in (sample, fresh))
    baseline = _baseline(sample, rng, here).log_density(fresh, executor=here)
    gap = generalisation_gap(likely, less, dimensions)
    rows = {"train": len(train), "holdout": len(holdout), "synthetic": len(synthetic)}
    return Measured(
        figures={
            "gap": Estimate(value=gap, n=len(sample)),
            "fld": Estimate(value=generalisation_gap(less, baseline, dimensions), n=len(fresh)),
        },
        raw=gap,
        diagnostics={
            "coordinates": dimensions,
            "coordinates dropped, constant in the holdout": real.shape[1] - dimensions,
            "nll of train": -float(likely.mean()) / dimensions,
            "nll of the holdout": -float(less.mean()) / dimensions,
            "nll of the holdout, baseline": -float(baseline.mean()) / dimensions,
        },
        notes=(
            *unseen_columns(space),
            *sample_notes(rows, params.most_rows),
            *((MEMORISED,) if gap < BEYOND_DOUBT else ()),
        ),
        records=_memorised(mixture, train, len(synthetic), here),
    )


def _standardised(
    reference: NDArray[np.float64], tables: Sequence[NDArray[np.float64]]
) -> list[NDArray[np.float64]]:
    """Return tables in units of the reference's spread, without coordinates constant in it."""
    spread = reference.std(axis=0, ddof=1)
    varies = spread > CONSTANT * np.abs(reference).max(axis=0)
    if not varies.any():
        raise NotAssessable("no coordinate varies in the holdout, so it gives no scale")
    mean = reference.mean(axis=0)
    found = [(table[:, varies] - mean[varies]) / spread[varies] for table in tables]
    if not all((np.abs(table) < FARTHEST).all() for table in found):
        raise NotAssessable("some rows lie too far from the holdout for a density")
    return found


def _baseline(sample: NDArray[np.float64], rng: Generator, executor: Threads) -> Mixture:
    """Return the mixture around half of train that is fitted to the other half."""
    order = rng.permutation(len(sample))
    half = len(order) // 2
    return fitted_mixture(sample[order[:half]], sample[order[half:]], executor=executor)


def _memorised(
    mixture: Mixture, train: NDArray[np.float64], records: int, executor: Threads
) -> tuple[Records, ...]:
    """Return the memorisation scores; those of published records if all of them took part."""
    of_train, of_records = (
        scores / train.shape[1] for scores in mixture.nearest_kernels(train, executor=executor)
    )
    found = (Records(table="train", scores={"memorisation": of_train}),)
    if len(of_records) < records:
        return found
    return (*found, Records(table="synthetic", scores={"memorisation": of_records}))
