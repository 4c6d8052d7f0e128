"""Leaks in arrays: fields are positions or coordinates.

A perturbed leak flips one copied 0/1 position in a hundred, one at least, or moves every copied
coordinate by a hundredth of its standard deviation in train.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from privgate.data.columns import Table
from privgate.data.matrices import BLOCK, packed_words, unpacked

if TYPE_CHECKING:
    from numpy.random import Generator
    from numpy.typing import NDArray

    from privgate.data import Release
    from privgate.trials.leak import Leak

NOISE = 0.01  # of a column's standard deviation in train, and of 0/1 positions


def overwritten_array(
    release: Release,
    people: NDArray[np.int64],
    rows: NDArray[np.int64],
    leak: Leak,
    rng: Generator,
) -> Table:
    """Return the synthetic table with fields of train rows ``people`` in its rows ``rows``.

    Raises
    ------
    ValueError
        If the release has no arrays.
    """
    train, synthetic = release.train.matrix, release.synthetic.matrix
    if train is None or synthetic is None or release.facts.array is None:
        raise ValueError("the release has no arrays")
    width = release.facts.array.dimensions
    packed = train.dtype.kind == "u"
    spread = NOISE * (1.0 if packed else train.std(axis=0))
    fresh = synthetic.copy()
    step = max(1, BLOCK // width)
    for start in range(0, len(rows), step):
        here, there = rows[start : start + step], people[start : start + step]
        copied = chosen_fields(len(here), width, leak.fields, rng)
        mine, theirs = unpacked(synthetic[here], width), unpacked(train[there], width)
        if leak.perturbed and packed:
            theirs = np.abs(theirs - chosen_fields(len(here), width, NOISE, rng))
        elif leak.perturbed:
            theirs = theirs + rng.choice([-1.0, 1.0], theirs.shape) * spread
        made = np.where(copied, theirs, mine)
        fresh[here] = packed_words(made) if packed else made + 0.0
    return Table({}, release.synthetic.positions, fresh)


def chosen_fields(rows: int, fields: int, share: float, rng: Generator) -> NDArray[np.bool_]:
    """Return a random choice of fields in each row: the same number in each, one at least.

    Examples
    --------
    >>> chosen_fields(2, 8, 0.5, np.random.default_rng(0)).sum(axis=1).tolist()
    [4, 4]
    """
    wanted = max(1, round(share * fields))
    drawn = rng.random((rows, fields))
    return np.asarray(drawn <= np.partition(drawn, wanted - 1, axis=1)[:, wanted - 1, None])
