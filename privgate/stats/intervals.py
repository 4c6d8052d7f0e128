"""Confidence intervals for shares, differences of shares and percentiles of replicates."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from scipy.stats import beta, norm

from privgate.evidence import Estimate

if TYPE_CHECKING:
    from numpy.typing import ArrayLike


def wilson(count: float, n: int, *, level: float) -> Estimate:
    """Return the share ``count / n`` with Wilson's score interval.

    ``count`` may be a half where a tie counts for both sides.

    Raises
    ------
    ValueError
        Unless 0 ≤ count ≤ n and n ≥ 1.

    References
    ----------
    Wilson 1927, doi 10.1080/01621459.1927.10502953.

    Examples
    --------
    >>> share = wilson(3, 10, level=0.95)
    >>> round(share.low, 12), round(share.high, 12)
    (0.107791267406, 0.603221852539)
    """
    low, high = _wilson_ends(count, n, level)
    return Estimate(value=count / n, low=low, high=high, level=level, method="Wilson", n=n)


def clopper_pearson(count: int, n: int, *, level: float) -> Estimate:
    """Return the share ``count / n`` with the exact two-sided interval of Clopper and Pearson.

    Its coverage is at least ``level`` for every true share.

    Raises
    ------
    ValueError
        Unless 0 ≤ count ≤ n and n ≥ 1.

    References
    ----------
    Clopper and Pearson 1934, doi 10.1093/biomet/26.4.404.

    Examples
    --------
    >>> share = clopper_pearson(3, 10, level=0.95)
    >>> round(share.low, 12), round(share.high, 12)
    (0.066739511178, 0.65245285006)
    """
    _require_count(count, n)
    tail = (1 - level) / 2
    low = 0.0 if count == 0 else float(beta.ppf(tail, count, n - count + 1))
    high = 1.0 if count == n else float(beta.ppf(1 - tail, count + 1, n - count))
    return Estimate(value=count / n, low=low, high=high, level=level, method="Clopper–Pearson", n=n)


def clopper_pearson_upper(count: int, n: int, *, level: float) -> float:
    """Return the one-sided exact upper bound of a share.

    Raises
    ------
    ValueError
        Unless 0 ≤ count ≤ n and n ≥ 1.

    Examples
    --------
    >>> round(clopper_pearson_upper(0, 299, level=0.95), 4)
    0.01
    """
    _require_count(count, n)
    return 1.0 if count == n else float(beta.ppf(level, count + 1, n - count))


def newcombe(count_a: int, n_a: int, count_b: int, n_b: int, *, level: float) -> Estimate:
    """Return the difference ``count_a / n_a - count_b / n_b`` with Newcombe's score interval.

    The two shares must come from different, independent people (method 10 of the reference).
    ``n`` of the result is the smaller of the two sizes.

    Raises
    ------
    ValueError
        Unless 0 ≤ count ≤ n and n ≥ 1 on both sides.

    References
    ----------
    Newcombe 1998, doi 10.1002/(SICI)1097-0258(19980430)17:8<873::AID-SIM779>3.0.CO;2-I.

    Examples
    --------
    The reference's first example, 56/70 against 48/80:

    >>> gap = newcombe(56, 70, 48, 80, level=0.95)
    >>> round(gap.value, 4), round(gap.low, 4), round(gap.high, 4)
    (0.2, 0.0524, 0.3339)
    """
    low_a, high_a = _wilson_ends(count_a, n_a, level)
    low_b, high_b = _wilson_ends(count_b, n_b, level)
    share_a, share_b = count_a / n_a, count_b / n_b
    gap = share_a - share_b
    return Estimate(
        value=gap,
        low=gap - math.hypot(share_a - low_a, high_b - share_b),
        high=gap + math.hypot(high_a - share_a, share_b - low_b),
        level=level,
        method="Newcombe",
        n=min(n_a, n_b),
    )


def percentile_interval(
    value: float, replicates: ArrayLike, *, level: float, method: str, n: int
) -> Estimate:
    """Return ``value`` with the percentile interval of bootstrap replicates, widened to hold it.

    Raises
    ------
    ValueError
        If there are no replicates or one is not finite.
    """
    drawn = np.asarray(replicates, dtype=np.float64)
    if drawn.size == 0 or not np.isfinite(drawn).all():
        raise ValueError("an interval needs finite replicates")
    tail = (1 - level) / 2
    low, high = (float(end) for end in np.quantile(drawn, [tail, 1 - tail]))
    return Estimate(
        value=value, low=min(low, value), high=max(high, value), level=level, method=method, n=n
    )


def _wilson_ends(count: float, n: int, level: float) -> tuple[float, float]:
    _require_count(count, n)
    z = float(norm.ppf((1 + level) / 2))
    centre = count + z * z / 2
    spread = z * math.sqrt(count * (n - count) / n + z * z / 4)
    low = 0.0 if count == 0 else (centre - spread) / (n + z * z)
    high = 1.0 if count == n else (centre + spread) / (n + z * z)
    # Rounding may push an end past the share itself by one unit in the last place.
    return min(low, count / n), max(high, count / n)


def _require_count(count: float, n: int) -> None:
    if n < 1 or not 0 <= count <= n:
        raise ValueError(f"{count} of {n} is not a share")
