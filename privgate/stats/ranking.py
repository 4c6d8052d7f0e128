"""How well a score ranks one group of people above another."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from privgate.evidence import Estimate, unknown
from privgate.stats.intervals import wilson

if TYPE_CHECKING:
    from numpy.typing import NDArray


def placements(
    members: NDArray[np.float64], others: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the share of others below each member, and of members above each other; ties half.

    Examples
    --------
    >>> above, below = placements(np.array([1.0, 2.0]), np.array([1.0, 0.0]))
    >>> above.tolist(), below.tolist()
    ([0.75, 1.0], [0.75, 1.0])
    """
    from scipy.stats import rankdata  # noqa: PLC0415 - slow to import

    n, m = len(members), len(others)
    ranks = rankdata(np.concatenate([members, others]))
    above = (ranks[:n] - rankdata(members)) / m
    below = 1 - (ranks[n:] - rankdata(others)) / n
    return above, below


def auc(
    above: NDArray[np.float64],
    below: NDArray[np.float64],
    *,
    level: float,
    sizes: tuple[int, int] | None = None,
) -> Estimate:
    """Return the chance that a random member scores above a random other, from placements.

    Parameters
    ----------
    above, below
        Placements of members and others (:func:`placements`), over any number of repetitions.
    sizes
        How many people of each kind they are worth, if fewer than there are placements.

    Notes
    -----
    DeLong's variance V says how many coin throws the estimate A is worth: A(1 - A)/V. Wilson's
    interval for that many throws stays inside [0, 1] and does not collapse where V is 0; there it
    takes the smaller number of people, for A(1 - A)/min(n, m) bounds the variance of any score.
    At most three times that number is believed, which is what a continuous score without any
    signal is worth when the other group is unlimited.

    References
    ----------
    DeLong et al. 1988, doi 10.2307/2531595; Birnbaum and Klose 1957,
    doi 10.1214/aoms/1177706794 (bounds of the variance).

    Examples
    --------
    >>> perfect = auc(*placements(np.arange(10.0, 20), np.arange(10.0)), level=0.95)
    >>> perfect.value, round(perfect.low, 6), perfect.high
    (1.0, 0.722467, 1.0)
    """
    n, m = sizes or (len(above), len(below))
    value = min(max(float(above.mean()), 0.0), 1.0)
    variance = float(above.var()) / max(n - 1, 1) + float(below.var()) / max(m - 1, 1)
    least = min(n, m)
    worth = value * (1 - value) / variance if variance > 0 else least
    throws = max(1, math.floor(min(worth, 3 * least)))
    found = wilson(value * throws, throws, level=level)
    return found.model_copy(update={"method": "Wilson with DeLong's variance", "n": least})


def recall_at(
    members: NDArray[np.float64], others: NDArray[np.float64], *, false_alarms: float
) -> float:
    """Return the share of members found when a given share of others is called a member.

    People tied at the threshold are called at random, so that the share of false alarms is met
    exactly and a score of few values still speaks.

    Examples
    --------
    >>> recall_at(np.array([3.0, 2.0, 1.0]), np.array([2.0, 0.0]), false_alarms=0.25)
    0.5
    """
    descending = np.sort(others)[::-1]
    allowed = false_alarms * len(others)
    whole = math.floor(allowed + 1e-9)
    if whole >= len(others):
        return 1.0
    threshold = descending[whole]
    clear, tied = int((others > threshold).sum()), int((others == threshold).sum())
    share = max(0.0, allowed - clear) / tied
    return float((members > threshold).mean() + share * (members == threshold).mean())


def recall_estimate(
    members: NDArray[np.float64],
    others: NDArray[np.float64],
    *,
    false_alarms: float,
    level: float,
) -> Estimate:
    """Return :func:`recall_at` with an interval, or why so few others cannot speak about it.

    Notes
    -----
    Two things are uncertain: the share of members above a threshold (Wilson) and the threshold
    itself, whose true share of false alarms is binomial, so that the order statistics of the
    others bracket it without any assumption. The two distances are squared and added, as in
    Newcombe's interval.
    """
    from scipy.stats import binom  # noqa: PLC0415 - slow to import

    n, m = len(members), len(others)
    if false_alarms * m < 1:
        needed = math.ceil(1 / false_alarms)
        return unknown(
            f"{m} people the generator never saw are too few to speak about a false alarm rate "
            f"of {false_alarms:.1%}; the test part needs {needed}"
        )
    value = recall_at(members, others, false_alarms=false_alarms)
    share = wilson(value * n, n, level=level)
    tail = (1 - level) / 2
    fewest = int(binom.ppf(tail, m, false_alarms))
    most = int(binom.ppf(1 - tail, m, false_alarms))
    least = recall_at(members, others, false_alarms=(fewest - 1) / m) if fewest else 0.0
    greatest = recall_at(members, others, false_alarms=most / m)
    below = math.hypot(value - _end(share.low), value - min(least, value))
    above = math.hypot(_end(share.high) - value, max(greatest, value) - value)
    return Estimate(
        value=value,
        low=max(0.0, value - below),
        high=min(1.0, value + above),
        level=level,
        method="Wilson and order statistics, squared and added",
        n=n,
    )


def called(
    members: NDArray[np.float64], others: NDArray[np.float64], *, share: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return how likely each person is called a member when the best ``share`` of them are.

    The two groups count as ``share`` and ``1 - share`` of the people, whatever their sizes; people
    tied at the threshold are called with the chance that meets the share exactly.

    Examples
    --------
    >>> hits, alarms = called(np.array([3.0, 1.0]), np.array([1.0, 0.0]), share=0.5)
    >>> hits.tolist(), alarms.tolist()
    ([1.0, 0.5], [0.5, 0.0])
    """
    n, m = len(members), len(others)
    values, place = np.unique(-np.concatenate([members, others]), return_inverse=True)
    own = np.bincount(place[:n], minlength=len(values))
    foreign = np.bincount(place[n:], minlength=len(values))
    before = share * (own.cumsum() - own) / n + (1 - share) * (foreign.cumsum() - foreign) / m
    mass = share * own / n + (1 - share) * foreign / m
    chance = np.clip((share - before) / mass, 0.0, 1.0)[place]
    return chance[:n], chance[n:]


def _end(end: float | None) -> float:
    if end is None:
        raise ValueError("the interval has no ends")
    return end
