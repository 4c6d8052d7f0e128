"""A metric on trial: run on its own, under fixed conditions, with exceptions coming through."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import numpy as np

from privgate.engine.plan import COLUMN_NEEDS, Planned
from privgate.engine.progress import Silent
from privgate.engine.run import Conditions, Run, measure
from privgate.evidence import SafeSide
from privgate.executors import Threads
from privgate.policy import measurement_id

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from privgate.data import Release
    from privgate.evidence import Estimate, JsonValue, Measurement
    from privgate.metrics import Metric

_CREATED = datetime(2026, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, kw_only=True)
class Subject:
    """A metric with the parameters that it is tried with, where the defaults would take long."""

    metric: Metric[Any]
    params: Mapping[str, JsonValue] = field(default_factory=dict)

    @property
    def planned(self) -> Planned:
        """Return the metric as a plan has it."""
        params = self.metric.params.model_validate(dict(self.params))
        return Planned(measurement_id(self.metric, params), self.metric, params)

    @property
    def is_for_arrays(self) -> bool:
        """Return whether the metric can do without columns."""
        return not COLUMN_NEEDS.intersection(self.metric.card.needs)

    def run(self, release: Release, *, jobs: int = 1, beside: tuple[Planned, ...] = ()) -> Run:
        """Return what a run with this metric, beside others, makes; exceptions come through."""
        conditions = Conditions(
            seed=7,
            seed_source="given",
            confidence=0.95,
            created=_CREATED,
            executor=Threads(jobs),
            debug=True,
        )
        return measure(release, [self.planned, *beside], conditions, Silent())

    def measured(self, release: Release, *, jobs: int = 1) -> Measurement:
        """Return what the metric makes of a release."""
        return self.run(release, jobs=jobs).evidence.measurements[0]


def off_the_card(subject: Subject, figures: Mapping[str, Estimate]) -> Iterator[str]:
    """Yield what is wrong with figures by the metric's card."""
    specs = subject.metric.card.figures
    for name, figure in figures.items():
        if name not in specs:
            yield f"the card has no figure {name!r}"
            continue
        spec = specs[name]
        if figure.value is None:
            continue
        low = -np.inf if spec.minimum is None else spec.minimum
        high = np.inf if spec.maximum is None else spec.maximum
        if not low <= figure.value <= high:
            yield f"{name} is {figure.value}, outside [{low}, {high}]"
        if spec.has_interval != (figure.low is not None):
            yield f"{name} has {'no' if spec.has_interval else 'an'} interval, against the card"
        if figure.low is not None and not figure.low <= figure.value <= (figure.high or np.inf):
            yield f"{name} is outside its own interval"


def no_worse(subject: Subject, bad: Measurement, good: Measurement) -> Iterator[str]:
    """Yield where the headline of a copy of train is not beyond that of an honest release."""
    headline = subject.metric.card.headline
    figures = (found.figures.get(headline) for found in (bad, good))
    copied, fresh = (None if figure is None else figure.value for figure in figures)
    if copied is None or fresh is None:
        yield f"{headline} is unknown of a copy of train or of an honest release"
        return
    low_is_safe = subject.metric.card.figures[headline].safe_side is SafeSide.LOW
    if not (copied > fresh if low_is_safe else copied < fresh):
        yield f"{headline} is {copied} for a copy of train and {fresh} for an honest release"
