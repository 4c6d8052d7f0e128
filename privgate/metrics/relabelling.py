"""The law of a statistic when nothing specific to train was learned.

Train and holdout, drawn from one population, are then exchangeable given the synthetic table: any
other division of the real rows into tables of the same sizes was as likely as the true one. So the
statistic under random divisions is its null distribution, whatever the distance, ties or sizes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

import numpy as np
from pydantic import Field

from privgate.evidence import Estimate, SafeSide, unknown
from privgate.executors import SERIAL, Executor
from privgate.metrics.distances import DistanceParams

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.random import Generator
    from numpy.typing import NDArray

    from privgate.evidence import JsonValue

T = TypeVar("T")

NO_PERMUTATIONS = "the rule asks for no permutations"
EXCHANGEABLE = (
    "The p-value assumes a holdout drawn at random from the population of train: one from another "
    "time or place makes an honest release look suspicious."
)
ROUNDING = 1e-9  # of two equal statistics, computed from different rows


class RelabelledParams(DistanceParams):
    """Parameters of a metric on distances that is judged beside random relabellings."""

    permutations: int = Field(
        default=199,
        ge=0,
        le=9999,
        description="Random relabellings of train and holdout; 0 leaves out the p-value.",
    )


def relabelled(
    statistic: Callable[[NDArray[np.bool_]], T],
    train: NDArray[np.bool_],
    *,
    permutations: int,
    rng: Generator,
    executor: Executor = SERIAL,
) -> list[T]:
    """Return the statistic under random labellings of the real rows, ``train`` marking the true.

    The labellings depend on the generator alone. The statistic is sent to where the executor works,
    so it is a function of a module, with what it needs as a :func:`functools.partial`.

    Examples
    --------
    >>> import numpy as np
    >>> labels = np.array([True, True, False])
    >>> relabelled(lambda mask: int(mask.sum()), labels, permutations=3,
    ...            rng=np.random.default_rng(0))
    [2, 2, 2]
    """
    # Eight labels a byte, for each labelling is sent by itself.
    packed = [np.packbits(rng.permuted(train)) for _ in range(permutations)]
    return list(executor.map(_of_labelling, (statistic, len(train)), packed))


def _of_labelling(
    shared: tuple[Callable[[NDArray[np.bool_]], T], int], packed: NDArray[np.uint8]
) -> T:
    statistic, rows = shared
    return statistic(np.unpackbits(packed, count=rows).astype(np.bool_))


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


def calibrated(
    statistic: Callable[[NDArray[np.bool_]], float],
    train: NDArray[np.bool_],
    *,
    safe_side: SafeSide,
    permutations: int,
    rng: Generator,
    executor: Executor = SERIAL,
) -> tuple[Estimate, Mapping[str, JsonValue]]:
    """Return the p-value of a statistic, and the law that honest releases have, for diagnostics.

    Examples
    --------
    >>> p_value, law = calibrated(
    ...     lambda mask: float(mask[0]), np.array([True, False, False]), safe_side=SafeSide.LOW,
    ...     permutations=99, rng=np.random.default_rng(0))
    >>> 0.2 < p_value.value < 0.5
    True
    >>> sorted(law)
    ['limit that 95 % of random relabellings keep', 'mean under random relabelling']
    """
    sign = 1 if safe_side is SafeSide.LOW else -1
    observed = sign * statistic(train)
    found = relabelled(statistic, train, permutations=permutations, rng=rng, executor=executor)
    if not found:
        return permutation_p_value([]), {}
    null = sign * np.array(found)
    allowed = ROUNDING * max(1.0, abs(observed))
    p_value = permutation_p_value([bool(value) for value in null >= observed - allowed])
    upper = sign * float(np.quantile(null, 0.95, method="inverted_cdf"))
    return p_value, {
        "mean under random relabelling": sign * float(null.mean()),
        "limit that 95 % of random relabellings keep": upper,
    }


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
