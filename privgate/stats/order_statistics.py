"""Order statistics in log space, exact far beyond the smallest float."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import betainc, gammaln

if TYPE_CHECKING:
    from numpy.typing import NDArray

NEGLIGIBLE = 40.0  # natural-log distance below which further terms cannot change a float64
CHUNK = 64
MARGIN = 1e-6  # more than rounding can move a bound


def log10_at_least(
    rank: NDArray[np.int64],
    size: int,
    log_f: NDArray[np.float64],
    log_survival: NDArray[np.float64],
    *,
    floor: float = -math.inf,
) -> NDArray[np.float64]:
    """Return log10 of P(X ≥ rank), X binomial with ``size`` trials of probability F.

    That is the probability that at least ``rank`` of ``size`` distances fall below a point where
    the distribution function is F = exp(log_f), 1 - F = exp(log_survival); the regularised
    incomplete beta function I_F(rank, size - rank + 1). -inf where F = 0. What is surely below
    ``floor`` may be returned as ``floor``, without the sum that its digits need.

    Examples
    --------
    >>> log_f = np.array([np.log(1e-6)])
    >>> value = log10_at_least(np.array([300]), 1668, log_f, np.log1p(-np.exp(log_f)))
    >>> round(float(value[0]), 10)
    -1460.27446553
    """
    rank = np.asarray(rank, np.int64)
    result = _from_below(rank, size, log_f)
    large = np.flatnonzero(log_f > math.log(0.5))
    near_one = _from_above(rank[large], size, log_survival[large])
    exact = near_one > math.log(0.5)
    result[large[exact]] = near_one[exact]
    deep = np.flatnonzero(~(result > -600.0) & np.isfinite(log_f))
    if len(deep):
        bound = _log_bound(rank[deep], size, log_f[deep], log_survival[deep])
        below = bound < floor * math.log(10) * (1 + MARGIN)
        result[deep[below]] = floor * math.log(10)
        deep = deep[~below]
        result[deep] = _log_tail(rank[deep], size, log_f[deep], log_survival[deep])
    result[~np.isfinite(log_f)] = -np.inf
    return result / math.log(10)


def _from_below(
    rank: NDArray[np.int64], size: int, log_f: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return ln I_F, which loses its digits only where I_F is near 1."""
    with np.errstate(divide="ignore"):
        found: NDArray[np.float64] = np.log(betainc(rank, size - rank + 1, np.exp(log_f)))
    return found


def _from_above(
    rank: NDArray[np.int64], size: int, log_survival: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return ln(1 - I_{1-F}), which keeps its digits where I_F is near 1."""
    with np.errstate(divide="ignore"):
        found: NDArray[np.float64] = np.log1p(-betainc(size - rank + 1, rank, np.exp(log_survival)))
    return found


def _log_bound(
    rank: NDArray[np.int64],
    size: int,
    log_f: NDArray[np.float64],
    log_survival: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Return an upper bound of ln Σ_{k ≥ rank} of the binomial terms.

    Their ratios fall with k, so the sum is at most that of the geometric series which begins with
    the first two; there is no bound where these rise.
    """
    log_ratio = np.log(np.maximum(size - rank, 1)) - np.log(rank + 1.0) + log_f - log_survival
    falling = log_ratio < 0
    bound = np.full(len(rank), np.inf)
    first = _log_terms(rank[falling], size, log_f[falling], log_survival[falling])
    bound[falling] = first - np.log(-np.expm1(log_ratio[falling]))
    return bound


def _log_terms(
    k: NDArray[np.int64],
    size: int,
    log_f: NDArray[np.float64],
    log_survival: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Return the logarithm of the binomial probability of k."""
    found: NDArray[np.float64] = (
        gammaln(size + 1)
        - gammaln(k + 1)
        - gammaln(np.maximum(size - k, 0) + 1)
        + k * log_f
        + (size - k) * log_survival
    )
    return found


def _log_tail(
    rank: NDArray[np.int64],
    size: int,
    log_f: NDArray[np.float64],
    log_survival: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Return ln Σ_{k ≥ rank} of the binomial terms, summed until they cannot matter."""
    total = np.full(len(rank), -np.inf)
    open_ = np.arange(len(rank))
    start = rank.astype(np.int64)
    while len(open_):
        k = start[open_, None] + np.arange(CHUNK)
        term = _log_terms(k, size, log_f[open_, None], log_survival[open_, None])
        term[k > size] = -np.inf
        total[open_] = np.logaddexp(total[open_], np.logaddexp.reduce(term, axis=1))
        start[open_] += CHUNK
        going = (term[:, -1] > total[open_] - NEGLIGIBLE) & (start[open_] <= size)
        open_ = open_[going]
    return total
