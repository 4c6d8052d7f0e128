"""How close each train row has its nearest synthetic row, on the scale of all train rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from privgate.errors import NotAssessable
from privgate.stats.compare import tied

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from privgate.neighbors import Neighbours

OWN_RANGE = (
    "Not an absolute distance: one outlying person changes the scale for all, and adding the same "
    "amount to every distance changes nothing."
)
NO_INTERVAL = "No interval is given, because the two extremes that make the scale have none."


def closeness(neighbours: Neighbours[Any]) -> NDArray[np.float64]:
    """Return δ, the distance of each train row to the release scaled to [0, 1] by its own range.

    δ_i = (d_i - min d) / (max d - min d). If all distances are 0 every row is a copy and δ is 0.

    Raises
    ------
    NotAssessable
        If all distances are equal and not 0, so that they have no range.
    """
    distance = neighbours.real_to_synthetic.distance[neighbours.train]
    low, high = float(distance.min()), float(distance.max())
    if high == 0:
        return np.zeros_like(distance)
    if tied(low, high):
        raise NotAssessable(
            "all train rows are equally far from the release, so the distances have no range"
        )
    return np.asarray((distance - low) / (high - low), np.float64)
