"""Pictures of leak scores: against relabellings, and how well the law of distances fits."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from privgate.evidence import Chart, Series
from privgate.metrics.leak_model import GRID
from privgate.stats.extremes import Family
from privgate.stats.tail_plot import tail_plot

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from privgate.metrics.leak_model import Finding
    from privgate.stats.extremes import TailFit

REACH = 1.0  # how far beyond the points the law's line is drawn
READING = (
    "Where the law holds, the points lie on its line; points off the line make the scores rough, "
    "which random relabellings allow for."
)
PART_FITTED = " Only distances up to the end of the fitted range decide where the line runs."


def score_chart(observed: Finding, null: Sequence[Finding], *, records: int) -> Chart:
    """Return the distribution of the scores beside that under relabellings."""
    series = [Series(name="this release", y=tuple(observed.below.tolist()), n=records)]
    if null:
        shares = np.array([finding.below for finding in null])
        upper = np.quantile(shares, 0.95, axis=0, method="inverted_cdf")
        series += [
            Series(name="random relabelling, mean", y=tuple(shares.mean(axis=0).tolist())),
            Series(name="random relabelling, 95 % point", y=tuple(upper.tolist())),
        ]
    return Chart(
        kind="curve",
        title="Share of published records with a score at or below x",
        x_label="privacy score (base-10 logarithm; left is closer to train than chance)",
        y_label="share of published records",
        x=tuple(GRID.tolist()),
        series=tuple(series),
        caption="If the release had learned nothing about its own people, its line would run "
        "like those of random relabellings of train and holdout; a line above the 95 % point "
        "at the left shows records that lie too close to the people behind the release.",
    )


def fit_chart(fit: TailFit, between: NDArray[np.float64], *, share: float) -> tuple[Chart, ...]:
    """Return the Weibull or Gumbel plot of the fit, unless there are too few rows to show it.

    ``between`` are the leave-one-out distances that were fitted, ``share`` how many of them.
    """
    plot = tail_plot(fit, between, share=share)
    if plot is None:
        return ()
    weibull = fit.family is Family.WEIBULL
    name = "Weibull" if weibull else "Gumbel"
    distance = "distance to the nearest other train row"
    law = [
        float(y) if plot.height[0] - REACH < y < plot.height[-1] + REACH else None
        for y in plot.fitted
    ]
    chart = Chart(
        kind="points",
        title=f"Law of distances within train ({name} plot)",
        x_label=f"logarithm of the {distance}" if weibull else distance,
        y_label="ln(−ln(1 − share))",
        x=tuple(plot.place.tolist()),
        series=(
            Series(
                name=f"train rows, mean of {plot.rows} per point", y=tuple(plot.height.tolist())
            ),
            Series(name=f"fitted {name} law", y=tuple(law)),
        ),
        marks={"end of the fitted range": plot.end} if share < 1 else {},
        caption=f"Height stands for the share of train rows at most so far away. {READING}"
        + (PART_FITTED if share < 1 else ""),
    )
    return (chart,)
