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
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

import numpy as np

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
    FULL_MLE = "full_mle"
    OLS_TAIL = "ols_tail"


class TailNotFittable(ValueError):  # noqa: N818 - a property of the data
    """The lower tail has too few distinct positive distances, or too many zeros."""


@dataclass(frozen=True)
class TailLaw:
    """A law of nearest-neighbour distances.

    ``zero_share`` is the share p0 of distances that are exactly 0; the family describes the
    positive ones: 1 - F(u) = (1 - p0) exp(-H(u)) and F(0) = p0.
    """

    family: Family
    a: float
    shape: float
    zero_share: float = 0.0

    def coordinate(self, u: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return where positive distances lie on the axis that makes ln H a straight line."""
        return _coordinate(self.family, u)

    def log_hazard(self, u: NDArray[np.float64], factor: float = 1.0) -> NDArray[np.float64]:
        """Return ln(factor · H(u)); -inf at u = 0."""
        with np.errstate(divide="ignore"):
            rate = math.log(factor) + self.a + self.shape * self.coordinate(u)
        return np.where(u > 0, rate, -np.inf)

    def log_cdf(
        self, u: NDArray[np.float64], factor: float = 1.0
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return ln F(u) and ln(1 - F(u)), neither formed by subtracting numbers near each other.

        ``factor`` is the size of the reference relative to the one the fit was made on.

        Examples
        --------
        >>> law = TailLaw(Family.GUMBEL, -8.0, 1.2)
        >>> round(float(-law.log_cdf(np.array([5.0]), 0.5)[1][0]), 10)
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


@dataclass(frozen=True)
class TailFit(TailLaw):
    """A law that was fitted, and how well it fits.

    ``criterion`` is what chose the family: the residual mean square (least is best) or the
    log-likelihood (greatest is best). ``misfit`` is the greatest distance between the empirical
    and the fitted distribution function over the fitted range, ``residual`` the residual mean
    square on the Weibull or Gumbel plot there, ``used`` the number of distances in that range.
    """

    criterion: float = field(kw_only=True)
    misfit: float = field(kw_only=True)
    residual: float = field(kw_only=True)
    used: int = field(kw_only=True)


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
        be larger. ``full_mle``: likelihood of all of them. ``ols_tail``: straight line through the
        Weibull or Gumbel plot of the positions from 1 % to ``quantile`` (the published recipe).
    quantile
        Upper end of the fitted range, in (0, 1); ``full_mle`` does not look at it.
    distinct
        How many distinct positive distances the fitted range must have, at least 3.

    Raises
    ------
    TailNotFittable
        If fewer than ``distinct`` positive distances lie in the fitted range.
    """
    ordered = np.sort(distances)
    positive = ordered[ordered > 0]
    places = _fitted_places(len(positive), mode, quantile)
    tail = positive[places]
    _require_distinct(tail, distinct)
    if mode is FitMode.OLS_TAIL:
        fits = {family: _least_squares(family, positive, places) for family in Family}
        best = min(fits, key=lambda family: fits[family][2])
    else:
        beyond = len(positive) - len(tail)
        limit = float(tail[-1])
        fits = {
            family: censored_fit(family, tail, censored=beyond, limit=limit) for family in Family
        }
        best = max(fits, key=lambda family: fits[family][2])
    a, shape, criterion = fits[best]
    empirical = np.searchsorted(positive, tail, side="right") / len(positive)
    fitted = np.exp(TailLaw(best, a, shape).log_cdf(tail)[0])
    return TailFit(
        best,
        a,
        shape,
        (len(ordered) - len(positive)) / len(ordered),
        criterion=criterion,
        misfit=float(np.abs(empirical - fitted).max()),
        residual=_residual(best, a, shape, positive, places),
        used=len(tail),
    )


def plot_height(places: NDArray[np.int64], size: int) -> NDArray[np.float64]:
    """Return ln(-ln(1 - i/N)) for sorted places, counted from 0; infinite at the last of N."""
    with np.errstate(divide="ignore"):
        return np.log(-np.log1p(-(places + 1) / size))


def _coordinate(family: Family, u: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.log(u) if family is Family.WEIBULL else u


def _fitted_places(size: int, mode: FitMode, quantile: float) -> NDArray[np.int64]:
    """Return the sorted places that are fitted, counted from 0."""
    if mode is FitMode.OLS_TAIL:
        return np.arange(math.ceil(0.01 * size), int(quantile * size))
    return np.arange(size if mode is FitMode.FULL_MLE else math.floor(quantile * size))


def _require_distinct(tail: NDArray[np.float64], needed: int) -> None:
    distinct = len(np.unique(tail))
    if distinct < needed:
        raise TailNotFittable(
            f"the lower tail of the train distances has {distinct} distinct positive values, "
            f"{needed} are needed"
        )


def _least_squares(
    family: Family, positive: NDArray[np.float64], places: NDArray[np.int64]
) -> tuple[float, float, float]:
    """Return (a, shape, residual mean square) of the plot at these places."""
    y = plot_height(places, len(positive))
    x = _coordinate(family, positive[places])
    centred = x - x.mean()
    shape = float(centred @ (y - y.mean()) / (centred @ centred))
    a = float(y.mean() - shape * x.mean())
    return a, shape, _residual(family, a, shape, positive, places)


def _residual(
    family: Family,
    a: float,
    shape: float,
    positive: NDArray[np.float64],
    places: NDArray[np.int64],
) -> float:
    """Return the residual mean square on the plot, without the last place, which has no height."""
    shown = places[places < len(positive) - 1]
    gap = plot_height(shown, len(positive)) - a - shape * _coordinate(family, positive[shown])
    return float(gap @ gap / max(1, len(shown) - 2))


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
    position = _coordinate(family, values)
    end = float(_coordinate(family, np.array([limit]))[0])
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
    from scipy.optimize import brentq  # noqa: PLC0415 - slow to import

    shape = math.exp(brentq(slope, low, high, xtol=1e-15, rtol=1e-15, maxiter=200))
    total = float(np.exp(shape * shifted).sum()) + censored
    a = math.log(k / total) - shape * end
    likelihood = k * a + k * math.log(shape) + shape * float(position.sum()) - k
    if family is Family.WEIBULL:
        likelihood -= float(np.log(values).sum())
    return a, shape, likelihood
