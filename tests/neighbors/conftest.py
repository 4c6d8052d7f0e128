"""Distances and lists by plain loops, to compare every engine with."""

import math
from types import SimpleNamespace

import numpy as np
import pytest

from privgate.encoding import BinaryRows, CosineRows, EuclideanRows, GowerRows
from privgate.encoding.cosine import PARALLEL


@pytest.fixture(scope="session")
def loops():
    """Return functions that use nothing but one Python float operation after the other."""
    return SimpleNamespace(distances=distances, nearest=nearest)


def distances(queries, base):
    one = {
        EuclideanRows: _euclidean,
        GowerRows: _gower,
        BinaryRows: _hamming,
        CosineRows: _cosine,
    }[type(queries)]
    found = [[one(queries, i, base, j) for j in range(len(base))] for i in range(len(queries))]
    return np.array(found).reshape(len(queries), len(base))


def nearest(matrix, k, *, within=False):
    """Return the k smallest of each row by (distance, index), and where they are."""
    found = [
        sorted((d, j) for j, d in enumerate(row) if not (within and i == j))[:k]
        for i, row in enumerate(matrix.tolist())
    ]
    return tuple(np.array([[pair[side] for pair in row] for row in found]) for side in (0, 1))


def _columns(queries, i, base, j):
    """Yield, of levels and then of numbers, the two rows' values and the weight of each column."""
    for name in ("level", "number"):
        mine, theirs = getattr(queries, f"{name}s")[i], getattr(base, f"{name}s")[j]
        weights = getattr(queries, f"{name}_weights")
        weights = np.ones(len(mine)) if weights is None else weights
        yield list(zip(mine.tolist(), theirs.tolist(), weights.tolist(), strict=True))


def _euclidean(queries, i, base, j):
    levels, numbers = _columns(queries, i, base, j)
    unequal = squares = 0.0
    for a, b, weight in levels:
        unequal += weight * weight if a != b else 0.0
    for a, b, weight in numbers:
        squares += (a - b) * (a - b) * (weight * weight)
    return math.sqrt(squares + 2.0 * unequal)


def _gower(queries, i, base, j):
    levels, numbers = _columns(queries, i, base, j)
    total = 0.0
    for a, b, weight in levels:
        total += weight if a != b else 0.0
    for a, b, weight in numbers:
        holes = math.isnan(a) + math.isnan(b)
        total += weight * ((0.0, 1.0, 0.0)[holes] if holes else min(abs(a - b), 1.0))
    return total / queries.total_weight


def _hamming(queries, i, base, j):
    words = zip(queries.words[i].tolist(), base.words[j].tolist(), strict=True)
    return float(sum((a ^ b).bit_count() for a, b in words))


def _cosine(queries, i, base, j):
    total = 0.0
    for a, b in zip(queries.directions[i].tolist(), base.directions[j].tolist(), strict=True):
        total += (a - b) * (a - b)
    return (0.0 if total < PARALLEL else total) / 2.0
