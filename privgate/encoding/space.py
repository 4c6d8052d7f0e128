"""Encoded spaces: fitted on train alone, applied to train, holdout and synthetic.

Fitting on the synthetic table would let it choose the scale: one outlier shrinks all distances.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import numpy as np

from privgate.data import Distance
from privgate.encoding.binary import BinaryRows
from privgate.encoding.cosine import CosineRows
from privgate.encoding.euclidean import EuclideanRows
from privgate.encoding.gower import GowerRows
from privgate.encoding.rows import Rows
from privgate.errors import NotAssessable

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from privgate.data import Column, Release, Table

R = TypeVar("R", bound=Rows)
Names = tuple[str, ...]
Coordinates = list["NDArray[np.float64]"]


@dataclass(frozen=True)
class Space(Generic[R]):
    """The rows of a release in one encoded space.

    ``real`` are the train rows, of which there are ``trained``, followed by the holdout rows. They
    are held once, and tables are views of them: of a million rows every copy counts.
    ``constant`` names numeric columns without a coordinate because they do not vary in train;
    ``varying`` those of them that nevertheless vary elsewhere, which the distance cannot see.
    ``numbers`` and ``levels`` name, for each number and each level code of a row, the column of the
    release that it comes from.
    """

    distance: Distance
    real: R
    synthetic: R
    trained: int
    constant: Names = ()
    varying: Names = ()
    numbers: Names = ()
    levels: Names = ()

    @classmethod
    def of(
        cls, distance: Distance, train: R, synthetic: R, holdout: R | None = None, **names: Names
    ) -> Space[R]:
        """Return the space of the rows of each table; ``names`` are those of columns."""
        real = train if holdout is None else train.joined(holdout)
        return cls(distance, real, synthetic, len(train), **names)

    @cached_property
    def train(self) -> R:
        """Return the train rows."""
        return self.real.take(slice(0, self.trained))

    @cached_property
    def holdout(self) -> R | None:
        """Return the holdout rows, if there is a holdout."""
        if self.trained == len(self.real):
            return None
        return self.real.take(slice(self.trained, None))


def space_of(release: Release, distance: Distance | None = None) -> Space[Any]:
    """Return a release's rows encoded for a distance, by default the release's own.

    Raises
    ------
    NotAssessable
        If nothing varies in train, or the distance does not fit the release.
    """
    wanted = release.distance if distance is None else distance
    if release.is_array:
        return array_space(release, wanted)
    if wanted not in {Distance.EUCLIDEAN, Distance.GOWER}:
        what = "0/1 arrays" if wanted is Distance.HAMMING else "arrays of coordinates"
        raise NotAssessable(f"the {wanted.value} distance is for {what}, this release is a table")
    if not any(_varies(release.train, column) for column in release.columns):
        raise NotAssessable("no column varies in train, so rows have no distance")
    return gower_space(release) if wanted is Distance.GOWER else euclidean_space(release)


def array_space(release: Release, distance: Distance) -> Space[Any]:
    """Return the rows of an array release; coordinates are taken as they are.

    Raises
    ------
    NotAssessable
        If nothing varies in train, or the distance does not fit the numbers.
    """
    given = {name: table.matrix for name, table in release.tables.items()}
    matrices = {name: matrix for name, matrix in given.items() if matrix is not None}
    _require_fitting(release.distance, distance)
    if (matrices["train"] == matrices["train"][0]).all():
        raise NotAssessable("no dimension varies in train, so rows have no distance")
    rows = {name: _array_rows(matrix, distance) for name, matrix in matrices.items()}
    return Space.of(distance, rows["train"], rows["synthetic"], rows.get("holdout"))


def _require_fitting(own: Distance, wanted: Distance) -> None:
    if wanted is Distance.GOWER:
        raise NotAssessable("the gower distance is for tables, this release is an array")
    if (own is Distance.HAMMING) != (wanted is Distance.HAMMING):
        raise NotAssessable(
            f"the release is an array with the {own.value} distance, which the {wanted.value} "
            "distance does not fit"
        )


def _array_rows(
    matrix: NDArray[np.float64] | NDArray[np.uint64], distance: Distance
) -> BinaryRows | CosineRows | EuclideanRows:
    if matrix.dtype.kind == "u":
        return BinaryRows(matrix.astype(np.uint64, copy=False))
    numbers = matrix.astype(np.float64, copy=False)
    if distance is Distance.EUCLIDEAN:
        return EuclideanRows(numbers, np.empty((len(numbers), 0), np.int32))
    if not numbers.any(axis=1).all():
        raise NotAssessable("rows of zeros have no direction, so no cosine distance")
    return CosineRows.of(numbers)


def euclidean_space(release: Release) -> Space[EuclideanRows]:
    """Return rows under the Euclidean distance of standardised numbers and 0/1 indicators.

    Numbers are standardised by mean and population standard deviation in train; a missing number
    sits at the mean and sets an indicator of its own. Two different levels add 2 to the squared
    distance, as two independent standardised numbers do on average. Ordinal levels count as ranks.
    """
    numeric = [column for column in release.columns if is_number(column)]
    levels = [column.name for column in release.columns if not is_number(column)]
    constant = [column for column in numeric if not _varies(release.train, column)]
    scaled = {
        column.name: _standardised(release, column) for column in numeric if column not in constant
    }

    def encoded(table: Table) -> EuclideanRows:
        numbers = [part for encode in scaled.values() for part in encode(table)]
        return EuclideanRows(_stacked(table, numbers), _levels(table, levels))

    return Space.of(
        Distance.EUCLIDEAN,
        encoded(release.train),
        encoded(release.synthetic),
        None if release.holdout is None else encoded(release.holdout),
        constant=tuple(column.name for column in constant),
        varying=unseen(release, constant),
        numbers=tuple(name for name, encode in scaled.items() for _ in encode(release.train)),
        levels=tuple(levels),
    )


def gower_space(release: Release) -> Space[GowerRows]:
    """Return rows under Gower's distance: numbers in units of their range in train.

    A numeric column that does not vary in train counts like a level: equal or not.
    """
    ranged = [
        column
        for column in release.columns
        if is_number(column) and _range(release.train, column)[1] > 0
    ]
    matched = [column for column in release.columns if column not in ranged]
    named = [column.name for column in matched if not is_number(column)]
    coded = [column for column in matched if is_number(column)]
    codes = _common_codes(release, coded)

    def encoded(name: str, table: Table) -> GowerRows:
        numbers = []
        for column in ranged:
            low, span = _range(release.train, column)
            numbers.append((numbers_of(table, column) - low) / span)
        levels = np.column_stack([_levels(table, named), *codes[name]])
        return GowerRows(_stacked(table, numbers), levels)

    return Space.of(
        Distance.GOWER,
        encoded("train", release.train),
        encoded("synthetic", release.synthetic),
        None if release.holdout is None else encoded("holdout", release.holdout),
        numbers=tuple(column.name for column in ranged),
        levels=(*named, *(column.name for column in coded)),
    )


def binary_space(
    train: NDArray[np.integer],
    synthetic: NDArray[np.integer],
    holdout: NDArray[np.integer] | None = None,
) -> Space[BinaryRows]:
    """Return 0/1 matrices, for example haplotypes, as a Hamming space.

    Raises
    ------
    ValueError
        If a matrix holds anything but 0 and 1, or the numbers of columns differ.
    """
    given = [matrix for matrix in (train, synthetic, holdout) if matrix is not None]
    if len({matrix.shape[1] for matrix in given}) != 1:
        raise ValueError("the matrices have different numbers of columns")
    return Space.of(
        Distance.HAMMING,
        BinaryRows.pack(train),
        BinaryRows.pack(synthetic),
        None if holdout is None else BinaryRows.pack(holdout),
    )


def unseen(release: Release, constant: Sequence[Column]) -> Names:
    """Return which of the columns that are constant in train vary in another table."""
    others = [table for name, table in release.tables.items() if name != "train"]
    return tuple(
        column.name
        for column in constant
        if any(_leaves(release.train, table, column) for table in others)
    )


def _standardised(release: Release, column: Column) -> Callable[[Table], Coordinates]:
    train = numbers_of(release.train, column)
    # A power of two changes no digit, and keeps squares of values near 1e300 or 1e-300 in range.
    exponent = -int(np.frexp(np.nanmax(np.abs(train)))[1])
    values = np.ldexp(train, exponent)
    mean = float(np.nanmean(values))
    spread = float(np.nanstd(values)) or 1.0  # 0 where only missingness varies
    indicated = any(np.isnan(numbers_of(table, column)).any() for table in release.tables.values())

    def coordinates(table: Table) -> Coordinates:
        numbers = numbers_of(table, column)
        missing = np.isnan(numbers)
        standard = np.where(missing, 0.0, (np.ldexp(numbers, exponent) - mean) / spread)
        return [standard, missing.astype(np.float64)] if indicated else [standard]

    return coordinates


def _common_codes(
    release: Release, columns: Sequence[Column]
) -> dict[str, list[NDArray[np.int32]]]:
    """Return, per table, each column's numbers as codes that are equal where the numbers are."""
    codes: dict[str, list[NDArray[np.int32]]] = {name: [] for name in release.tables}
    for column in columns:
        known = np.unique(
            np.concatenate([numbers_of(table, column) for table in release.tables.values()])
        )
        for name, table in release.tables.items():
            found = np.searchsorted(known, numbers_of(table, column))  # NaN sorts last
            codes[name].append(found.astype(np.int32))
    return codes


