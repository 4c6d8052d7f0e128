"""What an attacker reads off the published records nearest to a person in the keys."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy.sparse import csr_array

from privgate.data import Role, row_ids
from privgate.encoding import Distance, numbers_of, space_of
from privgate.neighbors import from_tied_nearest

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from privgate.data import Column
    from privgate.metrics.inputs import Inputs

Numbers = dict[str, "NDArray[np.float64]"]


def copied_values(
    inputs: Inputs, secrets: Sequence[Column], *, k: int, distance: Distance | None
) -> dict[str, Numbers]:
    """Return the guess of each secret, by name and real table; NaN where none can be made.

    All published records at most as far away in the quasi-identifiers as the k-th nearest have a
    vote: the most frequent level wins, the lowest on a tie; of numbers the median is taken. Missing
    values do not vote.

    Raises
    ------
    NotAssessable
        If no quasi-identifier varies in train.
    """
    release = inputs.release
    keys = release.with_role(Role.QUASI_IDENTIFIER)
    space = space_of(release.restricted_to({key.name for key in keys}), distance)
    ids = row_ids(release, keys)
    real = [name for name in ("train", "holdout") if name in ids]
    _, first, own = np.unique(
        np.concatenate([ids[name] for name in real]), return_index=True, return_inverse=True
    )
    votes = [(column, numbers_of(release.synthetic, column)) for column in secrets]

    def guessed(closest: csr_array) -> NDArray[np.float64]:
        return np.array(
            [
                _commonest(closest, values, len(column.levels))
                if column.type.has_levels
                else _medians(closest, values)
                for column, values in votes
            ]
        )

    blocks = from_tied_nearest(
        space.real.take(first), space.synthetic, guessed, k=k, executor=inputs.executor
    )
    everyone = np.concatenate(blocks, axis=1)[:, own]
    ends = np.cumsum([len(ids[name]) for name in real])[:-1]
    return {
        column.name: dict(zip(real, np.split(guess, ends), strict=True))
        for column, guess in zip(secrets, everyone, strict=True)
    }


def _commonest(closest: csr_array, codes: NDArray[np.float64], levels: int) -> NDArray[np.float64]:
    voters = np.flatnonzero(~np.isnan(codes))
    ballots = csr_array(
        (np.ones(len(voters), np.int64), (voters, codes[voters].astype(np.int64))),
        shape=(len(codes), levels),
    )
    counts = csr_array(closest @ ballots).toarray()
    return np.where(counts.any(axis=1), counts.argmax(axis=1), np.nan)


def _medians(closest: csr_array, values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the median of the values that each row marks, for all rows at once."""
    pairs = closest.tocoo()
    votes = ~np.isnan(values[pairs.col])
    row, value = pairs.row[votes], values[pairs.col[votes]]
    sizes = np.bincount(row, minlength=closest.shape[0])
    if not len(value):
        return np.full(len(sizes), np.nan)
    value = value[np.lexsort((value, row))]
    starts = np.cumsum(sizes) - sizes
    low = np.minimum(starts + (sizes - 1).clip(0) // 2, len(value) - 1)
    high = np.minimum(starts + sizes // 2, len(value) - 1)
    return np.where(sizes > 0, (value[low] + value[high]) / 2, np.nan)
