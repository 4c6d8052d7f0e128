"""The success of an attack in groups of people: an average may hide a group that is wide open."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
from pydantic import Field

from privgate.data import Role
from privgate.errors import NotAssessable
from privgate.evidence import Criterion, Estimate, FigureSpec, unknown
from privgate.metrics.contract import Params
from privgate.metrics.risk_tables import success_table
from privgate.stats.intervals import newcombe

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator

    from numpy.typing import NDArray

    from privgate.data import Release, TableName
    from privgate.evidence import JsonValue
    from privgate.metrics.inputs import Inputs

OUTLIERS = "outliers"
QUASI_IDENTIFIERS = "quasi_identifiers"
OUTLYING_SHARE = 0.01
QUARTILES = (0.25, 0.5, 0.75)
GAP = "worst_group_gap"
NO_GROUPS = "the rule names no groups"
Groups = dict["TableName", "NDArray[np.int64]"]
Masks = Mapping["TableName", "NDArray[np.bool_]"]


class GroupedParams(Params):
    """Parameters of an attack that can be reported by group."""

    groups: tuple[str, ...] = Field(
        default=(),
        description="Grouping columns with levels; 'outliers' for the 1 % of people farthest from "
        "all others in train; 'quasi_identifiers' for every level of each quasi-identifier, of "
        "numbers and times every quarter of train. The worst group becomes a figure.",
    )
    min_group: int = Field(
        default=50, ge=11, description="Least number of train and holdout people in a group."
    )


def group_figures(criterion: Criterion | None) -> dict[str, FigureSpec]:
    """Return the specification of the figure of :func:`worst_group`."""
    return {
        GAP: FigureSpec.difference(
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
    See :func:`worst_of`; groups with too few people on either side are not looked at.

    Raises
    ------
    NotAssessable
        If a grouping column does not exist or has no levels.
    """
    if not params.groups or holdout is None:
        return without_groups(params)

    def people(masks: Masks) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        return _attacked(train[masks["train"]]), _attacked(holdout[masks["holdout"]])

    def gap(masks: Masks, level: float) -> Estimate:
        own, other = people(masks)
        return newcombe(float(own.sum()), len(own), float(other.sum()), len(other), level=level)

    worst, counted = worst_of(
        inputs, params, members(inputs, params), size=lambda m: min(map(len, people(m))), risk=gap
    )
    for name in params.groups:
        groups = members(inputs, GroupedParams(groups=(name,)))
        counted[f"success by {name}"] = success_table([people(masks) for masks in groups])
    return {GAP: worst}, counted


def without_groups(params: GroupedParams) -> tuple[dict[str, Estimate], dict[str, JsonValue]]:
    """Return why there is no gap of a worst group: no groups are named, or there is no holdout."""
    reason = "there is no holdout table" if params.groups else NO_GROUPS
    return {GAP: unknown(reason)}, {}


def worst_of(
    inputs: Inputs,
    params: GroupedParams,
    groups: Iterable[Masks],
    *,
    size: Callable[[Masks], int],
    risk: Callable[[Masks, float], Estimate],
) -> tuple[Estimate, dict[str, JsonValue]]:
    """Return the risk of the group whose risk may be the greatest, and how many groups there were.

    Parameters
    ----------
    size
        How many people of a group are attacked, on the side that has fewer.
    risk
        The risk of a group, with an interval of the given level; unknown where no attack can be
        made.

    Notes
    -----
    With G groups every interval has the level 1 - (1 - level)/G (Bonferroni), so that the interval
    of the worst holds at the level asked for. Groups with too few people are not looked at, and
    counted.
    """
    sizes = [(size(masks), masks) for masks in groups]
    large = [masks for people, masks in sizes if people >= params.min_group]
    counted: dict[str, JsonValue] = {
        "groups": len(large),
        "groups with too few people, left out": len(sizes) - len(large),
    }
    if not large:
        return unknown(f"no group has {params.min_group} people to attack"), counted
    level = 1 - (1 - inputs.confidence) / len(large)
    risks = [risk(masks, level) for masks in large]
    known = [found for found in risks if found.high is not None]
    if len(known) < len(risks):
        counted["groups on which no attack could be made"] = len(risks) - len(known)
    return max(known, key=lambda found: found.high or 0.0, default=risks[0]), counted


