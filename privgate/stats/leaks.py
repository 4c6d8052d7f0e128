"""Leak scores of synthetic records from their distances to train and holdout rows.

References
----------
Szatkownik et al. 2025, arXiv 2510.24233 (PRIVET: privacy score, privacy loss, number of privacy
leaks, decimated rank). The point score is derived from the same model.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from privgate.stats.order_statistics import log10_at_least, max_rank

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from privgate.stats.extremes import TailFit

FLOOR = -300.0


@dataclass(frozen=True)
class LeakScores:
    """Scores of each synthetic record, base-10 logarithms; low means closer to train than chance.

    ``rank_score`` compares the probability of being so close for one's rank on the train side with
    that on the holdout side. ``decimated`` corrects the ranks for records ahead that are themselves
    too close. ``point`` uses no ranks.
    """

    rank_score: NDArray[np.float64]
    decimated: NDArray[np.float64]
    point: NDArray[np.float64]

    @property
    def loss(self) -> float:
        """Return the mean rank score (PL)."""
        return float(self.rank_score.mean())

    def leaks(self, tau: float) -> int:
        """Return the number of records whose rank score is at most ``tau`` (published NPL)."""
        return int((self.rank_score <= tau).sum())

    def decimated_leaks(self, tau: float) -> int:
        """Return the number of records whose decimated score is below ``tau``."""
        return int((self.decimated < tau).sum())

    def point_leaks(self, tau: float) -> int:
        """Return the number of records whose point score is at most ``tau``."""
        return int((self.point <= tau).sum())


def leak_scores(
    to_train: NDArray[np.float64],
    to_holdout: NDArray[np.float64],
    fit: TailFit,
    *,
    train_factor: float = 1.0,
    holdout_factor: float = 1.0,
) -> LeakScores:
    """Return the scores of synthetic records.

    Parameters
    ----------
    to_train, to_holdout
        Distance of each synthetic record to its nearest train and holdout row.
    fit
        Law of the leave-one-out distances in train.
    train_factor, holdout_factor
        Size of each reference relative to the one the fit was made on (train size - 1); 1 leaves
        the law as it is.
    """
    sides = [
        _side(to_train, fit, train_factor),
        _side(to_holdout, fit, holdout_factor),
    ]
    (rank_train, decimated_train, point_train), (rank_holdout, decimated_holdout, point_holdout) = (
        sides
    )
    return LeakScores(
        rank_train - rank_holdout, decimated_train - decimated_holdout, point_train - point_holdout
    )


def _side(
    distance: NDArray[np.float64], fit: TailFit, factor: float
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    size = len(distance)
    rank = max_rank(distance)
    log_f, log_survival = fit.log_cdf(distance, factor)
    expected = np.floor(size * np.exp(fit.log_cdf(np.sort(distance), factor)[0])).astype(np.int64)
    ahead = np.concatenate([[0], expected[:-1]])
    decimated = 1 + np.minimum(ahead[rank - 1], size - 1)
    return (
        np.maximum(log10_at_least(rank, size, log_f, log_survival), FLOOR),
        np.maximum(log10_at_least(decimated, size, log_f, log_survival), FLOOR),
        np.maximum(log_f / np.log(10), FLOOR),
    )
