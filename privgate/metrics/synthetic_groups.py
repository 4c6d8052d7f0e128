"""Groups of synthetic records, made without a look at which real rows are train."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from privgate.errors import NotAssessable
from privgate.metrics.subgroups import OUTLIERS, OUTLYING_SHARE

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from privgate.data import Release
    from privgate.neighbors import Neighbours


@dataclass(frozen=True)
class SyntheticGroups:
    """Which synthetic records are in each group, shape (groups, records).

    ``left_out`` is the number of groups too small; ``reason`` says why there is no group at all.
    """

    members: NDArray[np.bool_]
    left_out: int
    reason: str = ""


def synthetic_groups(
    names: Iterable[str], *, least: int, neighbours: Neighbours[Any], release: Release | None
) -> SyntheticGroups:
    """Return the groups with at least ``least`` records, and how many smaller ones there were.

    Parameters
    ----------
    names
        Grouping columns with levels, or 'outliers' for the records whose nearest real row is
        among the 1 % farthest from all others. Train and holdout rows count alike there, so that
        relabelling them leaves the groups as they are.
    release
        Where the columns are; rows without a release have none.

    Raises
    ------
    NotAssessable
        If a grouping column does not exist or has no levels.
    """
    found = [
        members
        for name in names
        for members in ([_outlying(neighbours)] if name == OUTLIERS else _by_column(release, name))
    ]
    large = [members for members in found if members.sum() >= least]
    reason = ""
    if not large:
        reason = f"no group has {least} synthetic records" if found else "the rule names no groups"
    members = np.array(large, bool).reshape(len(large), len(neighbours.space.synthetic))
    return SyntheticGroups(members, len(found) - len(large), reason)


def _by_column(release: Release | None, name: str) -> list[NDArray[np.bool_]]:
    columns = () if release is None else release.columns
    column = next((column for column in columns if column.name == name), None)
    if release is None or column is None or not column.type.has_levels:
        raise NotAssessable(f"{name!r} is not a measured column with levels, so it makes no groups")
    codes = release.synthetic.values[name]
    return [codes == code for code in np.unique(codes)]


def _outlying(neighbours: Neighbours[Any]) -> NDArray[np.bool_]:
    everyone = np.ones(len(neighbours.train), bool)
    distance = neighbours.real_to_real.nearest(everyone).distance
    outlying = distance >= np.quantile(distance, 1 - OUTLYING_SHARE, method="inverted_cdf")
    # Of real rows tied for nearest any may be the outlier: taking the first would prefer train.
    nearest, far = (
        neighbours.synthetic_to_real.nearest(mask).distance for mask in (everyone, outlying)
    )
    return far <= nearest
