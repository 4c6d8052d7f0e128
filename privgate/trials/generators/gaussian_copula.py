"""A Gaussian copula: marginal distributions and correlations, and no memory of single people.

Every column is turned into normal scores, the scores' correlation matrix is all that is kept of how
columns go together, and new scores are drawn from it. A new score becomes a value by interpolating
between the real column's quantiles. Columns with two values come back through a threshold at the
real share.

What it cannot do: relations that are not monotone, and hard rules between columns (somebody who
takes part in a plan that they are not eligible for). That is the price of its modesty.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from scipy.stats import norm, rankdata

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

MOST_DECIMALS = 3


@dataclass(frozen=True)
class GaussianCopula:
    """What the generator remembers: each column's sorted values and one correlation matrix."""

    quantiles: Mapping[str, NDArray[np.float64]]
    correlation: NDArray[np.float64]

    def sample(self, rows: int, rng: np.random.Generator) -> pd.DataFrame:
        """Return ``rows`` new records with the train table's columns and number formats."""
        # A Cholesky factor is unique, so the draw does not depend on the linear algebra library's
        # choice of signs, as it would with numpy's multivariate_normal.
        factor = np.linalg.cholesky(self.correlation)
        scores = rng.standard_normal((rows, len(self.quantiles))) @ factor.T
        ranks = norm.cdf(scores)
        columns = {
            name: values_at(real, ranks[:, position])
            for position, (name, real) in enumerate(self.quantiles.items())
        }
        return pd.DataFrame(columns)


def fit_gaussian_copula(train: pd.DataFrame) -> GaussianCopula:
    """Return the copula of a table of numbers without missing values."""
    scores = np.column_stack([normal_scores(train[name].to_numpy()) for name in train.columns])
    return GaussianCopula(
        quantiles={name: np.sort(train[name].to_numpy(dtype=np.float64)) for name in train.columns},
        correlation=np.atleast_2d(np.corrcoef(scores, rowvar=False)),
    )


def normal_scores(values: NDArray[np.generic]) -> NDArray[np.float64]:
    """Return the standard normal quantile of every value's rank; ties share their mean rank."""
    scores: NDArray[np.float64] = norm.ppf(rankdata(values) / (len(values) + 1))
    return scores


def values_at(real: NDArray[np.float64], ranks: NDArray[np.float64]) -> NDArray[np.generic]:
    """Return the sorted column's values at ranks in [0, 1], written the way the column is.

    Two-valued columns get the value whose cumulative share contains the rank. All others are
    interpolated linearly between neighbouring real values and rounded to the decimals in use.
    """
    decimals = decimals_in_use(real)
    if len(np.unique(real)) == 2:
        drawn = np.quantile(real, ranks, method="inverted_cdf")
    else:
        drawn = np.round(np.quantile(real, ranks, method="linear"), decimals)
    return drawn.astype(np.int64) if decimals == 0 else drawn + 0.0  # + 0.0 makes -0.0 plain zero


def decimals_in_use(values: NDArray[np.float64]) -> int:
    """Return the fewest decimals, at most three, that write every value exactly."""
    for decimals in range(MOST_DECIMALS):
        if np.array_equal(np.round(values, decimals), values):
            return decimals
    return MOST_DECIMALS
