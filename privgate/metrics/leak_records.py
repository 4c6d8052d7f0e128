"""What leak scores say of each synthetic record; for internal eyes only."""

from __future__ import annotations

from typing import TYPE_CHECKING

from privgate.metrics.contract import Records

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from privgate.metrics.leak_model import Labelled


def leak_records(
    observed: Labelled, tau: float, *, positions: tuple[NDArray[np.int64], NDArray[np.int64]]
) -> Records:
    """Return distances, nearest rows, ranks, probabilities, scores and flags of each record.

    ``positions`` are those of the train and of the holdout rows in their files. Named are records
    at distance 0 from a train row but from no holdout row, and those whose decimated score is below
    ``tau``.
    """
    u, v = observed.train.distance, observed.holdout.distance
    train, holdout = positions
    copied = (u == 0) & (v > 0)
    scores: dict[str, NDArray[np.generic]] = {
        "distance_to_train": u,
        "nearest_train_row": train[observed.train.index],
        "distance_to_holdout": v,
        "nearest_holdout_row": holdout[observed.holdout.index - len(train)],
        "exact_match": u == 0,
    }
    found = observed.scores
    if found is None:
        return Records(table="synthetic", scores=scores, named=copied)
    decimated_leak = found.decimated < tau
    scores |= {
        "rank_to_train": found.train.rank,
        "rank_to_holdout": found.holdout.rank,
        "probability_train": found.train.probability,
        "probability_holdout": found.holdout.probability,
        "log10_pi_train": found.train.rank_score,
        "log10_pi_holdout": found.holdout.rank_score,
        "rank_score": found.rank_score,
        "decimated_score": found.decimated,
        "point_score": found.point,
        "rank_leak": found.rank_score <= tau,
        "decimated_leak": decimated_leak,
        "point_leak": found.point <= tau,
    }
    return Records(table="synthetic", scores=scores, named=copied | decimated_leak)
