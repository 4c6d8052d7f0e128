"""The law of a statistic when nothing specific to train was learned.

Train and holdout, drawn from one population, are then exchangeable given the synthetic table: any
other division of the real rows into tables of the same sizes was as likely as the true one. So the
statistic under random divisions is its null distribution, whatever the distance, ties or sizes.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from privgate.evidence import Estimate, unknown

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.random import Generator
    from numpy.typing import NDArray

T = TypeVar("T")

NO_PERMUTATIONS = "the rule asks for no permutations"


def relabelled(
    statistic: Callable[[NDArray[np.bool_]], T],
    train: NDArray[np.bool_],
    *,
    permutations: int,
    rng: Generator,
    jobs: int = 1,
) -> list[T]:
    """Return the statistic under random labellings of the real rows, ``train`` marking the true.

    The labellings depend on the generator alone, the order of the answers not on ``jobs``.

    Examples
    --------
    >>> import numpy as np
    >>> labels = np.array([True, True, False])
    >>> relabelled(lambda mask: int(mask.sum()), labels, permutations=3,
    ...            rng=np.random.default_rng(0))
    [2, 2, 2]
    """
    masks = [rng.permuted(train) for _ in range(permutations)]
    with ThreadPoolExecutor(jobs) as pool:
        return list(pool.map(statistic, masks))


def permutation_p_value(at_least_as_extreme: Sequence[bool] | NDArray[np.bool_]) -> Estimate:
    """Return (1 + number of relabellings at least as extreme) / (1 + number of relabellings).

    At most alpha of honest releases get a value of at most alpha, exactly (Phipson and Smyth 2010,
    doi 10.2202/1544-6115.1585).

    Examples
    --------
    >>> permutation_p_value([False, False, True]).value
    0.5
    """
    draws = len(at_least_as_extreme)
    if not draws:
        return unknown(NO_PERMUTATIONS)
    return Estimate(value=(1 + int(sum(at_least_as_extreme))) / (draws + 1), n=draws)


def least_p_value(observed: NDArray[np.float64], null: NDArray[np.float64]) -> Estimate:
    """Return the p-value of the lowest of several statistics, allowing for their number.

    Parameters
    ----------
    observed
        The statistics under the true labelling, low when they speak against the release.
    null
        The same under relabellings, one row each.

    Notes
    -----
    Each statistic is standardised by mean and spread over all labellings, the true one included,
    so that all labellings are treated alike and the test stays exact; the lowest of them is then
    compared with the lowest under relabelling (max-T, Westfall and Young 1993).

    Examples
    --------
    >>> null = np.array([[0.1, 9.0], [-0.1, -9.0], [0.2, 1.0]])
    >>> least_p_value(np.array([-0.9, 0.0]), null).value, least_p_value(null[0], null).value
    (0.25, 1.0)
    """
    if not len(null):
        return unknown(NO_PERMUTATIONS)
    together = np.vstack([observed, null])
    spread = together.std(axis=0)
    standard = (together - together.mean(axis=0)) / np.where(spread > 0, spread, 1.0)
    lowest = standard.min(axis=1)
    return permutation_p_value(lowest[1:] <= lowest[0])
