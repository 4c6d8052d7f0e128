"""One measured figure with its interval."""

from __future__ import annotations

from typing import Self

from pydantic import Field, model_validator

from privgate.evidence.base import Frozen


class Estimate(Frozen):
    """A value with its interval, the interval's level and method, and the number of records.

    Either ``value`` is a finite number, or it is ``None`` and ``reason`` says why. NaN and infinity
    cannot be stated.

    Examples
    --------
    >>> Estimate(value=0.25, low=0.1, high=0.5, level=0.95, method="Wilson", n=12).high
    0.5
    >>> Estimate(value=None)
    Traceback (most recent call last):
        ...
    pydantic_core._pydantic_core.ValidationError: 1 validation error for Estimate
      Value error, a figure without a value needs a reason [type=value_error, ...]
    ...
    """

    value: int | float | None
    low: float | None = None
    high: float | None = None
    level: float | None = Field(default=None, gt=0, lt=1)
    method: str | None = None
    n: int | None = Field(default=None, ge=0)
    reason: str | None = None

    @model_validator(mode="after")
    def _is_coherent(self) -> Self:
        if self.value is None:
            if not self.reason:
                raise ValueError("a figure without a value needs a reason")
            if self.low is not None or self.high is not None:
                raise ValueError("a figure without a value has no interval")
            return self
        if (self.low is None) != (self.high is None):
            raise ValueError("an interval has two ends")
        if self.low is not None and self.high is not None:
            if self.level is None or not self.method:
                raise ValueError("an interval needs its level and method")
            if not self.low <= self.value <= self.high:
                raise ValueError("the interval does not contain its estimate")
        return self


def unknown(reason: str) -> Estimate:
    """Return a figure that could not be computed, with the reason."""
    return Estimate(value=None, reason=reason)
