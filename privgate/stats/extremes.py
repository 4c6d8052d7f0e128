"""The law of nearest-neighbour distances: extreme value fits and their log-space evaluation.

For a reference set of N rows the distance to the nearest is modelled by its cumulative hazard H,
F(u) = 1 - exp(-H(u)), with H(u) = exp(a) · u^shape (Weibull) or exp(a + shape · u) (Gumbel).
Another reference size multiplies H: exact for independent draws, where 1 - F is a power of N.

References
----------
Szatkownik et al. 2025, arXiv 2510.24233 (PRIVET: model, families, tail fit). The rescaling of the
hazard, the censored likelihood and the hurdle at 0 are derived from F(u, N) = 1 - (1 - F(u))^N.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

import numpy as np
from scipy.optimize import brentq

if TYPE_CHECKING:
    from numpy.typing import NDArray

MIN_DISTINCT = 10


class Family(StrEnum):
    """The two families of minima."""

    WEIBULL = "weibull"
    GUMBEL = "gumbel"


class FitMode(StrEnum):
    """How the tail is fitted."""

    CENSORED_MLE = "censored_mle"
    OLS_TAIL = "ols_tail"


class TailNotFittable(ValueError):  # noqa: N818 - a property of the data
    """The lower tail has too few distinct positive distances, or too many zeros."""


@dataclass(frozen=True)
class TailFit:
    """A fitted law of nearest-neighbour distances.

    ``zero_share`` is the share p0 of distances that are exactly 0; the family describes the
    positive ones: 1 - F(u) = (1 - p0) exp(-H(u)) and F(0) = p0. ``criterion`` is what chose the
    family: the residual mean square (least is best) or the log-likelihood (greatest is best).
    ``misfit`` is the greatest distance between the empirical and the fitted distribution function
    over the fitted range, ``used`` the number of distances in it.
    """

    family: Family
    a: float
    shape: float
    zero_share: float
    criterion: float
    misfit: float
    used: int

    def log_hazard(self, u: NDArray[np.float64], factor: float = 1.0) -> NDArray[np.float64]:
        """Return ln(factor · H(u)); -inf at u = 0."""
        with np.errstate(divide="ignore"):
            position = np.log(u) if self.family is Family.WEIBULL else u
        rate = math.log(factor) + self.a + self.shape * position
        return np.where(u > 0, rate, -np.inf)

    def log_cdf(
        self, u: NDArray[np.float64], factor: float = 1.0
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return ln F(u) and ln(1 - F(u)), neither formed by subtracting numbers near each other.

        ``factor`` is the size of the reference relative to the one the fit was made on.

        Examples
        --------
        >>> fit = TailFit(Family.GUMBEL, -8.0, 1.2, 0.0, 0.0, 0.0, 0)
        >>> round(float(-fit.log_cdf(np.array([5.0]), 0.5)[1][0]), 10)
        0.0676676416
        """
        log_h = self.log_hazard(u, factor)
        hazard = np.exp(np.minimum(log_h, 700.0))
        with np.errstate(divide="ignore"):
            log_f = np.where(
                hazard >= 1e-8, np.log(-np.expm1(-np.maximum(hazard, 1e-8))), log_h - hazard / 2
            )
            if self.zero_share:
                log_f = np.logaddexp(
                    math.log(self.zero_share), math.log1p(-self.zero_share) + log_f
                )
            survival = -hazard + math.log1p(-self.zero_share)
        return np.minimum(log_f, 0.0), survival


