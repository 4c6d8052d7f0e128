"""Figures made of leak scores, under the true labels and under relabellings."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from privgate.evidence import Estimate, unknown
from privgate.metrics.relabelling import NO_PERMUTATIONS, least_p_value, permutation_p_value

if TYPE_CHECKING:
    from collections.abc import Sequence

    from privgate.evidence import JsonValue
    from privgate.metrics.leak_model import Finding, Labelled
    from privgate.metrics.synthetic_groups import SyntheticGroups

RANKING = "published records with the lowest scores"
MOST_RANKED = 20
CALIBRATED = ("p_pl", "p_npl", "npl_excess", "npl_excess_share")
BLIND = (
    "train rows have identical twins, so that no record, not even a copy, can score so low; judge "
    "p_exact and exact_matches_excess"
)
MODELLED = ("npl", "npl_decimated", "npl_point", "n_leaks", "n_leaks_tail", "pl")


def why_uncalibrated(observed: Labelled, drawn: Sequence[tuple[int, Finding | None]]) -> str:
    """Return why scores cannot be compared with relabellings; empty if they can."""
    unfitted = sum(one is None for _, one in drawn)
    if observed.scores is None:
        return observed.reason
    if not drawn:
        return NO_PERMUTATIONS
    return f"no law fits {unfitted} of {len(drawn)} relabellings" if unfitted else ""


def exact_figures(observed: Labelled, null: Sequence[int]) -> dict[str, Estimate]:
    """Return the figures that rest on no law."""
    size = len(observed.train.distance)
    ratio = len(observed.between) / observed.rows_beyond
    beyond = observed.exact - int((observed.holdout.distance == 0).sum()) * ratio
    return {
        "exact_matches": Estimate(value=observed.exact, n=size),
        "exact_matches_excess": Estimate(value=max(0, int(np.ceil(beyond))), n=size),
        "p_exact": permutation_p_value([exact >= observed.exact for exact in null]),
    }


def modelled_figures(observed: Labelled, *, tau: float, share: float) -> dict[str, Estimate]:
    """Return the figures that rest on the fitted law alone."""
    scores = observed.scores
    if scores is None:
        return dict.fromkeys(MODELLED, unknown(observed.reason))
    values = {
        "npl": scores.leaks(tau),
        "npl_decimated": scores.decimated_leaks(tau),
        "npl_point": scores.point_leaks(tau),
        "n_leaks": int(scores.leaks_up_to[-1]),
        "n_leaks_tail": scores.leaks_in_tail(share),
        "pl": scores.loss,
    }
    size = len(observed.train.distance)
    figures = {name: Estimate(value=value, n=size) for name, value in values.items()}
    blind = {
        "npl_decimated": scores.least_decimated >= tau,
        "npl_point": scores.least_point > tau,
    }
    return figures | {name: unknown(BLIND) for name, is_blind in blind.items() if is_blind}


def calibrated_figures(own: Finding, null: Sequence[Finding], *, size: int) -> dict[str, Estimate]:
    """Return the figures that compare with relabellings."""
    excess = max(0, own.leaks - _upper_point([one.leaks for one in null]))
    return {
        "p_pl": permutation_p_value([one.loss <= own.loss for one in null]),
        "p_npl": permutation_p_value([one.leaks >= own.leaks for one in null]),
        "npl_excess": Estimate(value=excess, n=size),
        "npl_excess_share": Estimate(value=excess / size, n=size),
    }


def worst_group_figure(
    own: Finding | None, null: Sequence[Finding], groups: SyntheticGroups, *, missing: str
) -> Estimate:
    """Return the p-value of the group with the lowest loss, ``missing`` if scores have none."""
    if own is None or missing or groups.reason:
        return unknown(groups.reason or missing)
    return least_p_value(own.groups, np.array([one.groups for one in null]))


def _upper_point(counts: Sequence[int]) -> int:
    """Return the smallest count that at least 95 % of the relabellings do not exceed."""
    return int(np.quantile(counts, 0.95, method="inverted_cdf"))


def leak_diagnostics(
    observed: Labelled, own: Finding | None, null: Sequence[Finding], groups: SyntheticGroups
) -> dict[str, JsonValue]:
    """Return the fitted law, how well it fits, and what relabellings give."""
    fit = observed.fit
    if fit is None or own is None:
        return {"fit": None, "reason": observed.reason}
    found: dict[str, JsonValue] = {
        "family": str(fit.family),
        "a": fit.a,
        "shape": fit.shape,
        "share of train rows with an identical twin": fit.zero_share,
        "distances fitted": fit.used,
        "greatest misfit on the fitted range": fit.misfit,
        "residual mean square on the plot": fit.residual,
        "groups": len(groups.members),
        "groups with too few records, left out": groups.left_out,
    }
    for name, own_counts in (
        ("leaks", [one.leaks for one in null]),
        ("leaks by counting, fitted range,", [one.tail_leaks for one in null]),
    ):
        if own_counts:
            found[f"{name} expected without a leak (mean)"] = float(np.mean(own_counts))
            found[f"{name} expected without a leak (95 % point)"] = _upper_point(own_counts)
    return found | {RANKING: lowest_scores(observed)}


def lowest_scores(observed: Labelled) -> JsonValue:
    """Return the lowest scores in order, with their distances; which records have them is not told.

    Records are ranked and not named, so that the order of rows changes nothing.
    """
    scores, train, holdout = observed.scores, observed.train.distance, observed.holdout.distance
    if scores is None:
        return []
    order = np.lexsort((holdout, train, scores.decimated, scores.rank_score))[:MOST_RANKED]
    columns = {
        "score": scores.rank_score,
        "decimated score": scores.decimated,
        "distance to train": train,
        "distance to holdout": holdout,
    }
    return [
        {"rank": place + 1, **{name: float(values[row]) for name, values in columns.items()}}
        for place, row in enumerate(order.tolist())
    ]
