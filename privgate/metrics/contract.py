"""What a metric is: a card, a model of its parameters and one pure function."""

from __future__ import annotations

from dataclasses import dataclass, field
from importlib import import_module
from typing import TYPE_CHECKING, Generic, TypeVar

from privgate.evidence import Card, Chart, Estimate, Frozen, JsonValue, Part

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import numpy as np
    from numpy.random import Generator
    from numpy.typing import NDArray

    from privgate.data import TableName
    from privgate.metrics.inputs import Inputs


class Params(Frozen):
    """Base of all parameter models: every field has a default, a range and a description."""


@dataclass(frozen=True, kw_only=True)
class Records:
    """Scores of single records. They never enter evidence or a shareable report.

    Each array has one entry per row of ``table``, in the order of the release's rows. ``named``
    marks the rows that the metric names as copies or leaks of a real person, each of which the
    release would be better without; ``None`` where a metric accuses no single row.
    """

    table: TableName
    scores: Mapping[str, NDArray[np.generic]]
    named: NDArray[np.bool_] | None = None


@dataclass(frozen=True, kw_only=True)
class Measured:
    """What a metric found. The figures' names are those of the card."""

    figures: Mapping[str, Estimate] = field(default_factory=dict)
    parts: tuple[Part, ...] = ()
    raw: float | None = None
    risk: float | None = None
    charts: tuple[Chart, ...] = ()
    diagnostics: Mapping[str, JsonValue] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    records: tuple[Records, ...] = ()


P = TypeVar("P", bound=Params)


@dataclass(frozen=True)
class Metric(Generic[P]):
    """A card, the model of its parameters and the function that measures.

    The function is pure: same inputs, parameters and generator state, same answer; inputs stay as
    they are; nothing is printed, read or written. It may raise
    :class:`privgate.errors.NotAssessable`.
    """

    card: Card
    params: type[P]
    measure: Callable[[Inputs, P, Generator], Measured]

    @property
    def name(self) -> str:
        """Return the name that policies use."""
        return self.card.name

    def __reduce__(self) -> tuple[Callable[[str, str], object], tuple[str, str]]:
        """Travel to another process by name: the function's own name there is the metric."""
        return _declared, (self.measure.__module__, self.measure.__name__)


def _declared(module: str, name: str) -> object:
    return getattr(import_module(module), name)


def metric(
    card: Card, *, params: type[P]
) -> Callable[[Callable[[Inputs, P, Generator], Measured]], Metric[P]]:
    """Join a card, a parameter model and the decorated function into a :class:`Metric`."""

    def join(measure: Callable[[Inputs, P, Generator], Measured]) -> Metric[P]:
        return Metric(card, params, measure)

    return join
