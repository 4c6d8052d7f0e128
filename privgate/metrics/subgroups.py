"""The success of an attack in groups of people: an average may hide a group that is wide open."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from pydantic import Field

from privgate.errors import NotAssessable
from privgate.evidence import Criterion, Estimate, FigureSpec, unknown
from privgate.metrics.contract import Params
from privgate.metrics.risk_tables import success_table
from privgate.stats.intervals import newcombe

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from privgate.data import Release
    from privgate.evidence import JsonValue
    from privgate.metrics.inputs import Inputs

OUTLIERS = "outliers"
OUTLYING_SHARE = 0.01
Groups = dict[str, "NDArray[np.int64]"]


class GroupedParams(Params):
    """Parameters of an attack that can be reported by group."""

    groups: tuple[str, ...] = Field(
        default=(),
        description="Grouping columns with levels, or 'outliers' for the 1 % of people farthest "
        "from all others in train; the worst group becomes a figure.",
    )
    min_group: int = Field(
        default=50, ge=11, description="Least number of train and holdout people in a group."
    )


def group_figures(criterion: Criterion | None) -> dict[str, FigureSpec]:
    """Return the specification of the figure of :func:`worst_group`."""
    return {
        "worst_group_gap": FigureSpec.difference(
            "Success beyond the holdout, worst group",
            "The greatest difference between people behind the release and others within one "
            "group, its interval widened for the number of groups.",
            satisfies=() if criterion is None else (criterion,),
        )
    }


def worst_group(
    inputs: Inputs,
    params: GroupedParams,
    train: NDArray[np.generic],
    holdout: NDArray[np.generic] | None,
) -> tuple[dict[str, Estimate], dict[str, JsonValue]]:
    """Return the gap of the worst group, how many groups there were, and the success in each.

    Parameters
    ----------
    train, holdout
        Success of the attack on every row of each table, in [0, 1]; NaN where it was not attacked.

    Notes
    -----
    With G groups every interval has the level 1 - (1 - level)/G (Bonferroni), so that the interval
    of the worst holds at the level asked for. Groups with too few people on either side are not
    looked at, and counted.

    Raises
    ------
    NotAssessable
        If a grouping column does not exist or has no levels.
    """
    name = "worst_group_gap"
    if not params.groups:
        return {name: unknown("the rule names no groups")}, {}
    if holdout is None:
        return {name: unknown("there is no holdout table")}, {}
    by_grouping = {
        grouping: [
            (_attacked(train[own]), _attacked(holdout[other]))
            for own, other in _members(inputs, grouping)
        ]
        for grouping in params.groups
    }
    people = [pair for pairs in by_grouping.values() for pair in pairs]
    large = [pair for pair in people if min(map(len, pair)) >= params.min_group]
    counted: dict[str, JsonValue] = {
        "groups": len(large),
        "groups with too few people, left out": len(people) - len(large),
    } | {f"success by {name}": success_table(pairs) for name, pairs in by_grouping.items()}
    if not large:
        return {name: unknown(f"no group has {params.min_group} people on both sides")}, counted
    level = 1 - (1 - inputs.confidence) / len(large)
    gaps = [
        newcombe(float(own.sum()), len(own), float(other.sum()), len(other), level=level)
        for own, other in large
    ]
    return {name: max(gaps, key=lambda gap: gap.high or 0.0)}, counted


def _attacked(success: NDArray[np.generic]) -> NDArray[np.float64]:
    known = success.astype(np.float64)
    return known[~np.isnan(known)]


def _members(
    inputs: Inputs, grouping: str
) -> Iterator[tuple[NDArray[np.bool_], NDArray[np.bool_]]]:
    groups = _outlying(inputs) if grouping == OUTLIERS else _by_column(inputs.release, grouping)
    for group in np.unique(np.concatenate(list(groups.values()))):
        if grouping != OUTLIERS or group:
            yield groups["train"] == group, groups["holdout"] == group


def _by_column(release: Release, name: str) -> Groups:
    column = next((column for column in release.columns if column.name == name), None)
    if column is None or not column.type.has_levels:
        raise NotAssessable(f"{name!r} is not a measured column with levels, so it makes no groups")
    return {
        table: release.tables[table].values[name].astype(np.int64) for table in ("train", "holdout")
    }


def _outlying(inputs: Inputs) -> Groups:
    """Return 1 for people at least as far from all others in train as the outlying share of it."""
    neighbours = inputs.neighbours()
    distance = neighbours.real_to_real.nearest(neighbours.train).distance
    own, other = distance[neighbours.train], distance[neighbours.holdout]
    limit = np.quantile(own, 1 - OUTLYING_SHARE, method="inverted_cdf")
    return {"train": (own >= limit).astype(np.int64), "holdout": (other >= limit).astype(np.int64)}
