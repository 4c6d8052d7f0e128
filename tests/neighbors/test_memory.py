"""A search of many points makes no second copy of them while it prepares."""

import tracemalloc

import numpy as np
import pytest

from privgate.encoding import EuclideanRows
from privgate.neighbors.engines import Question
from privgate.neighbors.engines.coordinates import points_of
from privgate.neighbors.engines.rotation import turned_along

ROWS = 300_000


@pytest.fixture(scope="module")
def question():
    rng = np.random.default_rng(1)
    numbers = rng.normal(size=(ROWS, 3)) @ rng.normal(size=(3, 8))
    rows = EuclideanRows(numbers, np.empty((ROWS, 0), np.int32))
    return Question(rows, rows, 1)


def peak(work):
    """Return the bytes that work holds at most."""
    tracemalloc.start()
    try:
        work()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_points_are_examined_and_turned_without_a_copy_beside_them(question):
    points = points_of(question)
    size = question.base.numbers.nbytes
    assert peak(lambda: points_of(question)) < size / 4
    assert peak(lambda: turned_along(points, question)) < size * 3 / 4
    turned = turned_along(points, question)
    assert turned.axes is not None
    assert peak(lambda: turned.of(question.base)) < size * 7 / 4  # the turned points, and a block
