"""Encoded rows as one dense matrix, for methods that need coordinates and not only distances."""

from __future__ import annotations

from dataclasses import dataclass
from operator import attrgetter
from typing import TYPE_CHECKING, Any

import numpy as np

from privgate.data.matrices import unpacked
from privgate.encoding.binary import BinaryRows
from privgate.encoding.cosine import CosineRows
from privgate.encoding.euclidean import EuclideanRows
from privgate.errors import NotAssessable

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from privgate.encoding.space import Space

MOST_LEVELS = 64
MOST_INDICATORS = 4096  # of all columns together, so that wide tables fit into memory
MOST_COORDINATES = 2**27  # of 0/1 rows, a gigabyte
RANK = 1e-9  # singular values below this share of the largest are rounding


@dataclass(frozen=True)
class DenseEncoder:
    """Turns rows of the Euclidean space into scaled numbers and 0/1 indicators.

    ``known`` holds, for each column with levels, the codes that have an indicator of their own;
    all other codes share one more. As long as no column has more than 64 levels and all have at
    most 4096 together, the distances of the matrix are those of the space.
    """

    known: tuple[NDArray[np.int32], ...]

    @classmethod
    def fitted(cls, space: Space[EuclideanRows], *, most: int = MOST_LEVELS) -> DenseEncoder:
        """Return an encoder of all levels of a space, or of those most frequent in its real rows.

        Of a column with more than ``most`` levels those are known that are more frequent than the
        first that would be too many; so the choice does not depend on names. Train and holdout
        are counted together: counted in train alone, the levels of train rows would be known more
        often than those of other people, and an attack would see membership where there is none.
        """
        most = min(most, max(2, MOST_INDICATORS // max(1, space.train.levels.shape[1])))
        real, synthetic = space.real.levels, space.synthetic.levels
        return cls(
            tuple(
                _known(real[:, column], synthetic[:, column], most)
                for column in range(real.shape[1])
            )
        )

    def matrix(self, rows: EuclideanRows) -> NDArray[np.float64]:
        """Return the coordinates of rows, shape (rows, numbers and indicators)."""
        indicators = []
        for column, codes in enumerate(self.known):
            own = rows.levels[:, column, None] == codes[None, :]
            indicators += [own, ~own.any(axis=1, keepdims=True)]
        return np.column_stack([rows.numbers, *indicators]).astype(np.float64)


@dataclass(frozen=True)
class Projection:
    """The directions in which a sample varies most (principal components), at unit length."""

    centre: NDArray[np.float64]
    axes: NDArray[np.float64]

    @classmethod
    def fitted(cls, sample: NDArray[np.float64], dimensions: int) -> Projection:
        """Return the first principal directions of a sample, all of them if it has no more.

        Directions that vary as much as the last one wanted are kept, too: which of them a
        decomposition puts first is chance, only all of them together are unique.

        Raises
        ------
        NotAssessable
            If the sample does not vary.
        """
        centre = sample.mean(axis=0)
        _, size, axes = np.linalg.svd(sample - centre, full_matrices=False)
        rank = int((size > RANK * max(size[0], 1.0)).sum())
        if not rank:
            raise NotAssessable("the rows do not vary, so they have no principal directions")
        last = size[min(dimensions, rank) - 1]
        kept = min(rank, int((size >= last * (1 - RANK)).sum()))
        return cls(centre, axes[:kept].T)

    def coordinates(self, matrix: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the coordinates of rows in these directions."""
        return (matrix - self.centre) @ self.axes


def coordinates_of(space: Space[Any]) -> Callable[[Any], NDArray[np.float64]]:
    """Return the function that turns rows of a space into coordinates, one matrix for all tables.

    Raises
    ------
    NotAssessable
        If the distance of the space is not one of coordinates, or there are too many of them.
    """
    if isinstance(space.train, CosineRows):
        return attrgetter("directions")
    if isinstance(space.train, BinaryRows):
        return _positions(space)
    if not isinstance(space.train, EuclideanRows):
        raise NotAssessable(f"rows under the {space.distance} distance have no coordinates here")
    return DenseEncoder.fitted(space).matrix


def _positions(space: Space[BinaryRows]) -> Callable[[BinaryRows], NDArray[np.float64]]:
    """Return the function that unpacks 0/1 rows: their squared distance is the Hamming distance."""
    width = 64 * space.train.words.shape[1]
    rows = len(space.real) + len(space.synthetic)
    if rows * width > MOST_COORDINATES:
        raise NotAssessable(
            f"{rows} rows of {width} positions have too many coordinates to be held in memory"
        )
    return lambda packed: unpacked(packed.words, width)


def _known(real: NDArray[np.int32], synthetic: NDArray[np.int32], most: int) -> NDArray[np.int32]:
    everywhere = np.union1d(real, synthetic)
    if len(everywhere) <= most:
        return everywhere
    levels, counts = np.unique(real, return_counts=True)
    descending = np.sort(counts)[::-1]
    limit = descending[most] if len(descending) > most else 0
    return levels[counts > limit]