def fit_tail(
    distances: NDArray[np.float64],
    *,
    mode: FitMode,
    quantile: float = 0.2,
    distinct: int = MIN_DISTINCT,
) -> TailFit:
    """Return the better of the two families, fitted to the lower tail of the distances.

    Parameters
    ----------
    distances
        Leave-one-out nearest-neighbour distances of the reference rows; zeros are set aside.
    mode
        ``censored_mle``: likelihood of the smallest share ``quantile``, the others known only to
        be larger. ``ols_tail``: straight line through the Weibull or Gumbel plot of the positions
        from 1 % to ``quantile`` (the published recipe).
    quantile
        Upper end of the fitted range, in (0, 1].
    distinct
        How many distinct positive distances the fitted range must have, at least 3.

    Raises
    ------
    TailNotFittable
        If fewer than ``distinct`` positive distances lie in the fitted range.
    """
    ordered = np.sort(distances)
    positive = ordered[ordered > 0]
    zero_share = 1 - len(positive) / len(ordered)
    if mode is FitMode.OLS_TAIL:
        first, end = math.ceil(0.01 * len(positive)), int(quantile * len(positive)) - 1
        tail = positive[first : end + 1]
        _require_distinct(tail, distinct)
        fits = [_least_squares(family, positive, first, end) for family in Family]
        best = min(fits, key=lambda fit: fit[2])
    else:
        k = math.floor(quantile * len(positive))
        tail = positive[:k]
        _require_distinct(tail, distinct)
        fits = [
            censored_fit(family, tail, censored=len(positive) - k, limit=float(tail[-1]))
            for family in Family
        ]
        best = max(fits, key=lambda fit: fit[2])
    family = list(Family)[fits.index(best)]
    a, shape, criterion = best
    bare = TailFit(family, a, shape, 0.0, criterion, 0.0, len(tail))
    empirical = np.searchsorted(positive, tail, side="right") / len(positive)
    fitted = np.exp(bare.log_cdf(tail)[0])
    misfit = float(np.abs(empirical - fitted).max())
    return TailFit(family, a, shape, zero_share, criterion, misfit, len(tail))


def _require_distinct(tail: NDArray[np.float64], needed: int) -> None:
    distinct = len(np.unique(tail))
    if distinct < needed:
        raise TailNotFittable(
            f"the lower tail of the train distances has {distinct} distinct positive values, "
            f"{needed} are needed"
        )


def _least_squares(
    family: Family, positive: NDArray[np.float64], first: int, last: int
) -> tuple[float, float, float]:
    """Return (a, shape, residual mean square) of the plot from 0-based position first to last."""
    ranks = np.arange(first, last + 1)
    y = np.log(-np.log1p(-(ranks + 1) / len(positive)))
    tail = positive[ranks]
    x = np.log(tail) if family is Family.WEIBULL else tail
    centred = x - x.mean()
    shape = float(centred @ (y - y.mean()) / (centred @ centred))
    a = float(y.mean() - shape * x.mean())
    residual = y - a - shape * x
    return a, shape, float(residual @ residual / (len(x) - 2))


def censored_fit(
    family: Family, values: NDArray[np.float64], *, censored: int, limit: float
) -> tuple[float, float, float]:
    """Return (a, shape, log-likelihood) of values with ``censored`` further ones beyond ``limit``.

    The likelihood is concave in the logarithm of the shape's profile; the scale follows in closed
    form from the shape.

    Raises
    ------
    TailNotFittable
        If the values do not vary.

    Examples
    --------
    >>> a, shape, _ = censored_fit(Family.WEIBULL, np.array([1.0, 2, 3]), censored=7, limit=3.0)
    >>> round(a, 10), round(shape, 10)
    (-3.3863415506, 2.1325645996)
    """
    k = len(values)
    position = np.log(values) if family is Family.WEIBULL else values
    end = math.log(limit) if family is Family.WEIBULL else limit
    shifted = position - end  # no exponent above 0, so nothing overflows
    spread = float(-shifted.mean())
    if spread <= 0 or not np.isfinite(spread):
        raise TailNotFittable("the smallest train distances do not vary")

    def slope(log_shape: float) -> float:
        weight = np.exp(math.exp(log_shape) * shifted)
        total = weight.sum() + censored
        return float(k / math.exp(log_shape) + shifted.sum() - k * (weight @ shifted) / total)

    centre = -math.log(spread)
    low, high = centre, centre
    while slope(low) < 0:
        low -= 1.0
    while slope(high) > 0:
        high += 1.0
        if high > centre + 200:
            raise TailNotFittable("the smallest train distances do not vary")
    shape = math.exp(brentq(slope, low, high, xtol=1e-15, rtol=1e-15, maxiter=200))
    total = float(np.exp(shape * shifted).sum()) + censored
    a = math.log(k / total) - shape * end
    likelihood = k * a + k * math.log(shape) + shape * float(position.sum()) - k
    if family is Family.WEIBULL:
        likelihood -= float(np.log(values).sum())
    return a, shape, likelihood
