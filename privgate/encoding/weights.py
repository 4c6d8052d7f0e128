"""Spaces in which a column counts the more, the less it varies among real people.

Whoever shares a value that nearly everyone has is not found by it; whoever leaves a value that
nearly everyone has stands out. Dividing by the entropy makes such a difference large.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from privgate.encoding.rows import TabularRows
from privgate.encoding.space import Space, is_number, numbers_of, unseen
from privgate.errors import NotAssessable
from privgate.stats.entropy import bin_counts, entropy

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from privgate.data import Column, Release, Table

T = TypeVar("T", bound=TabularRows)


def entropy_weights(release: Release) -> Mapping[str, float]:
    """Return, for each measured column, one over its entropy in train; 0 if it does not vary.

    The entropy is that of the levels, or of ten equal-width bins over the range in train for
    numbers, dates and ordinal ranks; a missing value is a level, or a bin, of its own.

    References
    ----------
    Yoon et al. 2020, doi 10.1109/JBHI.2020.2980262.
    """
    found = {column.name: _entropy(release.train, column) for column in release.columns}
    return {name: 1 / value if value > 0 else 0.0 for name, value in found.items()}


def entropy_weighted(space: Space[T], release: Release) -> Space[T]:
    """Return the space of a release with each column weighted by :func:`entropy_weights`.

    The encoded rows are those of ``space``; columns that do not vary in train are left out, which
    ``constant`` and ``varying`` tell.

    Raises
    ------
    NotAssessable
        If no column varies in train.
    """
    weights = entropy_weights(release)
    constant = [column for column in release.columns if not weights[column.name]]
    return replace(
        weighted(
            space,
            np.array([weights[name] for name in space.numbers], np.float64),
            np.array([weights[name] for name in space.levels], np.float64),
        ),
        constant=tuple(column.name for column in constant),
        varying=unseen(release, constant),
    )


def weighted(
    space: Space[T], numbers: NDArray[np.float64], levels: NDArray[np.float64]
) -> Space[T]:
    """Return the same rows with a weight for each of their numbers and level codes.

    Raises
    ------
    NotAssessable
        If no weight is above 0.
    """
    if not (numbers > 0).any() and not (levels > 0).any():
        raise NotAssessable("no column varies in train, so no column has a weight")
    return replace(
        space,
        real=space.real.weighted(numbers, levels),
        synthetic=space.synthetic.weighted(numbers, levels),
    )


def _entropy(train: Table, column: Column) -> float:
    if is_number(column):
        return entropy(bin_counts(numbers_of(train, column)))
    return entropy(np.bincount(train.values[column.name].astype(np.int64) + 1))  # -1 is missing
