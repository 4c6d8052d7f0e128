"""Confidence intervals for shares, differences of shares and percentiles of replicates."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from privgate.evidence import Estimate

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

_FAR = 1e6  # stands for an interval without an end; finite, so that it can be written down


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
    from scipy.stats import beta  # noqa: PLC0415 - slow to import

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
    from scipy.stats import beta  # noqa: PLC0415 - slow to import

    _require_count(count, n)
    return 1.0 if count == n else float(beta.ppf(level, count + 1, n - count))


def newcombe(count_a: float, n_a: int, count_b: float, n_b: int, *, level: float) -> Estimate:
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
    return difference(
        wilson(count_a, n_a, level=level), wilson(count_b, n_b, level=level), method="Newcombe"
    )


def difference(a: Estimate, b: Estimate, *, method: str = "MOVER") -> Estimate:
    """Return the difference of two independent estimates, with the interval of their intervals.

    The method of variance estimates recovery (MOVER): each end combines the distances of the two
    values from the ends of their own intervals.

    Raises
    ------
    ValueError
        If one of the two has no interval, or the levels differ.

    References
    ----------
    Zou and Donner 2008, doi 10.1002/sim.3095.
    """
    value_a, low_a, high_a, level = _interval(a)
    value_b, low_b, high_b, other = _interval(b)
    if level != other:
        raise ValueError("the two intervals have different levels")
    gap = value_a - value_b
    return Estimate(
        value=gap,
        low=gap - math.hypot(value_a - low_a, high_b - value_b),
        high=gap + math.hypot(high_a - value_a, value_b - low_b),
        level=level,
        method=method,
        n=min((e.n for e in (a, b) if e.n is not None), default=None),
    )


def residual_risk(count_a: float, n_a: int, count_b: float, n_b: int, *, level: float) -> Estimate:
    """Return ``(a - b) / (1 - b)`` for two independent shares, with an interval.

    With a the success of an attack on train and b that on people the generator never saw, it is
    the share of what was left to lose that was lost; at most 1, below 0 where the attack works
    better on others. The interval is the method of variance estimates recovery (MOVER) for the
    ratio ``(1 - a) / (1 - b)``, from Wilson's intervals of both shares.

    Raises
    ------
    ValueError
        Unless 0 ≤ count ≤ n and n ≥ 1 on both sides and b < 1.

    References
    ----------
    Giomi et al. 2023, arXiv 2211.10459 (residual risk); Donner and Zou 2012,
    doi 10.1177/0962280210383082 (MOVER for a ratio).

    Examples
    --------
    >>> risk = residual_risk(60, 100, 20, 100, level=0.95)
    >>> round(risk.value, 12), round(risk.low, 3), round(risk.high, 3)
    (0.5, 0.358, 0.618)
    """
    return residual(
        wilson(count_a, n_a, level=level),
        wilson(count_b, n_b, level=level),
        method="MOVER ratio of Wilson",
    )


def residual(a: Estimate, b: Estimate, *, method: str = "MOVER ratio") -> Estimate:
    """Return ``(a - b) / (1 - b)`` for two independent risks in [0, 1], with an interval.

    See :func:`residual_risk`, which is this for shares.

    Raises
    ------
    ValueError
        If b = 1, or one of the two has no interval, or the levels differ.
    """
    value_a, low_a, high_a, level = _interval(a)
    value_b, low_b, high_b, other = _interval(b)
    if level != other:
        raise ValueError("the two intervals have different levels")
    safe_a, safe_b = 1 - value_a, 1 - value_b
    if safe_b <= 0:
        raise ValueError("everyone in the second group was hit, so nothing was left to lose")
    ratio = safe_a / safe_b
    least = _ratio_end(safe_a, 1 - high_a, safe_b, 1 - low_b, sign=-1)
    most = _ratio_end(safe_a, 1 - low_a, safe_b, 1 - high_b, sign=1)
    return Estimate(
        value=1 - ratio,
        low=min(1 - most, 1 - ratio),
        high=min(max(1 - least, 1 - ratio), 1.0),
        level=level,
        method=method,
        n=min((e.n for e in (a, b) if e.n is not None), default=None),
    )


def _interval(estimate: Estimate) -> tuple[float, float, float, float]:
    """Return value, low, high and level of an estimate that has them all."""
    value, low, high, level = estimate.value, estimate.low, estimate.high, estimate.level
    if value is None or low is None or high is None or level is None:
        raise ValueError("an estimate without an interval cannot be combined")
    return float(value), low, high, level


def _ratio_end(
    numerator: float, numerator_end: float, denominator: float, denominator_end: float, *, sign: int
) -> float:
    """Return one end of the interval of ``numerator / denominator``."""
    spread = denominator_end * (2 * denominator - denominator_end)
    if spread <= 0:  # the denominator's interval reaches 0: no end in sight but the direct one
        return max(numerator_end, 0.0) / denominator_end if sign < 0 else _FAR
    product = numerator * denominator
    inside = product**2 - numerator_end * (2 * numerator - numerator_end) * spread
    return max(0.0, (product + sign * math.sqrt(max(inside, 0.0))) / spread)


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
    from scipy.stats import norm  # noqa: PLC0415 - slow to import

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
