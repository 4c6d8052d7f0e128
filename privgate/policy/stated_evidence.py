"""Evidence that somebody wrote down to see what a policy makes of it; nothing was measured."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Literal, Self

from pydantic import Field, model_validator

from privgate.evidence import (
    Estimate,
    Frozen,
    Measurement,
    OverlapFacts,
    ReleaseFacts,
    RunEvidence,
    RunFacts,
    Status,
    TableFacts,
    document,
)
from privgate.policy.limits import figure_range

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from privgate.evidence import JsonValue
    from privgate.policy.bind import BoundPolicy, BoundRule

_ENOUGH = 10**6
Complaint = tuple[str, tuple[str, ...], str]  # rule, place below it, message


class Stated(Frozen):
    """A figure with its interval, as a case states it; a number alone is a figure without one.

    Examples
    --------
    >>> Stated.model_validate(3).value
    3.0
    """

    value: float = Field(strict=True, description="the figure itself")
    low: float | None = Field(default=None, strict=True, description="lower end of the interval")
    high: float | None = Field(default=None, strict=True, description="upper end of the interval")
    n: int | None = Field(default=None, strict=True, ge=0, description="number of records")

    @model_validator(mode="before")
    @classmethod
    def _with_a_name(cls, given: object) -> object:
        return given if isinstance(given, dict) else {"value": given}

    @model_validator(mode="after")
    def _is_coherent(self) -> Self:
        if (self.low is None) != (self.high is None):
            raise ValueError("an interval has two ends; write low and high")
        if (
            self.low is not None
            and self.high is not None
            and not self.low <= self.value <= self.high
        ):
            raise ValueError("the value lies outside its interval")
        return self


class RowCounts(Frozen):
    """Rows of the tables of a case; without a number there are enough, null is no such table."""

    train: int = Field(default=_ENOUGH, strict=True, ge=1)
    holdout: int | None = Field(default=_ENOUGH, strict=True, ge=1)
    synthetic: int = Field(default=_ENOUGH, strict=True, ge=1)


def stated_evidence(
    bound: BoundPolicy,
    figures: Mapping[str, Stated],
    *,
    rows: RowCounts,
    holdout_overlap: float,
    declared: Sequence[str] = (),
) -> RunEvidence | list[Complaint]:
    """Return evidence with these figures for a policy's rules, or what is wrong with them.

    Intervals are taken to have the confidence that the policy asks for.
    """
    judged = [rule for rule in bound.rules if rule.rule.id in figures]
    complaints = [*_complaints(judged, figures)]
    if complaints:
        return complaints
    confidence = bound.policy.confidence
    by_measurement: dict[str, dict[str, Estimate]] = {}
    for rule in judged:
        own = by_measurement.setdefault(rule.measurement_id, {})
        own[rule.measure] = _estimate(figures[rule.rule.id], confidence)
    return RunEvidence(
        release=_release(rows, holdout_overlap, declared, bound.policy.requires.kind or "table"),
        run=RunFacts(
            seed=0,
            seed_source="given",
            confidence=confidence,
            created=datetime(1970, 1, 1, tzinfo=UTC),
            tool="stated, not measured",
            python="",
            packages={},
        ),
        cards={rule.metric.name: rule.metric.card for rule in judged},
        measurements=tuple(
            _measurement({rule.measurement_id: rule for rule in judged}[key], found)
            for key, found in sorted(by_measurement.items())
        ),
    )


def _complaints(rules: list[BoundRule], stated: Mapping[str, Stated]) -> Iterator[Complaint]:
    """Yield figures out of their range, and two rules that state one figure differently."""
    first: dict[tuple[str, str], str] = {}
    for rule in rules:
        name = rule.rule.id
        least, greatest = figure_range(rule.figure)
        if not least <= stated[name].value <= greatest:
            message = f"the figure {rule.measure!r} is always between {least:g} and {greatest:g}"
            yield name, (), message
        other = first.setdefault((rule.measurement_id, rule.measure), name)
        if stated[other] != stated[name]:
            yield name, (), f"the rule {other!r} judges the same figure and states it differently"


def _estimate(stated: Stated, confidence: float) -> Estimate:
    bare = stated.low is None
    return Estimate(
        value=stated.value,
        low=stated.low,
        high=stated.high,
        level=None if bare else confidence,
        method=None if bare else "stated",
        n=stated.n,
    )


def _measurement(rule: BoundRule, figures: dict[str, Estimate]) -> Measurement:
    return Measurement(
        id=rule.measurement_id,
        metric=rule.metric.name,
        version=rule.metric.card.version,
        params=document(rule.params),
        status=Status.MEASURED,
        figures=figures,
    )


def _release(
    rows: RowCounts,
    holdout_overlap: float,
    declared: Sequence[str],
    kind: Literal["table", "array"],
) -> ReleaseFacts:
    counts: dict[Literal["train", "holdout", "synthetic"], int] = {
        "train": rows.train,
        "synthetic": rows.synthetic,
    }
    if rows.holdout is not None:
        counts["holdout"] = rows.holdout
    return ReleaseFacts(
        name="case",
        unit="record",
        kind=kind,
        tables={
            name: TableFacts(
                file="",
                format="stated",
                sha256="0" * 64,
                content_sha256="0" * 64,
                rows=count,
                columns=1,
                distinct_rows=count,
            )
            for name, count in counts.items()
        },
        columns=(),
        generator=filled_in(declared, "generator"),
        context=filled_in(declared, "context"),
        holdout_overlap=None
        if rows.holdout is None
        else OverlapFacts(rows=round(holdout_overlap * rows.holdout), share=holdout_overlap),
    )


def filled_in(places: Sequence[str], section: str) -> dict[str, JsonValue]:
    """Return a section of a release file in which these places are filled in.

    Examples
    --------
    >>> filled_in(["generator.dp.epsilon", "context.purpose"], "generator")
    {'dp': {'epsilon': 'declared'}}
    """
    found: dict[str, JsonValue] = {}
    for place in places:
        first, *way, last = place.split(".")
        here = found
        if first == section:
            for key in way:
                inner = here.setdefault(key, {})
                if isinstance(inner, dict):
                    here = inner
            here[last] = "declared"
    return found
