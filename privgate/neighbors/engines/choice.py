"""Which engine answers a question: a fixed rule over the data, never over the clock.

Every engine gives the same answer, so the rule decides about time only.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.spatial import cKDTree

from privgate.encoding import BinaryRows, CosineRows, EuclideanRows, GowerRows
from privgate.neighbors.engines.brute import Brute
from privgate.neighbors.engines.coordinates import points_of
from privgate.neighbors.engines.gower import GowerScreen
from privgate.neighbors.engines.hamming import HammingTiles
from privgate.neighbors.engines.screen import Screen
from privgate.neighbors.engines.tree import Tree

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from privgate.neighbors.engines.contract import Engine, Question
    from privgate.neighbors.engines.coordinates import Points

FEWEST_PAIRS = 10**6
"""With fewer pairs than this all of them are measured."""
FEWEST_IN_TREE = 5000
MOST_DIMENSIONS = 8
MOST_FAR = 64
MOST_OPEN = 256
LONGEST_LIST = 256
SAMPLE = 2048
SAMPLED = 2**18  # numbers


def engine_for(question: Question[Any]) -> Engine:
    """Return the engine for a question."""
    if len(question.queries) * len(question.base) < FEWEST_PAIRS:
        return Brute(question)
    if isinstance(question.base, EuclideanRows | CosineRows):
        return _for_points(question)
    if isinstance(question.base, GowerRows):
        screen = GowerScreen.of(question)
        return screen if screen.prunes else Brute(question)
    if isinstance(question.base, BinaryRows):
        return HammingTiles.of(question)
    return Brute(question)


def _for_points(question: Question[Any]) -> Engine:
    points = points_of(question)
    if points is None or max(question.k, question.k_back) > LONGEST_LIST:
        return Brute(question)
    if len(question.base) >= FEWEST_IN_TREE and _few_dimensions(question, points):
        return Tree.of(question, points)
    screen = Screen.of(question, points)
    far = max(len(screen.queries.far), len(screen.base.far))
    most = MOST_OPEN + 8 * max(question.k, question.k_back)
    return Brute(question) if far > MOST_FAR or screen.open_pairs() > most else screen


def _few_dimensions(question: Question[Any], points: Points) -> bool:
    if points.dimensions <= MOST_DIMENSIONS:
        return True
    levels = question.base.levels.shape[1] if isinstance(question.base, EuclideanRows) else 0
    return not levels and intrinsic_dimension(_sample(question, points)) <= MOST_DIMENSIONS


def _sample(question: Question[Any], points: Points) -> NDArray[np.float64]:
    size = min(SAMPLE, SAMPLED // points.dimensions)
    step = max(1, len(question.base) // max(3, size))
    return points.of(question.base.take(slice(None, None, step)))


def intrinsic_dimension(points: NDArray[np.float64]) -> float:
    """Return near how many dimensions points lie; infinite if that is unclear.

    The ratio r of the distances to the second and the first neighbour has the distribution function
    1 - r⁻ᵈ, so d is estimated by one over the mean of ln r.

    References
    ----------
    Facco et al. 2017, doi 10.1038/s41598-017-11873-y.

    Examples
    --------
    >>> plane = np.random.default_rng(1).random((2000, 1)) @ np.ones((1, 20))
    >>> 0.9 < intrinsic_dimension(plane) < 1.1
    True
    """
    distance = np.asarray(cKDTree(points).query(points, k=[2, 3])[0])
    known = distance[:, 0] > 0
    if not known.any():
        return float("inf")
    mean = float(np.log(distance[known, 1] / distance[known, 0]).mean())
    return 1 / mean if mean > 0 else float("inf")
