from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from privgate.data import Distance, release_from_arrays
from privgate.encoding import BinaryRows, CosineRows, space_of
from privgate.errors import NotAssessable

POINTS = np.array([[3.0, 0.0], [0.0, 4.0], [6.0, 0.0]])
BITS = np.array([[0, 1, 1], [0, 0, 1], [1, 1, 0]])


def space(matrix, distance, wanted=None):
    release = release_from_arrays(train=matrix, synthetic=matrix, distance=distance)
    return space_of(release, wanted), release.train.positions - 1


def between(matrix, distance, wanted=None):
    """Distances of all rows to all rows in the order in which they were given."""
    found, given = space(matrix, distance, wanted)
    back = np.argsort(given)
    return found.train.distances(found.synthetic)[np.ix_(back, back)].tolist()


def test_worked_distances():
    assert between(BITS, "hamming") == [[0, 1, 2], [1, 0, 3], [2, 3, 0]]
    assert between(POINTS, "euclidean") == [[0, 5, 3], [5, 0, np.sqrt(52)], [3, np.sqrt(52), 0]]
    assert between(POINTS, "cosine") == [[0, 1, 0], [1, 0, 1], [0, 1, 0]]
    assert between(POINTS, "euclidean", Distance.COSINE) == between(POINTS, "cosine")
    opposite = np.array([[1.0, 2.0], [-2.0, -4.0]])
    assert between(opposite, "cosine")[0][1] == pytest.approx(2, abs=1e-15)


def test_coordinates_are_taken_as_they_are():
    scaled = POINTS * [1, 1000]
    assert between(scaled, "euclidean")[0][1] == pytest.approx(np.hypot(3, 4000), rel=1e-15)


def test_what_does_not_fit_is_not_assessed():
    for matrix, own, wanted in (
        (BITS, "hamming", Distance.EUCLIDEAN),
        (BITS, "hamming", Distance.GOWER),
        (BITS, "euclidean", Distance.HAMMING),
    ):
        with pytest.raises(NotAssessable):
            space(matrix, own, wanted)
    with pytest.raises(NotAssessable, match="rows of zeros"):
        space(np.array([[0, 0], [1, 2]]), "euclidean", Distance.COSINE)
    for distance in ("hamming", "euclidean", "cosine"):
        with pytest.raises(NotAssessable, match="no dimension varies"):
            space(np.ones((3, 2)), distance)


finite = st.floats(-1e6, 1e6).filter(lambda x: x == 0 or abs(x) > 1e-6)


@given(arrays(np.float64, (6, 4), elements=finite), st.floats(1e-5, 1e5))
def test_laws_of_the_cosine_distance(matrix, factor):
    matrix = matrix[matrix.any(axis=1)]
    if not len(matrix):
        return
    rows, multiples = CosineRows.of(matrix), CosineRows.of(matrix * factor)
    found = rows.distances(rows)
    assert (np.diagonal(found) == 0).all()
    assert (np.diagonal(rows.distances(multiples)) == 0).all()
    assert np.array_equal(found, found.T)
    assert ((found >= 0) & (found <= 2 + 1e-12)).all()
    lengths = np.linalg.norm(matrix, axis=1)
    expected = 1 - matrix @ matrix.T / np.outer(lengths, lengths)
    assert np.allclose(found, expected, atol=1e-12)


def test_near_copies_have_a_distance():
    row = np.random.default_rng(1).normal(size=(1, 768))
    near = row + np.eye(1, 768) * 1e-9
    assert CosineRows.of(row).distances(CosineRows.of(near))[0, 0] > 0


def test_rows_of_one_direction_share_a_rank():
    rows = CosineRows.of(np.array([[1.0, 2.0], [2.0, 4.0], [2.0, 1.0], [-0.0, 1.0], [0.0, 8.0]]))
    assert len(set(rows.ranks()[:2])) == 1
    assert len(set(rows.ranks()[3:])) == 1
    assert len(set(rows.ranks())) == 3


def test_packed_distances_are_counts_of_unequal_positions_across_tiles():
    rng = np.random.default_rng(2)
    here, there = rng.integers(0, 2, (130, 197)), rng.integers(0, 2, (1100, 197))
    expected = (here[:, None, :] != there[None]).sum(axis=2)
    found = BinaryRows.pack(here).distances(BinaryRows.pack(there))
    assert found.dtype == np.float64
    assert np.array_equal(found, expected)


def test_same_directions_are_the_same_rows():
    rows = CosineRows.of(POINTS)
    assert rows.same_as(CosineRows.of(POINTS * 2))
    assert not rows.same_as(rows.take(np.array([1, 0, 2])))
