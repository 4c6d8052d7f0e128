"""Tables of an attack's success by class or group, without the names of any.

A rare level is a value of somebody, so classes and groups go by their rank in size in train. A
share of fewer than 11 people, or one that stands for 1 to 10 of them, is left out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from privgate.evidence import JsonValue

FEWEST = 11
_MOST_ROWS = 30


def share_of_enough(success: NDArray[np.generic]) -> float | None:
    """Return the mean success, or ``None`` where it speaks of fewer than 11 people.

    Examples
    --------
    >>> few, none = np.repeat([1, 0], [3, 40]), np.zeros(40)
    >>> share_of_enough(few), share_of_enough(none), share_of_enough(none[:10])
    (None, 0.0, None)
    """
    n, hits = len(success), float(np.sum(success))
    if n < FEWEST or 0 < hits < FEWEST or 0 < n - hits < FEWEST:
        return None
    return hits / n


def success_table(
    groups: Sequence[tuple[NDArray[np.generic], NDArray[np.generic] | None]],
) -> list[JsonValue]:
    """Return one row per group, the largest in train first: rank and shares of success.

    Parameters
    ----------
    groups
        For each group the success on its train and holdout people, nobody left out. Groups of
        fewer than 11 train people are not listed, nor are those after the 30 largest.

    Examples
    --------
    >>> for row in success_table([(np.ones(20), None), (np.zeros(50), np.zeros(12))]):
    ...     print(row)
    {'size rank': 1, 'train': 0.0, 'holdout': 0.0}
    {'size rank': 2, 'train': 1.0, 'holdout': None}
    """
    shown = [pair for pair in groups if len(pair[0]) >= FEWEST]
    by_size = sorted(shown, key=lambda pair: -len(pair[0]))[:_MOST_ROWS]
    return [
        {
            "size rank": rank,
            "train": share_of_enough(own),
            "holdout": None if others is None else share_of_enough(others),
        }
        for rank, (own, others) in enumerate(by_size, start=1)
    ]
