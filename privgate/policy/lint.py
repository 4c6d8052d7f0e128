"""What a careful reader would ask about a policy that is well formed."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from privgate.evidence import Family, FigureKind
from privgate.policy.model import Judge, SourceKind

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import date

    from privgate.evidence import Card
    from privgate.policy.bind import BoundPolicy, BoundRule

_MUCH_OVERLAP = 0.1


class Level(StrEnum):
    """How much a finding matters; a policy with notes only is clean."""

    NOTE = "note"
    WARNING = "warning"
    ERROR = "error"


GRAVITY = {Level.ERROR: 0, Level.WARNING: 1, Level.NOTE: 2}


@dataclass(frozen=True, kw_only=True)
class Finding:
    """One question about a policy, with the rule concerned and what to do."""

    level: Level
    message: str
    remedy: str
    rule: str | None = None

    def __str__(self) -> str:
        head = f"{self.level}: rule {self.rule!r}: " if self.rule else f"{self.level}: "
        return f"{head}{self.message}; {self.remedy}"


def lint(bound: BoundPolicy, today: date) -> list[Finding]:
    """Return what is questionable in a policy on a given day, the gravest first."""
    found = [*_policy_findings(bound), *_review_findings(bound, today)]
    for rule in bound.rules:
        found += _rule_findings(rule)
    return sorted(found, key=lambda finding: GRAVITY[finding.level])


def _policy_findings(bound: BoundPolicy) -> Iterator[Finding]:
    requires = bound.policy.requires
    blocking = [rule for rule in bound.rules if rule.rule.is_blocking]
    if not any(rule.metric.card.family is Family.ATTACK for rule in blocking):
        yield Finding(
            level=Level.ERROR,
            message="every blocking rule is a screen, and releases that pass distance and copy "
            "checks have been attacked successfully (arXiv 2505.01524)",
            remedy="add a blocking rule on an attack",
        )
    if not requires.coverage:
        yield Finding(
            level=Level.NOTE,
            message="no coverage is required, so nobody is told what was not looked at",
            remedy="list criteria under requires.coverage",
        )
    if not requires.holdout:
        yield Finding(
            level=Level.WARNING,
            message="no holdout is required, so a release may go unjudged against people that the "
            "generator never saw",
            remedy="write 'holdout: true' under requires",
        )
    elif requires.max_holdout_overlap > _MUCH_OVERLAP:
        yield Finding(
            level=Level.WARNING,
            message="a holdout that repeats train rows hides copies of them",
            remedy=f"lower requires.max_holdout_overlap to {_MUCH_OVERLAP} or less",
        )


def _review_findings(bound: BoundPolicy, today: date) -> Iterator[Finding]:
    review_by = bound.policy.review_by
    if review_by is None:
        yield Finding(
            level=Level.WARNING,
            message="no review date is set",
            remedy="write review_by: YYYY-MM-DD",
        )
    elif review_by < today:
        yield Finding(
            level=Level.ERROR,
            message=f"the review was due by {review_by.isoformat()}",
            remedy="review the policy and set the next date",
        )


def _rule_findings(bound: BoundRule) -> Iterator[Finding]:
    yield from _authority_findings(bound)
    yield from _judging_findings(bound)
    yield from _known_traps(bound)


def _authority_findings(bound: BoundRule) -> Iterator[Finding]:
    rule = bound.rule
    if rule.source.kind is SourceKind.HOUSE and rule.rationale is None:
        yield Finding(
            level=Level.ERROR,
            rule=rule.id,
            message="the limit is a decision of the house and nobody says why",
            remedy="write a rationale",
        )


def _judging_findings(bound: BoundRule) -> Iterator[Finding]:
    rule = bound.rule
    if not bound.figure.has_interval:
        return
    if rule.judge is Judge.POINT and rule.is_blocking:
        yield Finding(
            level=Level.WARNING,
            rule=rule.id,
            message="a blocking rule is judged on the point value, which chance moves",
            remedy="write 'judge: bound'",
        )
    if rule.judge is Judge.BOUND and rule.require.equals is not None:
        yield Finding(
            level=Level.ERROR,
            rule=rule.id,
            message="an interval hardly ever equals one number, so the rule can never be met",
            remedy="write max or min",
        )


def _no_gate(card: Card) -> str:
    """Return why no rule on a metric may stop a release; empty if one may."""
    if card.is_utility:
        return (
            "measures what the data are good for, which is no evidence about privacy: copies of "
            "people are the most useful records of all"
        )
    if card.informs_only:
        return (
            "informs only: an honest release has no known value of it, so a rule on it must not "
            "stop one"
        )
    return ""


def _known_traps(bound: BoundRule) -> Iterator[Finding]:
    rule = bound.rule
    no_gate = _no_gate(bound.metric.card)
    if no_gate and rule.is_blocking:
        yield Finding(
            level=Level.ERROR,
            rule=rule.id,
            message=f"{rule.metric} {no_gate}",
            remedy="write 'severity: advisory', and judge an attack",
        )
    if bound.metric.name == "privet":
        yield from _leak_count_findings(bound)
    if "worst_group" in bound.measure and not getattr(bound.params, "groups", ()):
        yield Finding(
            level=Level.ERROR,
            rule=rule.id,
            message=f"{bound.measure} is unknown where no groups are named, so the rule can never "
            "be met",
            remedy="name columns or 'outliers' as params.groups",
        )
    tenths = {"max": 0.09}, {"below": 0.09}
    is_share = bound.figure.kind is FigureKind.SHARE or bound.measure == "max_probability"
    if is_share and rule.require.stated in tenths:
        yield Finding(
            level=Level.NOTE,
            rule=rule.id,
            message="1/11 = 0.0909… breaks a limit of 0.09, so groups of 11 do not pass",
            remedy="if groups of 11 are meant to pass, write 0.091; else say so in the rationale",
        )


def _leak_count_findings(bound: BoundRule) -> Iterator[Finding]:
    rule = bound.rule
    demands_zero = rule.require.stated in ({"equals": 0.0}, {"max": 0.0}, {"below": 1.0})
    if bound.measure in {"npl", "n_leaks_tail"} and demands_zero:
        name = "the published NPL" if bound.measure == "npl" else bound.measure
        yield Finding(
            level=Level.NOTE,
            rule=rule.id,
            message=f"{name} is often above 0 by chance on a release that leaks nothing",
            remedy="to stop leaks and not chance, judge npl_decimated and p_pl",
        )
    if bound.measure == "n_leaks":
        yield Finding(
            level=Level.WARNING,
            rule=rule.id,
            message="n_leaks looks at the farthest record, which no number of copies moves",
            remedy="judge npl_decimated and p_pl",
        )
