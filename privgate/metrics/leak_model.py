"""The leak scores of a release under any labelling of its real rows as train and holdout."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from privgate.stats.extremes import MIN_DISTINCT, FitMode, TailNotFittable, fit_tail
from privgate.stats.leaks import LeakScores, leak_scores

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from privgate.neighbors import Nearest, Neighbours
    from privgate.stats.extremes import TailFit

MOST_ZEROS = 0.05
GRID = np.arange(-12.0, 3.01, 0.25)


@dataclass(frozen=True)
class Labelled:
    """Distances under one labelling, and the scores, or the reason why no law fits.

    ``between`` are the leave-one-out distances of the train rows, ``rows_beyond`` the number of
    rows in the holdout.
    """

    train: Nearest
    holdout: Nearest
    between: NDArray[np.float64]
    rows_beyond: int
    fit: TailFit | None = None
    scores: LeakScores | None = None
    reason: str = ""

    @property
    def exact(self) -> int:
        """Return the number of synthetic records at distance 0 from a train row."""
        return int((self.train.distance == 0).sum())


@dataclass(frozen=True)
class Finding:
    """What the scores of one labelling amount to.

    ``below`` is the share of records with a score at or below each point of ``GRID``, ``groups``
    the mean score of each group of records.
    """

    loss: float
    leaks: int
    tail_leaks: int
    below: NDArray[np.float64]
    groups: NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class LeakModel:
    """How the law of distances is fitted and carried over; see the parameters of PRIVET."""

    neighbours: Neighbours[Any]
    fit: FitMode
    quantile: float
    rescaled: bool = True
    late_rank: bool = False

    def observed(self) -> Labelled:
        """Return the scores under the true labels, if the law applies to such data at all."""
        found = self._distances(self.neighbours.train)
        zeros = float((found.between == 0).mean())
        if zeros > MOST_ZEROS:
            reason = (
                f"{zeros:.1%} of the train rows have an identical twin, more than "
                f"{MOST_ZEROS:.0%}: the law of distances does not apply"
            )
            return replace(found, reason=reason)
        return self._scored(found, distinct=MIN_DISTINCT)

    def relabelled(self, train: NDArray[np.bool_]) -> Labelled:
        """Return the scores under a random labelling.

        Whether the law applies is settled by the true labels; here it need only be computable, or
        data of few distinct distances could never be calibrated.
        """
        return self._scored(self._distances(train), distinct=3)

    def _distances(self, train: NDArray[np.bool_]) -> Labelled:
        to_real = self.neighbours.synthetic_to_real
        between = self.neighbours.real_to_real.nearest(train, asked=train).distance
        beyond = len(train) - len(between)
        return Labelled(to_real.nearest(train), to_real.nearest(~train), between, beyond)

    def _scored(self, found: Labelled, *, distinct: int) -> Labelled:
        size = len(found.between)
        try:
            fit = fit_tail(found.between, mode=self.fit, quantile=self.quantile, distinct=distinct)
        except TailNotFittable as reason:
            return replace(found, reason=str(reason))
        scores = leak_scores(
            found.train.distance,
            found.holdout.distance,
            fit,
            factors=(size / (size - 1), found.rows_beyond / (size - 1))
            if self.rescaled
            else (1.0, 1.0),
            late_rank=self.late_rank,
        )
        return replace(found, fit=fit, scores=scores)


def finding(scores: LeakScores, *, tau: float, share: float, groups: NDArray[np.bool_]) -> Finding:
    """Return what scores amount to.

    ``share`` is the part of the law that was fitted; ``groups`` marks the records of each group in
    a row.
    """
    ordered = np.sort(scores.rank_score)
    return Finding(
        loss=scores.loss,
        leaks=scores.leaks(tau),
        tail_leaks=scores.leaks_in_tail(share),
        below=np.searchsorted(ordered, GRID, side="right") / len(ordered),
        groups=np.array([scores.rank_score[group].mean() for group in groups]),
    )
