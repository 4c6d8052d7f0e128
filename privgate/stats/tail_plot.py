"""The picture of a fitted tail: a Weibull or Gumbel plot whose points are means over many rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from privgate.stats.extremes import plot_height

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from privgate.stats.extremes import TailLaw

LEAST_ROWS = 11  # behind one point: fewer could give a person away
MOST_POINTS = 40


@dataclass(frozen=True)
class TailPlot:
    """Points on the plot where the law is a straight line, each the mean over ``rows`` rows.

    ``end`` is where the fitted range ends, also a mean over rows.
    """

    place: NDArray[np.float64]
    height: NDArray[np.float64]
    fitted: NDArray[np.float64]
    rows: int
    end: float


def tail_plot(
    law: TailLaw, distances: NDArray[np.float64], *, share: float = 1.0
) -> TailPlot | None:
    """Return the plot of the positive distances, or ``None`` if it had fewer than three points.

    The greatest distances, which would not fill a point, are left out. ``share`` is the share of
    the smallest distances that was fitted.

    Examples
    --------
    >>> from privgate.stats.extremes import Family, TailLaw
    >>> law = TailLaw(Family.WEIBULL, a=0.0, shape=2.0)
    >>> shares = np.arange(1, 100) / 100
    >>> plot = tail_plot(law, np.append(np.sqrt(-np.log1p(-shares)), 9.0))
    >>> len(plot.place), plot.rows, bool(np.allclose(plot.height, plot.fitted))
    (9, 11, True)
    """
    positive = np.sort(distances[distances > 0])
    size = len(positive)
    rows = max(LEAST_ROWS, -(-size // MOST_POINTS))
    points = (size - 1) // rows
    if points < 3:
        return None
    place = law.coordinate(positive)
    shown = slice(0, points * rows)
    mean_place = place[shown].reshape(points, rows).mean(axis=1)
    height = plot_height(np.arange(size), size)[shown].reshape(points, rows).mean(axis=1)
    last = max(0, min(int(share * size), size) - LEAST_ROWS)
    return TailPlot(
        place=mean_place,
        height=height,
        fitted=law.a + law.shape * mean_place,
        rows=rows,
        end=float(place[last : last + LEAST_ROWS].mean()),
    )
