"""Which published records lie at least as near to a person as that person's own neighbour."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from privgate.stats.compare import at_most

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from privgate.neighbors import Neighbours


def in_authentic(
    neighbours: Neighbours[Any],
    members: NDArray[np.bool_],
    nearest_person: NDArray[np.int64] | None = None,
) -> NDArray[np.bool_]:
    """Return, for each synthetic row, whether it is no farther from its nearest member than others.

    ``members`` marks at least two real rows; others are unseen. ``nearest_person`` says who is
    nearest, if more than one may be; otherwise it is the first of those tied in the order of rows.

    References
    ----------
    Alaa et al. 2022, arXiv 2102.08921.
    """
    if nearest_person is None:
        nearest_person = neighbours.synthetic_to_real.first_tied(members)
    closest = neighbours.synthetic_to_real.nearest(members).distance
    between = np.full(len(members), np.inf)
    between[members] = neighbours.real_to_real.nearest(members, members).distance
    return at_most(closest, between[nearest_person])
