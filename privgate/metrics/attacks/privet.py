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

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from pydantic import Field

from privgate.encoding import Distance
from privgate.errors import NotAssessable
from privgate.evidence import (
    Card,
    Chart,
    Criterion,
    Estimate,
    Family,
    FigureSpec,
    Need,
    SafeSide,
    Series,
    ThreatModel,
    unknown,
)
from privgate.metrics.contract import Measured, Params, Records, metric
from privgate.metrics.distances import OWN_DISTANCE
from privgate.metrics.relabelling import NO_PERMUTATIONS, permutation_p_value, relabelled
from privgate.stats.extremes import MIN_DISTINCT, FitMode, TailFit, TailNotFittable, fit_tail
from privgate.stats.leaks import LeakScores, leak_scores

if TYPE_CHECKING:
    from numpy.random import Generator
    from numpy.typing import NDArray

    from privgate.metrics.inputs import Inputs
    from privgate.neighbors import Neighbours

MOST_ZEROS = 0.05
GRID = np.arange(-12.0, 3.01, 0.25)


class PrivetParams(Params):
    """Parameters of PRIVET."""

    tau: float = Field(
        default=-3.0, ge=-100, lt=0, description="A record leaks when its score is at most tau."
    )
    fit: FitMode = Field(
        default=FitMode.CENSORED_MLE,
        description="How the law of distances is fitted: censored likelihood, or the published "
        "least squares on the lower tail (ols_tail).",
    )
    quantile: float = Field(
        default=0.2, gt=0.02, le=1, description="Share of the smallest distances that is fitted."
    )
    rescale: Literal["hazard", "none"] = Field(
        default="hazard",
        description="Whether the law is carried over to the sizes of train and holdout.",
    )
    distance: Distance | None = Field(default=None, description=OWN_DISTANCE)
    permutations: int = Field(
        default=199,
        ge=0,
        le=9999,
        description="Random relabellings of train and holdout; 0 leaves out everything calibrated.",
    )


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
        "Decimated ranks are blind to near copies, and to all copies once train itself has twins.",
        "Not applicable when more than 5 % of train rows have an identical twin.",
    ),
)


@dataclass(frozen=True)
class _Scored:
    """Leak scores under one labelling of the real rows, or the reason why no law fits."""

    exact: int
    fit: TailFit | None
    scores: LeakScores | None
    reason: str = ""


@metric(CARD, params=PrivetParams)
def privet(inputs: Inputs, params: PrivetParams, rng: Generator) -> Measured:
    """Return leak counts, privacy loss and their permutation p-values."""
    return measure_privet(inputs.neighbours(params.distance), params, rng, jobs=inputs.jobs)


def measure_privet(
    neighbours: Neighbours[Any], params: PrivetParams, rng: Generator, *, jobs: int = 1
) -> Measured:
    """Return PRIVET for rows of any space, 0/1 matrices included.

    Raises
    ------
    NotAssessable
        If there is no holdout or fewer than two train rows.
    """
    labels = neighbours.train
    if labels.all() or labels.sum() < 2:
        raise NotAssessable("PRIVET needs a holdout and at least 2 train rows")
    observed = _scored(neighbours, labels, params, distinct=MIN_DISTINCT, most_zeros=MOST_ZEROS)

    def scored(mask: NDArray[np.bool_]) -> _Scored:
        # Whether the law applies is settled by the observed labels; a relabelling need only be
        # computable, or data of few distinct distances could never be calibrated.
        return _scored(neighbours, mask, params, distinct=3, most_zeros=1.0)

    null = relabelled(scored, labels, permutations=params.permutations, rng=rng, jobs=jobs)
    size = len(neighbours.space.synthetic)
    exact_holdout = int((_nearest(neighbours, ~labels) == 0).sum())
    ratio = labels.sum() / (~labels).sum()
    figures = {
        "exact_matches": Estimate(value=observed.exact, n=size),
        "exact_matches_excess": Estimate(
            value=max(0, int(np.ceil(observed.exact - exact_holdout * ratio))), n=size
        ),
        "p_exact": permutation_p_value([s.exact >= observed.exact for s in null]),
        **_modelled(observed, null, params.tau, size),
    }
    return Measured(
        figures=figures,
        raw=observed.scores.loss if observed.scores else None,
        charts=_charts(observed, null),
        diagnostics=_diagnostics(observed, null, params.tau),
        notes=_notes(neighbours, observed),
        records=_records(neighbours, observed),
    )


def _nearest(neighbours: Neighbours[Any], mask: NDArray[np.bool_]) -> NDArray[np.float64]:
    return neighbours.synthetic_to_real.nearest(mask).distance


def _scored(
    neighbours: Neighbours[Any],
    labels: NDArray[np.bool_],
    params: PrivetParams,
    *,
    distinct: int,
    most_zeros: float,
) -> _Scored:
    to_train, to_holdout = _nearest(neighbours, labels), _nearest(neighbours, ~labels)
    between = neighbours.real_to_real.nearest(labels).distance[labels]
    exact = int((to_train == 0).sum())
    zeros = float((between == 0).mean())
    if zeros > most_zeros:
        return _Scored(
            exact,
            None,
            None,
            f"{zeros:.1%} of the train rows have an identical twin, more than {most_zeros:.0%}: "
            "the law of distances does not apply",
        )
    try:
        fit = fit_tail(between, mode=params.fit, quantile=params.quantile, distinct=distinct)
    except TailNotFittable as reason:
        return _Scored(exact, None, None, str(reason))
    fitted = int(labels.sum()) - 1
    factors = (
        (int(labels.sum()) / fitted, int((~labels).sum()) / fitted)
        if params.rescale == "hazard"
        else (1.0, 1.0)
    )
    scores = leak_scores(
        to_train, to_holdout, fit, train_factor=factors[0], holdout_factor=factors[1]
    )
    return _Scored(exact, fit, scores)


