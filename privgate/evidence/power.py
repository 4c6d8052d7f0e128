"""What the checks would have caught: leaks of known size, planted and judged again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from pydantic import Field

from privgate.evidence.base import Frozen
from privgate.evidence.study import PolicyStudy

if TYPE_CHECKING:
    from collections.abc import Iterable


class PlantedLeak(Frozen):
    """One kind and size of leak, and how often it was caught.

    ``share`` of the published records had ``fields`` of their fields copied from a real person;
    ``records`` is the number of such records. ``perturbed`` leaks have every copied number moved a
    little. A share of 0 is the release as it is, judged with other seeds. ``caught`` counts for
    each rule the trials in which it was violated, ``stopped`` those in which the policy was.
    """

    share: float = Field(ge=0, le=1)
    fields: float = Field(gt=0, le=1)
    perturbed: bool
    records: int = Field(ge=0)
    trials: int = Field(ge=1)
    caught: dict[str, int]
    stopped: int = Field(ge=0)

    def rate(self, rule: str | None) -> float:
        """Return the share of trials in which a rule, or the whole policy, caught the leak."""
        return (self.stopped if rule is None else self.caught[rule]) / self.trials


class PowerStudy(PolicyStudy):
    """The result of a canary test of one release under one policy.

    ``rules`` are the policy's rules with their severity, in the policy's order.
    """

    schema_: Literal["privgate/power/v1"] = Field(default="privgate/power/v1", alias="schema")
    rules: dict[str, Literal["blocking", "advisory"]]
    unplanted: PlantedLeak
    planted: tuple[PlantedLeak, ...] = Field(min_length=1)

    def kinds(self) -> tuple[tuple[float, bool], ...]:
        """Return the kinds of leak, strongest first: share of fields, and whether perturbed."""
        found = {(leak.fields, leak.perturbed) for leak in self.planted}
        return tuple(sorted(found, key=lambda kind: (kind[1], -kind[0])))

    def of_kind(self, kind: tuple[float, bool]) -> tuple[PlantedLeak, ...]:
        """Return the leaks of one kind, smallest first."""
        found = (leak for leak in self.planted if (leak.fields, leak.perturbed) == kind)
        return tuple(sorted(found, key=lambda leak: leak.share))

    def smallest(
        self, kind: tuple[float, bool], rule: str | None, *, rate: float
    ) -> PlantedLeak | None:
        """Return the smallest leak of a kind that is caught at a rate, as is every larger one.

        ``None`` if not even the largest planted one is. The rate is that of the trials made, not a
        bound on the true one.
        """
        return _first_caught_for_good(self.of_kind(kind), rule, rate)


def _first_caught_for_good(
    leaks: Iterable[PlantedLeak], rule: str | None, rate: float
) -> PlantedLeak | None:
    found = None
    for leak in leaks:
        if leak.rate(rule) < rate:
            found = None
        elif found is None:
            found = leak
    return found
