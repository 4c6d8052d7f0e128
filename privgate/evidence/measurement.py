"""What was measured: figures, parts, charts and diagnostics of one metric."""

from __future__ import annotations

from enum import StrEnum
from typing import Literal, Self

from pydantic import Field, model_validator

from privgate.evidence.base import Frozen, JsonValue
from privgate.evidence.estimate import Estimate


class Status(StrEnum):
    """Whether a metric could be computed; anything but ``MEASURED`` is never a pass."""

    MEASURED = "measured"
    NOT_ASSESSED = "not_assessed"
    FAILED = "failed"


class Series(Frozen):
    """One line or set of bars of a chart. A histogram's ``y`` are counts, a curve's are values.

    ``n`` is the number of records behind the series: a report for publication blanks out points
    that stand for one to ten of them. ``None`` marks a gap.
    """

    name: str
    y: tuple[float | None, ...]
    n: int | None = None


class Chart(Frozen):
    """Numbers of a picture, aggregated so that no single record can be read off.

    A histogram has one more ``x`` (bin edges) than ``y``. Of ``points`` the first series is drawn
    as points, the others as lines; a point stands for eleven records or more, or the chart must not
    be made. ``marks`` are labelled vertical lines.
    """

    kind: Literal["histogram", "curve", "points"]
    title: str
    x_label: str
    y_label: str
    x: tuple[float, ...]
    series: tuple[Series, ...] = Field(min_length=1)
    marks: dict[str, float] = Field(default_factory=dict)
    caption: str

    @model_validator(mode="after")
    def _lengths_agree(self) -> Self:
        expected = len(self.x) - (self.kind == "histogram")
        if any(len(series.y) != expected for series in self.series):
            raise ValueError("series and x have different lengths")
        return self


class Part(Frozen):
    """The figures of one part of a measurement, for example one sensitive column."""

    of: str
    status: Status
    reason: str | None = None
    figures: dict[str, Estimate] = Field(default_factory=dict)
    charts: tuple[Chart, ...] = ()
    diagnostics: dict[str, JsonValue] = Field(default_factory=dict)


class Measurement(Frozen):
    """What one metric, run with one set of parameters, returned.

    ``figures`` of a measurement with parts hold, for each figure, the worst part. ``raw`` is the
    metric on its own scale and ``risk`` on the common one (0 complete privacy, 1 none), where that
    is defined. ``id`` is the metric's name and the first digits of the digest of its parameters.
    """

    id: str
    metric: str
    version: int
    params: dict[str, JsonValue]
    status: Status
    reason: str | None = None
    raw: float | None = None
    risk: float | None = Field(default=None, ge=0, le=1)
    figures: dict[str, Estimate] = Field(default_factory=dict)
    parts: tuple[Part, ...] = ()
    charts: tuple[Chart, ...] = ()
    diagnostics: dict[str, JsonValue] = Field(default_factory=dict)
    notes: tuple[str, ...] = ()

    @model_validator(mode="after")
    def _has_reason(self) -> Self:
        if self.status is not Status.MEASURED and not self.reason:
            raise ValueError("a measurement that was not made needs a reason")
        return self