def _attacked(success: NDArray[np.generic]) -> NDArray[np.float64]:
    known = success.astype(np.float64)
    return known[~np.isnan(known)]


def members(
    inputs: Inputs, params: GroupedParams, tables: Collection[TableName] = ("train", "holdout")
) -> Iterator[Masks]:
    """Yield for each group of every grouping which rows of the tables belong to it.

    Outliers of the release are its rows farthest from all others in it: what an attacker sees.

    Raises
    ------
    NotAssessable
        If a grouping column does not exist or has no levels.
    """
    for grouping in params.groups:
        if grouping == OUTLIERS:
            yield {table: codes == 1 for table, codes in _outlying(inputs, tables).items()}
        elif grouping == QUASI_IDENTIFIERS:
            for groups in _by_quasi_identifiers(inputs.release, tables):
                yield from _each(groups)
        else:
            yield from _each(_by_column(inputs.release, grouping, tables))


def _each(groups: Groups) -> Iterator[Masks]:
    for group in np.unique(np.concatenate(list(groups.values()))):
        yield {table: codes == group for table, codes in groups.items()}


def _by_quasi_identifiers(release: Release, tables: Collection[TableName]) -> Iterator[Groups]:
    """Yield the groups that each quasi-identifier makes.

    Raises
    ------
    NotAssessable
        If there is none.
    """
    columns = release.with_role(Role.QUASI_IDENTIFIER)
    if not columns:
        raise NotAssessable("no column is declared as quasi_identifier, so there are no groups")
    for column in columns:
        if column.type.has_levels:
            yield _by_column(release, column.name, tables)
        else:
            yield _by_quarter(release, column.name, tables)


def _by_quarter(release: Release, name: str, tables: Collection[TableName]) -> Groups:
    """Return the quarter of train that each value lies in, -1 for a missing one."""
    own = release.train.values[name].astype(np.float64)
    if np.isnan(own).all():
        return {table: np.full(release.tables[table].rows, -1) for table in tables}
    limits = np.unique(np.quantile(own[~np.isnan(own)], QUARTILES, method="inverted_cdf"))
    values = {table: release.tables[table].values[name].astype(np.float64) for table in tables}
    return {
        table: np.where(np.isnan(found), -1, np.searchsorted(limits, found))
        for table, found in values.items()
    }


def _by_column(release: Release, name: str, tables: Collection[TableName]) -> Groups:
    column = next((column for column in release.columns if column.name == name), None)
    if column is None or not column.type.has_levels:
        raise NotAssessable(f"{name!r} is not a measured column with levels, so it makes no groups")
    return {table: release.tables[table].values[name].astype(np.int64) for table in tables}


def _outlying(inputs: Inputs, tables: Collection[TableName]) -> Groups:
    """Return 1 for people at least as far from all others in train as the outlying share of it."""
    neighbours = inputs.neighbours()
    distance = neighbours.real_to_real.nearest(neighbours.train).distance
    own = distance[neighbours.train]
    distances = {"train": own, "holdout": distance[neighbours.holdout]}
    limits = dict.fromkeys(distances, _outlying_limit(own))
    if "synthetic" in tables:
        published = neighbours.synthetic_to_synthetic.distances[:, 0]
        distances["synthetic"], limits["synthetic"] = published, _outlying_limit(published)
    return {table: (distances[table] >= limits[table]).astype(np.int64) for table in tables}


def _outlying_limit(distance: NDArray[np.float64]) -> float:
    return float(np.quantile(distance, 1 - OUTLYING_SHARE, method="inverted_cdf"))
