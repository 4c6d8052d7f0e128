"""From a bound policy to the measurements it needs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from privgate.data import Role
from privgate.evidence import Need

if TYPE_CHECKING:
    from privgate.data import Release
    from privgate.metrics import Metric, Params
    from privgate.policy.bind import BoundPolicy


_NOTHING_SAID_OF_TABLES = (
    "the release file does not say which tables of counts go out with the release; list them under "
    "'published', or write 'published: []' if there are none"
)
COLUMN_NEEDS = frozenset({Need.COLUMNS, Need.QUASI_IDENTIFIERS, Need.SENSITIVE})


@dataclass(frozen=True)
class Planned:
    """One metric with one set of parameters; rules that agree on both share it."""

    id: str
    metric: Metric[Any]
    params: Params


def plan(policy: BoundPolicy) -> tuple[Planned, ...]:
    """Return each measurement the policy's rules need once, in the order of their ids."""
    found = {
        rule.measurement_id: Planned(rule.measurement_id, rule.metric, rule.params)
        for rule in policy.rules
    }
    return tuple(found[key] for key in sorted(found))


def missing_need(metric: Metric[Any], release: Release) -> str | None:
    """Return why a release does not have what a metric cannot do without, or ``None``."""
    needs = metric.card.needs
    if release.is_array and COLUMN_NEEDS.intersection(needs):
        return "the release is an array: it has no columns"
    reasons = {
        Need.COLUMNS: (bool(release.columns), "the release has no measured columns"),
        Need.HOLDOUT: (release.holdout is not None, "the release has no holdout table"),
        Need.CORRESPONDENCE: (
            release.facts.correspondence not in (None, "none"),
            "the release file declares no correspondence of train and synthetic rows",
        ),
        Need.QUASI_IDENTIFIERS: (
            bool(release.with_role(Role.QUASI_IDENTIFIER)),
            "no column is declared as quasi_identifier",
        ),
        Need.SENSITIVE: (
            bool(release.with_role(Role.SENSITIVE)),
            "no column is declared as sensitive",
        ),
        Need.PUBLISHED_TABLES: (
            release.published is not None,
            _NOTHING_SAID_OF_TABLES,
        ),
    }
    return next(
        (reason for need in needs for held, reason in [reasons[need]] if not held),
        None,
    )
