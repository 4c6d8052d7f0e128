"""Points turned so that their first coordinates vary most, which is what a k-d tree cuts along."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from privgate.neighbors.engines.coordinates import HALF_UNIT, TURNED, Points
from privgate.neighbors.tiles import blocks

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from privgate.neighbors.engines.contract import Question

SAMPLE = 2048
FEWEST_DIMENSIONS = 4
MOST_DIMENSIONS = 256
NEGLIGIBLE = 1e-6  # of the squared distances that are looked for


def turned_along(points: Points, question: Question[Any]) -> Points:
    """Return points along the principal axes of a sample, or as they are if that may lose digits.

    A coordinate of a centred point v along an axis is a sum of d products, off by at most
    (d + 2)·2⁻⁵³·|v|·|axis|, the point by √d times that: η. The axes are orthogonal up to far less
    than 10⁻¹⁰, which is checked. As for weights, (δ + 2η)² ≤ (1 + t)δ² + (1 + 1/t)4η², t = 10⁻¹⁰.
    """
    if not FEWEST_DIMENSIONS <= points.dimensions <= MOST_DIMENSIONS:
        return points
    step = max(1, len(question.base) // SAMPLE)
    sample = points.of(question.base.take(slice(None, None, step)))
    centre = sample.mean(axis=0)
    axes = np.linalg.svd(sample - centre, full_matrices=False)[2].T
    if axes.shape[0] != axes.shape[1] or not _orthogonal(axes):
        return points
    length = max(_longest(points, rows, centre) for rows in (question.queries, question.base))
    off = np.sqrt(points.dimensions) * (points.dimensions + 2) * HALF_UNIT * length
    added = 5e10 * off**2
    if not added < NEGLIGIBLE * _usual(sample, len(question.base)):
        return points
    return replace(points, absolute=points.absolute + added, centre=centre, axes=axes)


def _orthogonal(axes: NDArray[np.float64]) -> bool:
    products = axes.T @ axes - np.eye(len(axes))
    return bool(np.abs(products).sum(axis=1).max() < 1e-11)


def _longest(points: Points, rows: Any, centre: NDArray[np.float64]) -> float:
    """Return the length of the longest point; NaN if one of them has none."""
    squares = [
        ((points.of(rows.take(block)) - centre) ** 2).sum(axis=1).max()
        for block in blocks(0, len(rows), TURNED)
    ]
    return float(np.sqrt(np.max(squares)))


def _usual(sample: NDArray[np.float64], rows: int) -> float:
    """Return a squared distance that is small for neighbours among so many rows.

    The points of the sample next to each other in the order of their first coordinates stand for
    near ones; among more rows than the sample has, neighbours are nearer.
    """
    ordered = sample[np.lexsort(sample.T[::-1])]
    squared = (np.diff(ordered, axis=0) ** 2).sum(axis=1)
    return float(np.median(squared)) * (len(sample) / rows) ** 2
