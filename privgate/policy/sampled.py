"""What a rule can say about a release of which only a sample was measured.

A sample can show that a release breaks a limit, never that it keeps one: a copied person may be
among the rows that were left out. Train and holdout are drawn without looking at values, so a
sample of an honest release is an honest release, and comparisons and tests stay as good as they
are. What a sample makes look worse than it is must not accuse the whole, though.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from privgate.evidence import FigureKind, SafeSide
from privgate.policy.judge import breaks_with_certainty
from privgate.policy.verdict import Outcome, RequirementVerdict

if TYPE_CHECKING:
    from privgate.evidence import Estimate, FigureSpec, SampleFacts
    from privgate.policy.judge import Judgement
    from privgate.policy.model import Limit

WHOLE_RELEASE = "whole_release"
_KEPT = "The sample keeps the limit, which says nothing of the rows that were left out."
_BY_CHANCE = "The sample breaks the limit, but by no more than the chance of the draw explains."
_OF_THE_WHOLE = "A sample cannot tell this figure: it looks worse the fewer rows there are."


def on_sample(
    judgement: Judgement, figure: Estimate | None, *, limit: Limit, spec: FigureSpec
) -> Judgement:
    """Return what is left of a judgement where a sample was measured: violated or not assessed.

    Violated stays what breaks the limit with its whole interval; and, of exact figures, counts of
    what should not be, distances and p-values: a sample finds fewer and farther, and its p-value is
    that of an honest test.
    """
    if judgement.outcome is Outcome.NOT_ASSESSED:
        return replace(judgement, needed_n=None)
    if judgement.outcome is Outcome.MET:
        return _open(judgement, _KEPT)
    if not spec.has_interval:
        return judgement if _holds_for_the_whole(spec) else _open(judgement, _OF_THE_WHOLE)
    if figure is not None and breaks_with_certainty(figure, limit):
        return judgement
    return _open(judgement, _BY_CHANCE)


def sample_verdict(sample: SampleFacts | None, rows: int) -> tuple[RequirementVerdict, ...]:
    """Return the demand that a sample does not keep: that every row was measured.

    No waiver covers it, so that nothing can be met that was not looked at. ``rows`` are those of
    the largest table.
    """
    if sample is None:
        return ()
    return (
        RequirementVerdict(
            name=WHOLE_RELEASE,
            required=True,
            seen=False,
            satisfied=False,
            reason=f"Only a sample was measured, {max(sample.rows.values()):,} of {rows:,} rows of "
            "the largest table: it can stop a release, never let one out.",
        ),
    )


def _holds_for_the_whole(spec: FigureSpec) -> bool:
    fewer = spec.kind is FigureKind.COUNT and spec.safe_side is SafeSide.LOW
    farther = spec.kind is FigureKind.DISTANCE and spec.safe_side is SafeSide.HIGH
    return fewer or farther or spec.kind is FigureKind.P_VALUE


def _open(judgement: Judgement, reason: str) -> Judgement:
    return replace(judgement, outcome=Outcome.NOT_ASSESSED, reason=reason, needed_n=None)
