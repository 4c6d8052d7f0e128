"""Encoded rows as one dense matrix, for methods that need coordinates and not only distances."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from privgate.errors import NotAssessable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from privgate.encoding.rows import EuclideanRows
    from privgate.encoding.space import Space

MOST_LEVELS = 64
RANK = 1e-9  # singular values below this share of the largest are rounding


@dataclass(frozen=True)
class DenseEncoder:
    """Turns rows of the Euclidean space into scaled numbers and 0/1 indicators.

    ``known`` holds, for each column with levels, the codes that have an indicator of their own;
    all other codes share one more. As long as no column has more than 64 levels, the distances of
    the matrix are those of the space.
    """

    known: tuple[NDArray[np.int32], ...]

    @classmethod
    def fitted(cls, space: Space[EuclideanRows], *, most: int = MOST_LEVELS) -> DenseEncoder:
        """Return an encoder of all levels of a space, or of the most frequent ones in train.

        Of a column with more than ``most`` levels those are known that are more frequent in train
        than the first that would be too many; so the choice does not depend on names.
        """
        tables = [space.train, space.synthetic, *([space.holdout] if space.holdout else [])]
        return cls(
            tuple(
                _known([table.levels[:, column] for table in tables], most)
                for column in range(space.train.levels.shape[1])
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

        Raises
        ------
        NotAssessable
            If the sample does not vary, or its directions are not unique because two singular
            values agree where the cut is made.
        """
        centre = sample.mean(axis=0)
        _, size, axes = np.linalg.svd(sample - centre, full_matrices=False)
        rank = int((size > RANK * max(size[0], 1.0)).sum())
        if not rank:
            raise NotAssessable("the rows do not vary, so they have no principal directions")
        kept = min(dimensions, rank)
        if kept < rank and size[kept - 1] - size[kept] <= RANK * size[kept - 1]:
            raise NotAssessable(
                f"the {kept} directions of greatest variation are not unique; "
                "ask for another number of dimensions"
            )
        return cls(centre, axes[:kept].T)

    def coordinates(self, matrix: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the coordinates of rows in these directions."""
        return (matrix - self.centre) @ self.axes


def _known(codes: Sequence[NDArray[np.int32]], most: int) -> NDArray[np.int32]:
    everywhere = np.unique(np.concatenate(codes))
    if len(everywhere) <= most:
        return everywhere
    levels, counts = np.unique(codes[0], return_counts=True)
    descending = np.sort(counts)[::-1]
    limit = descending[most] if len(descending) > most else 0
    return levels[counts > limit]
