"""Division of a space into cells around the centres of a sample."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

import numpy as np
from threadpoolctl import threadpool_limits

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

STARTS = 10


def cells_around(
    sample: NDArray[np.float64], others: Sequence[NDArray[np.float64]], *, cells: int, seed: int
) -> list[NDArray[np.int64]]:
    """Return the cell of each row of the sample and of the others, by k-means on the sample.

    The best of ten seeded starts, on one thread, so that sums always have one order. A sample of
    fewer distinct rows than cells leaves some cells empty.
    """
    from sklearn.cluster import KMeans  # noqa: PLC0415 - slow to import
    from sklearn.exceptions import ConvergenceWarning  # noqa: PLC0415 - slow to import

    model = KMeans(min(cells, len(sample)), n_init=STARTS, random_state=seed)
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # that is the empty cells
        model.fit(sample)
        return [np.asarray(model.predict(rows), np.int64) for rows in (sample, *others)]
