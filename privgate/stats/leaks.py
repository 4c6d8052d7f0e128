"""Leak scores of synthetic records from their distances to train and holdout rows.

References
----------
Szatkownik et al. 2025, arXiv 2510.24233 (PRIVET: privacy score, privacy loss, number of privacy
leaks, decimated rank, leaks up to a rank). The point score is derived from the same model.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from privgate.stats.order_statistics import log10_at_least

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from privgate.stats.extremes import TailLaw

FLOOR = -300.0


@dataclass(frozen=True)
class Reference:
    """How near synthetic records lie to one set of real rows, and how probable that is.

    ``factor`` is the size of the set relative to the one the law was fitted on. With ``late_rank``
    decimated ranks are one too high, at most the number of records: what comes out of code that
    hands a rank on as an index counted from 0. Scores are base-10 logarithms, at least -300; equal
    distances have equal ranks and scores.
    """

    distance: NDArray[np.float64]
    law: TailLaw
    factor: float = 1.0
    late_rank: bool = False

    @cached_property
    def rank(self) -> NDArray[np.int64]:
        """Return how many records lie at most as far away as each one."""
        return self._rank[self._kind]

    @cached_property
    def probability(self) -> NDArray[np.float64]:
        """Return F, the probability that a nearest row lies as near as each record's."""
        found: NDArray[np.float64] = np.exp(self._log_f)[self._kind]
        return found

    @cached_property
    def point_score(self) -> NDArray[np.float64]:
        """Return log10 F."""
        found: NDArray[np.float64] = np.maximum(self._log_f / np.log(10), FLOOR)[self._kind]
        return found

    @cached_property
    def rank_score(self) -> NDArray[np.float64]:
        """Return log10 π, the chance that so many of the records lie as near as each one."""
        return self._score(self._rank)

    @cached_property
    def decimated_score(self) -> NDArray[np.float64]:
        """Return log10 π at the rank each record would have without those too near before it."""
        before = np.where(self._count > 1, self._expected, np.append(0, self._expected[:-1]))
        rank = before + self.first_rank
        return self._score(np.minimum(rank, len(self.distance)))

    @property
    def first_rank(self) -> int:
        """Return the decimated rank of a record with none before it."""
        return 2 if self.late_rank else 1

    @cached_property
    def expected(self) -> NDArray[np.int64]:
        """Return, for each rank from 1, how many records the law expects as near as that one."""
        found: NDArray[np.int64] = np.repeat(self._expected, self._count)
        return found

    @cached_property
    def _distinct(self) -> tuple[NDArray[np.float64], NDArray[np.int64], NDArray[np.int64]]:
        return np.unique(self.distance, return_inverse=True, return_counts=True)

    @property
    def _kind(self) -> NDArray[np.int64]:
        return self._distinct[1]

    @property
    def _count(self) -> NDArray[np.int64]:
        return self._distinct[2]

    @cached_property
    def _rank(self) -> NDArray[np.int64]:
        return np.cumsum(self._count)

    @cached_property
    def _logs(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        return self.law.log_cdf(self._distinct[0], self.factor)

    @property
    def _log_f(self) -> NDArray[np.float64]:
        return self._logs[0]

    @cached_property
    def _expected(self) -> NDArray[np.int64]:
        expected = len(self.distance) * np.exp(self._log_f)
        floored: NDArray[np.int64] = np.floor(expected).astype(np.int64)
        return floored

    def _score(self, rank: NDArray[np.int64]) -> NDArray[np.float64]:
        found = log10_at_least(rank, len(self.distance), *self._logs, floor=FLOOR)
        return np.maximum(found, FLOOR)[self._kind]


@dataclass(frozen=True)
class LeakScores:
    """Scores of each synthetic record, base-10 logarithms; low means closer to train than chance.

    A score is worked out when it is asked for: a permutation test needs one of them only.
    """

    train: Reference
    holdout: Reference

    @cached_property
    def rank_score(self) -> NDArray[np.float64]:
        """Return Δπ: how probable it is to be so close for one's rank, train against holdout."""
        return self.train.rank_score - self.holdout.rank_score

    @cached_property
    def decimated(self) -> NDArray[np.float64]:
        """Return Δπ with ranks corrected for records ahead that are themselves too close."""
        return self.train.decimated_score - self.holdout.decimated_score

    @cached_property
    def point(self) -> NDArray[np.float64]:
        """Return the same without any rank."""
        return self.train.point_score - self.holdout.point_score

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

    @property
    def least_decimated(self) -> float:
        """Return the least decimated score that a copy of a train row can have.

        It is -300 unless train rows have twins: then being at distance 0 is no longer rare.
        """
        size = len(self.train.distance)
        log_f, log_survival = self.train.law.log_cdf(np.zeros(1), self.train.factor)
        rank = np.array([min(self.train.first_rank, size)])
        return max(FLOOR, float(log10_at_least(rank, size, log_f, log_survival)[0]))

    @property
    def least_point(self) -> float:
        """Return the least point score that a copy of a train row can have."""
        log_f = self.train.law.log_cdf(np.zeros(1), self.train.factor)[0]
        return max(FLOOR, float(log_f[0]) / math.log(10))

    @cached_property
    def leaks_up_to(self) -> NDArray[np.int64]:
        """Return n_leaks(r) = ⌊M F(v₍ᵣ₎)⌋ - ⌊M F(u₍ᵣ₎)⌋ for each rank r from 1 to M."""
        return self.holdout.expected - self.train.expected

    def leaks_in_tail(self, share: float) -> int:
        """Return the greatest n_leaks(r) where F of the holdout is at most ``share``, at least 0.

        Beyond the fitted part of the law a small shift of distances counts as many records.
        """
        inside = self.holdout.expected <= share * len(self.holdout.distance)
        return int(self.leaks_up_to[inside].max(initial=0))


def leak_scores(
    to_train: NDArray[np.float64],
    to_holdout: NDArray[np.float64],
    law: TailLaw,
    *,
    factors: tuple[float, float] = (1.0, 1.0),
    late_rank: bool = False,
) -> LeakScores:
    """Return the scores of synthetic records.

    Parameters
    ----------
    to_train, to_holdout
        Distance of each synthetic record to its nearest train and holdout row.
    law
        Law of the leave-one-out distances in train.
    factors
        Size of train and of the holdout relative to the number of rows that the law was fitted on
        (train size - 1); 1 leaves the law as it is.
    late_rank
        Whether decimated ranks are one too high, as in the authors' code.
    """
    return LeakScores(
        Reference(to_train, law, factors[0], late_rank),
        Reference(to_holdout, law, factors[1], late_rank),
    )
