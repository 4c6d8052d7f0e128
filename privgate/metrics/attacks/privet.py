"""PRIVET asks whether published records are closer to the people behind them than chance allows.

An attacker suspects that a published record was made from a person they know. Distances to the
nearest real record follow an extreme value law, fitted to the leave-one-out distances within train.
Each synthetic record s gets the probability that, for its rank, a record lies as close to train as
it does, and the same against the holdout; the difference of the base-10 logarithms is its privacy
score Δπ_s. PL = mean Δπ_s, and NPL counts the records with Δπ_s ≤ tau.

NPL is not 0 for honest releases, because the law is estimated. What makes it certifiable is a
label permutation test: if nothing specific to train was learned, train and holdout are
exchangeable, so relabelling the pooled real rows gives the law of PL and NPL without a leak.

Worked example: Weibull a = -10, shape 5, u = (2, 5, 6, 8, 3) to train, v = (7, 6.5, 7.5, 6, 8.5) to
the holdout give PL -1.5434 and NPL(-1) = 4.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np
from pydantic import Field, model_validator

from privgate.errors import NotAssessable
from privgate.evidence import (
    Card,
    Criterion,
    Family,
    FigureKind,
    FigureSpec,
    Need,
    SafeSide,
    ThreatModel,
    unknown,
)
from privgate.executors import SERIAL, Executor
from privgate.metrics.contract import Measured, metric
from privgate.metrics.distances import DistanceParams
from privgate.metrics.leak_charts import fit_chart, score_chart
from privgate.metrics.leak_figures import (
    CALIBRATED,
    calibrated_figures,
    exact_figures,
    leak_diagnostics,
    modelled_figures,
    why_uncalibrated,
    worst_group_figure,
)
from privgate.metrics.leak_model import LeakModel, finding
from privgate.metrics.leak_records import leak_records
from privgate.metrics.relabelling import relabelled
from privgate.metrics.subgroups import GroupedParams
from privgate.metrics.synthetic_groups import synthetic_groups
from privgate.stats.extremes import FitMode

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.random import Generator
    from numpy.typing import NDArray

    from privgate.data import Release
    from privgate.evidence import Chart
    from privgate.metrics.inputs import Inputs
    from privgate.metrics.leak_model import Finding, Labelled
    from privgate.metrics.synthetic_groups import SyntheticGroups
    from privgate.neighbors import Neighbours

FEW_DISTANCES = 20
SHARE_FITTED = 0.2


class PrivetParams(GroupedParams, DistanceParams):
    """Parameters of PRIVET."""

    tau: float = Field(
        default=-3.0, ge=-100, lt=0, description="A record leaks when its score is at most tau."
    )
    fit: FitMode = Field(
        default=FitMode.CENSORED_MLE,
        description="How the law of distances is fitted: likelihood of the smallest distances, the "
        "others known to be larger (censored_mle); the published least squares on the same tail "
        "(ols_tail); or likelihood of all distances (full_mle), for comparison only.",
    )
    quantile: float | None = Field(
        default=None,
        gt=0.02,
        lt=1,
        description="Share of the smallest distances that is fitted, 0.2 if not given; full_mle "
        "fits them all and takes none.",
    )
    rescale: Literal["hazard", "none"] = Field(
        default="hazard",
        description="Whether the law is carried over to the sizes of train and holdout.",
    )
    permutations: int = Field(
        default=199,
        ge=0,
        le=9999,
        description="Random relabellings of train and holdout; 0 leaves out everything calibrated.",
    )
    compat_code: bool = Field(
        default=False,
        description="Whether decimated ranks are one too high, as in the authors' code; only to "
        "reproduce its figures.",
    )
    groups: tuple[str, ...] = Field(
        default=(),
        description="Grouping columns with levels, or 'outliers' for the synthetic records whose "
        "nearest real row is among the 1 % farthest from all others; the worst group becomes a "
        "figure.",
    )
    min_group: int = Field(
        default=50, ge=11, description="Least number of synthetic records in a group."
    )

    @model_validator(mode="after")
    def _quantile_agrees_with_fit(self) -> Self:
        if self.fit is FitMode.FULL_MLE and self.quantile is not None:
            raise ValueError(
                f"full_mle fits all distances, not the share {self.quantile:g}: leave out "
                "quantile, or choose another fit"
            )
        return self

    @property
    def share_fitted(self) -> float:
        """Return the share of the smallest distances that is fitted."""
        return 1.0 if self.fit is FitMode.FULL_MLE else self.quantile or SHARE_FITTED


_TEST = (
    "Chance that an honest release would look at least as suspicious, found by relabelling train "
    "and holdout at random."
)

CARD = Card(
    name="privet",
    version=1,
    title="PRIVET: privacy leaks by extreme value theory",
    question="Are published records closer to the people behind the release than chance allows?",
    family=Family.ATTACK,
    threat_model=ThreatModel(
        attacker="anyone who obtains the release and knows some real records",
        knows="the release and complete real records, not which of them were used",
        wants="to tell whose records were used, and which published record was made from whom",
    ),
    criteria=(Criterion.SINGLING_OUT, Criterion.MEMBERSHIP),
    formula="Δπₛ = log₁₀ P(≥ r of M distances < uₛ) − log₁₀ P(≥ r′ of M distances < vₛ); "
    "PL = mean Δπₛ; NPL = #{Δπₛ ≤ τ}; p = (1 + #{permuted at least as extreme})/(B + 1)",
    headline="p_pl",
    figures={
        "p_pl": FigureSpec.p_value(
            "Chance of this much closeness in an honest release (p)",
            _TEST,
            satisfies=(Criterion.MEMBERSHIP,),
        ),
        "p_npl": FigureSpec.p_value("Chance of this many leaks in an honest release (p)", _TEST),
        "p_exact": FigureSpec.p_value(
            "Chance of this many exact matches in an honest release (p)", _TEST
        ),
        "p_worst_group": FigureSpec.p_value(
            "Chance of this much closeness in the worst group of an honest release (p)",
            "Chance that in an honest release the worst group of records would look at least as "
            "suspicious, found by relabelling train and holdout at random.",
        ),
        "npl": FigureSpec.count(
            "Privacy leaks, as published (NPL)",
            "Number of published records whose score is at most tau. Not 0 for honest releases.",
        ),
        "npl_excess": FigureSpec.count(
            "Privacy leaks beyond chance",
            "By how many the leaks exceed what 95 % of random relabellings produce.",
        ),
        "npl_excess_share": FigureSpec.share(
            "Privacy leaks beyond chance, share",
            "The same as a share of all published records.",
            exact=True,
        ),
        "npl_decimated": FigureSpec.count(
            "Privacy leaks, decimated ranks",
            "Number of published records that are too close to a person behind the release after "
            "correcting ranks for other leaks; names verbatim copies.",
        ),
        "npl_point": FigureSpec.count(
            "Privacy leaks, point score",
            "Number of published records far more likely near train than near the holdout, "
            "whatever their rank.",
        ),
        "n_leaks": FigureSpec(
            title="Leaks by counting, all ranks",
            meaning="How many more records the law expects within the farthest distance to the "
            "holdout than within the farthest to train. Copies are among the nearest and do not "
            "move it.",
            safe_side=SafeSide.LOW,
            kind=FigureKind.COUNT,
        ),
        "n_leaks_tail": FigureSpec.count(
            "Leaks by counting, fitted range",
            "The same at that rank within the fitted range where it is greatest: about how many "
            "records leak, at most the fitted share of all. Not 0 for honest releases.",
        ),
        "exact_matches": FigureSpec.count(
            "Published records equal to a train row",
            "Number of published records at distance 0 from a person behind the release.",
        ),
        "exact_matches_excess": FigureSpec.count(
            "Exact matches beyond the holdout's",
            "By how many they exceed the matches with holdout rows, per row.",
        ),
        "pl": FigureSpec.score(
            "Privacy loss (PL)",
            "Mean score of the published records; about 0 for an honest release, low when it "
            "leaks.",
            safe_side=SafeSide.HIGH,
        ),
    },
    needs=(Need.HOLDOUT,),
    references=(
        "Szatkownik et al. 2025, arXiv 2510.24233",
        "Permutation test, hazard rescaling, censored fit, hurdle at 0: derived by privgate",
    ),
    limits=(
        "Assumes a holdout drawn at random from the population of train.",
        "A holdout from another time or place makes an honest release look suspicious.",
        "The published count is not 0 for honest releases and grows with the size of the release.",
        "Decimated ranks are blind to near copies.",
        (
            "Once two train rows are identical, decimated and point score accuse nobody, so their "
            "counts are not stated, and p_pl sees copies less; p_exact sees them as before."
        ),
        (
            "Not applicable when more than 5 % of train rows have an identical twin, or when fewer "
            "than 10 distinct distances can be fitted, as below some 100 train rows; exact matches "
            "are tested even then."
        ),
        (
            "With compat_code decimated ranks are one too high, as in the authors' code: records "
            "are named that the formula does not name. Only for reproduction."
        ),
    ),
)


@metric(CARD, params=PrivetParams)
def privet(inputs: Inputs, params: PrivetParams, rng: Generator) -> Measured:
    """Return leak counts, privacy loss and their permutation p-values."""
    neighbours = inputs.neighbours(params.distance)
    return measure_privet(neighbours, params, rng, executor=inputs.executor, release=inputs.release)


def measure_privet(
    neighbours: Neighbours[Any],
    params: PrivetParams,
    rng: Generator,
    *,
    executor: Executor = SERIAL,
    release: Release | None = None,
) -> Measured:
    """Return PRIVET for rows of any space, 0/1 matrices included.

    ``release`` is where the rows come from, if they are those of one: it says which columns can
    make groups, and where the rows are in their files.

    Raises
    ------
    NotAssessable
        If there is no holdout, or fewer than two train rows, or a grouping column makes no groups.
    """
    labels = neighbours.train
    if labels.all() or labels.sum() < 2:
        raise NotAssessable("PRIVET needs a holdout and at least 2 train rows")
    groups = synthetic_groups(
        params.groups, least=params.min_group, neighbours=neighbours, release=release
    )
    model = LeakModel(
        neighbours=neighbours,
        fit=params.fit,
        quantile=params.share_fitted,
        rescaled=params.rescale == "hazard",
        late_rank=params.compat_code,
    )
    observed = model.observed()
    drawn = relabelled(
        partial(_relabelled, model, params, groups),
        labels,
        permutations=params.permutations,
        rng=rng,
        executor=executor,
    )
    null = [one for _, one in drawn if one is not None]
    own = _summary(observed, params, groups)[1]
    missing = why_uncalibrated(observed, drawn)
    return Measured(
        figures=exact_figures(observed, [exact for exact, _ in drawn])
        | modelled_figures(observed, tau=params.tau, share=params.share_fitted)
        | (
            dict.fromkeys(CALIBRATED, unknown(missing))
            if own is None or missing
            else calibrated_figures(own, null, size=len(neighbours.space.synthetic))
        )
        | {"p_worst_group": worst_group_figure(own, null, groups, missing=missing)},
        raw=None if own is None else own.loss,
        charts=_charts(observed, own, null, params),
        diagnostics=leak_diagnostics(observed, own, null, groups),
        notes=_notes(neighbours, observed, params),
        records=(leak_records(observed, params.tau, positions=_positions(neighbours, release)),),
    )


def _relabelled(
    model: LeakModel, params: PrivetParams, groups: SyntheticGroups, train: NDArray[np.bool_]
) -> tuple[int, Finding | None]:
    return _summary(model.relabelled(train), params, groups)


def _summary(
    found: Labelled, params: PrivetParams, groups: SyntheticGroups
) -> tuple[int, Finding | None]:
    scores = found.scores
    own = (
        None
        if scores is None
        else finding(scores, tau=params.tau, share=params.share_fitted, groups=groups.members)
    )
    return found.exact, own


def _positions(
    neighbours: Neighbours[Any], release: Release | None
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return where the train and holdout rows are in their files, counted from 1."""
    if release is None or release.holdout is None:
        counts = int(neighbours.train.sum()), int(neighbours.holdout.sum())
        return np.arange(1, counts[0] + 1), np.arange(1, counts[1] + 1)
    return release.train.positions, release.holdout.positions


