"""Whether people lie next to people and records next to records, in parts of the tables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from privgate.stats.compare import less

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from privgate.neighbors import Neighbours


def nearer_to_own_kind(
    neighbours: Neighbours[Any], people: NDArray[np.bool_], records: NDArray[np.bool_]
) -> tuple[float, float]:
    """Return the share of people nearer to people, and of records nearer to records.

    ``people`` marks some real rows and ``records`` some synthetic ones; nobody else is seen. A tie
    counts as not nearer to one's own kind. The mean of the two is the adversarial accuracy.
    """
    to_record = (
        neighbours.real_to_synthetic.distance[people]
        if records.all()
        else neighbours.real_to_any_synthetic.nearest(records, people).distance
    )
    to_person = neighbours.synthetic_to_real.nearest(people, records).distance
    between_people = neighbours.real_to_real.nearest(people, people).distance
    between_records = neighbours.synthetic_to_synthetic.nearest(records, records).distance
    return (
        float(less(between_people, to_record).mean()),
        float(less(between_records, to_person).mean()),
    )
