"""Comparison of distances under the tie rule."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

TIE = 1e-9


def tied(a: ArrayLike, b: ArrayLike) -> NDArray[np.bool_]:
    """Return where two non-negative distances are tied: ``|a - b| ≤ 1e-9 · max(a, b)``.

    Zero is tied with zero only.

    Examples
    --------
    >>> tied([0.0, 0.0, 1.0], [0.0, 1e-300, 1.0 + 1e-12]).tolist()
    [True, False, True]
    """
    left, right = np.asarray(a, np.float64), np.asarray(b, np.float64)
    return np.asarray(np.abs(left - right) <= TIE * np.maximum(left, right))


def less(a: ArrayLike, b: ArrayLike) -> NDArray[np.bool_]:
    """Return where ``a < b`` and the two are not tied."""
    left, right = np.asarray(a, np.float64), np.asarray(b, np.float64)
    return np.asarray((left < right) & ~tied(left, right))


def at_most(a: ArrayLike, b: ArrayLike) -> NDArray[np.bool_]:
    """Return where ``a ≤ b``, ties included."""
    return ~less(b, a)


def tie_bounds(reference: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the smallest and the largest distance that is tied with each reference distance.

    Comparing many distances with one pair of bounds is faster than :func:`tied` on each pair.

    Examples
    --------
    >>> low, high = tie_bounds([0.0, 1.0])
    >>> bool(low[0] == high[0] == 0), bool(low[1] < 1 < high[1])
    (True, True)
    """
    distance = np.asarray(reference, np.float64)
    return distance * (1 - TIE), distance / (1 - TIE)


def tie_levels(distances: ArrayLike) -> NDArray[np.int64]:
    """Return the place of each distance among the distinct ones; tied distances share a place.

    Of distances in order each is compared with the one before, so a chain of ties is one place.

    Examples
    --------
    >>> tie_levels([2.0, 0.0, 2.0 + 1e-12, 1.0]).tolist()
    [2, 0, 2, 1]
    """
    values = np.asarray(distances, np.float64)
    order = np.argsort(values)
    ordered = values[order]
    level = np.concatenate([[0], np.cumsum(~tied(ordered[1:], ordered[:-1]))])[: len(values)]
    places = np.empty(len(values), np.int64)
    places[order] = level
    return places
