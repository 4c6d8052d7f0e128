"""Chances of random draws without replacement."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy.special import gammaln

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

Pair = tuple["NDArray[np.int64]", "NDArray[np.int64]"]


def common_draw(
    *, places: Pair, tied: Pair, tied_with_certain: Pair, tied_in_both: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Return the chance that two lists, each completed by lot, have an entry in common.

    Each list has certain entries, none of them in both lists, and draws ``places`` more from
    ``tied`` candidates. ``tied_with_certain`` are those candidates of a list that are certain
    entries of the other one; ``tied_in_both`` are candidates of both lists.

    Notes
    -----
    With a and b places, t and s candidates, u and v of them certain entries of the other list and o
    candidates of both, the lists stay apart with probability
    Σ_j C(o, j) C(t - u - o, a - j) / C(t, a) · C(s - v - j, b) / C(s, b): the first draws j of the
    common candidates, the second avoids these.

    Examples
    --------
    One place each, 2 and 3 candidates, one of them common: 1/6.

    >>> one, none = np.array([1]), np.array([0])
    >>> found = common_draw(places=(one, one), tied=(2 * one, 3 * one),
    ...                     tied_with_certain=(none, none), tied_in_both=one)
    >>> round(float(found[0]), 12)
    0.166666666667
    """
    (a, b), (t, s), (u, v) = places, tied, tied_with_certain
    drawn = log_choose(t, a) + log_choose(s, b)
    apart = np.zeros(len(a))
    for j in range(int(a.max(initial=0)) + 1):
        ways = log_choose(tied_in_both, j) + log_choose(t - u - tied_in_both, a - j)
        apart += np.exp(ways + log_choose(s - v - j, b) - drawn)
    common: NDArray[np.float64] = np.clip(1 - apart, 0.0, 1.0)
    return common


def isolated_in_sample(matches: NDArray[np.int64], rows: int, sample: int) -> NDArray[np.float64]:
    """Return the chance that exactly one of ``matches`` among ``rows`` rows is in a random sample.

    Examples
    --------
    >>> isolated_in_sample(np.array([0, 1, 2]), 4, 2).round(12).tolist()
    [0.0, 0.5, 0.666666666667]
    """
    if sample == rows:
        return np.asarray(matches == 1, np.float64)
    ways = log_choose(rows - matches, sample - 1) - log_choose(rows, sample)
    chance: NDArray[np.float64] = np.minimum(matches * np.exp(ways), 1.0)
    return chance


def none_in_sample(matches: NDArray[np.int64], rows: int, sample: int) -> NDArray[np.float64]:
    """Return the chance that none of ``matches`` among ``rows`` rows is in a random sample.

    Examples
    --------
    >>> none_in_sample(np.array([0, 1, 4]), 4, 2).round(12).tolist()
    [1.0, 0.5, 0.0]
    """
    chance: NDArray[np.float64] = np.exp(
        log_choose(rows - matches, sample) - log_choose(rows, sample)
    )
    return chance


def log_choose(n: ArrayLike, k: ArrayLike) -> NDArray[np.float64]:
    """Return the logarithm of the number of k-subsets of n things; -inf where there is none.

    Examples
    --------
    >>> np.exp(log_choose([4, 3], [2, 4])).round(9).tolist()
    [6.0, 0.0]
    """
    whole, part = np.broadcast_arrays(np.asarray(n, np.float64), np.asarray(k, np.float64))
    possible = (part >= 0) & (part <= whole)
    n_safe, k_safe = np.where(possible, whole, 0.0), np.where(possible, part, 0.0)
    ways = gammaln(n_safe + 1) - gammaln(k_safe + 1) - gammaln(n_safe - k_safe + 1)
    return np.where(possible, ways, -np.inf)