def _modelled(observed: _Scored, null: list[_Scored], tau: float, size: int) -> dict[str, Estimate]:
    """Return the figures that rest on the fitted law."""
    scores = observed.scores
    calibrated = ("p_pl", "p_npl", "npl_excess", "npl_excess_share")
    if scores is None:
        names = (*calibrated, "npl", "npl_decimated", "npl_point", "pl")
        return dict.fromkeys(names, unknown(observed.reason))
    npl = scores.leaks(tau)
    figures = {
        "npl": Estimate(value=npl, n=size),
        "npl_decimated": Estimate(value=scores.decimated_leaks(tau), n=size),
        "npl_point": Estimate(value=scores.point_leaks(tau), n=size),
        "pl": Estimate(value=scores.loss, n=size),
    }
    permuted = [entry.scores for entry in null if entry.scores is not None]
    if not null or len(permuted) < len(null):
        reason = (
            NO_PERMUTATIONS
            if not null
            else f"no law fits {len(null) - len(permuted)} of {len(null)} relabellings"
        )
        return figures | dict.fromkeys(calibrated, unknown(reason))
    counts = np.array([entry.leaks(tau) for entry in permuted])
    excess = max(0, npl - _upper_point(counts))
    return figures | {
        "p_npl": permutation_p_value([count >= npl for count in counts.tolist()]),
        "p_pl": permutation_p_value([entry.loss <= scores.loss for entry in permuted]),
        "npl_excess": Estimate(value=excess, n=size),
        "npl_excess_share": Estimate(value=excess / size, n=size),
    }


def _upper_point(counts: NDArray[np.int64]) -> int:
    """Return the smallest count that at least 95 % of the relabellings do not exceed."""
    return int(np.quantile(counts, 0.95, method="inverted_cdf"))


def _diagnostics(observed: _Scored, null: list[_Scored], tau: float) -> dict[str, Any]:
    fit = observed.fit
    if fit is None or observed.scores is None:
        return {"fit": None, "reason": observed.reason}
    counts = np.array([entry.scores.leaks(tau) for entry in null if entry.scores is not None])
    found: dict[str, Any] = {
        "family": str(fit.family),
        "a": fit.a,
        "shape": fit.shape,
        "share of train rows with an identical twin": fit.zero_share,
        "distances fitted": fit.used,
        "greatest misfit on the fitted range": fit.misfit,
    }
    if len(counts):
        found |= {
            "leaks expected without a leak (mean)": float(counts.mean()),
            "leaks expected without a leak (95 % point)": _upper_point(counts),
        }
    return found


def _notes(neighbours: Neighbours[Any], observed: _Scored) -> tuple[str, ...]:
    n, m = len(neighbours.space.train), len(neighbours.space.synthetic)
    notes = []
    if m > n:
        notes.append(
            f"The release has more rows ({m}) than train ({n}): the published count of leaks "
            "rises with its size; judge the permutation test instead."
        )
    if observed.fit is not None and observed.fit.used < 20:
        notes.append(f"Only {observed.fit.used} distances were fitted; the scores are rough.")
    if observed.fit is None:
        notes.append(observed.reason + "; only exact matches were tested.")
    return tuple(notes)


def _records(neighbours: Neighbours[Any], observed: _Scored) -> tuple[Records, ...]:
    labels = neighbours.train
    scores = {
        "distance_to_train": _nearest(neighbours, labels),
        "distance_to_holdout": _nearest(neighbours, ~labels),
    }
    if observed.scores is not None:
        scores |= {
            "rank_score": observed.scores.rank_score,
            "decimated_score": observed.scores.decimated,
            "point_score": observed.scores.point,
        }
    return (Records(table="synthetic", scores=scores),)


def _charts(observed: _Scored, null: list[_Scored]) -> tuple[Chart, ...]:
    permuted = [entry.scores for entry in null if entry.scores is not None]
    if observed.scores is None:
        return ()

    def below(scores: LeakScores) -> NDArray[np.float64]:
        ordered = np.sort(scores.rank_score)
        return np.searchsorted(ordered, GRID, side="right") / len(ordered)

    size = len(observed.scores.rank_score)
    series = [Series(name="this release", y=tuple(below(observed.scores).tolist()), n=size)]
    if permuted:
        shares = np.array([below(scores) for scores in permuted])
        upper = np.quantile(shares, 0.95, axis=0, method="inverted_cdf")
        series += [
            Series(name="random relabelling, mean", y=tuple(shares.mean(axis=0).tolist())),
            Series(name="random relabelling, 95 % point", y=tuple(upper.tolist())),
        ]
    return (
        Chart(
            kind="curve",
            title="Share of published records with a score at or below x",
            x_label="privacy score (base-10 logarithm; left is closer to train than chance)",
            y_label="share of published records",
            x=tuple(GRID.tolist()),
            series=tuple(series),
            caption="If the release had learned nothing about its own people, its line would run "
            "like those of random relabellings of train and holdout; a line above the 95 % point "
            "at the left shows records that lie too close to the people behind the release.",
        ),
    )