def _stacked(table: Table, numbers: Coordinates) -> NDArray[np.float64]:
    return np.column_stack(numbers) if numbers else np.empty((table.rows, 0), np.float64)


def _levels(table: Table, names: Sequence[str]) -> NDArray[np.int32]:
    if not names:
        return np.empty((table.rows, 0), np.int32)
    return np.column_stack([table.values[name] for name in names]).astype(np.int32)


def is_number(column: Column) -> bool:
    """Return whether a column's values have distances of their own, not only equality."""
    return not column.type.has_levels or column.type == "ordinal"


def numbers_of(table: Table, column: Column) -> NDArray[np.float64]:
    """Return a column as numbers, level codes included, missing values as NaN."""
    values = table.values[column.name].astype(np.float64)
    return np.where(values < 0, np.nan, values) if column.type.has_levels else values


def _range(table: Table, column: Column) -> tuple[float, float]:
    values = numbers_of(table, column)
    low = float(np.nanmin(values))
    return low, float(np.nanmax(values)) - low


def _varies(table: Table, column: Column) -> bool:
    values = numbers_of(table, column)
    return bool((values != values[0]).any() and not np.isnan(values).all())


def _leaves(train: Table, table: Table, column: Column) -> bool:
    value = np.unique(numbers_of(train, column))
    return not np.array_equal(np.unique(numbers_of(table, column)), value, equal_nan=True)
