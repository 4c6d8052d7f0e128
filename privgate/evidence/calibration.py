"""What a policy's rules say of releases whose truth is known, and the limits that follow."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from privgate.evidence.base import Frozen
from privgate.evidence.card import FigureKind
from privgate.evidence.study import PolicyStudy

Operator = Literal["max", "min", "equals", "below", "above"]
Answer = Literal["met", "violated", "not_assessed"]


class Draws(Frozen):
    """What one rule said in the draws of one scenario.

    ``judged`` are the numbers held against the limit, ascending, ``values`` the figures themselves,
    each without the draws that gave none; ``answers`` counts outcomes under the present limit and
    ``proposed`` under the proposed one.
    """

    scenario: str
    leaks: bool
    values: tuple[float, ...]
    judged: tuple[float, ...]
    answers: dict[Answer, int]
    proposed: dict[Answer, int] = Field(default_factory=dict)

    @property
    def trials(self) -> int:
        """Return the number of draws."""
        return sum(self.answers.values())


class RuleCalibration(Frozen):
    """One rule: its present limit, its draws and the limit proposed, or why there is none."""

    id: str
    metric: str
    measure: str
    title: str
    kind: FigureKind
    severity: Literal["blocking", "advisory"]
    require: dict[Operator, float]
    draws: tuple[Draws, ...]
    proposed: dict[Operator, float] | None = None
    reason: str


class CalibrationStudy(PolicyStudy):
    """The calibration of one policy on the data of one release.

    ``false_alarms`` is the level: the share of honest releases that may break a proposed limit.
    """

    schema_: Literal["privgate/calibration/v1"] = Field(
        default="privgate/calibration/v1", alias="schema"
    )
    false_alarms: float = Field(gt=0, lt=1)
    rules: tuple[RuleCalibration, ...] = Field(min_length=1)