def _charts(
    observed: Labelled, own: Finding | None, null: Sequence[Finding], params: PrivetParams
) -> tuple[Chart, ...]:
    if own is None or observed.fit is None:
        return ()
    size = len(observed.train.distance)
    return (
        score_chart(own, null, records=size),
        *fit_chart(observed.fit, observed.between, share=params.share_fitted),
    )


def _notes(
    neighbours: Neighbours[Any], observed: Labelled, params: PrivetParams
) -> tuple[str, ...]:
    n, other = int(neighbours.train.sum()), int(neighbours.holdout.sum())
    m = len(neighbours.space.synthetic)
    fit, scores = observed.fit, observed.scores
    notes = []
    if m > n:
        notes.append(
            f"The release has more rows ({m}) than train ({n}): the published count of leaks "
            "rises with its size; judge the permutation test instead."
        )
    if fit is None or scores is None:
        return (*notes, observed.reason + "; only exact matches were tested.")
    if fit.used < FEW_DISTANCES:
        notes.append(f"Fewer than {FEW_DISTANCES} distances were fitted; the scores are rough.")
    if scores.loss > 0.5 and n != other:
        notes.append(
            f"PL is {scores.loss:.2f} although 0 is expected: the law may not carry over from "
            f"{n} train to {other} holdout rows, and leaks may be understated; judge the "
            "permutation test instead."
        )
    if params.compat_code:
        notes.append("Decimated ranks are one too high, as in the authors' code.")
    return tuple(notes)
