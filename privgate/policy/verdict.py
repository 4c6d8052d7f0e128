"""What a policy makes of the evidence."""

from __future__ import annotations

from datetime import date
from enum import StrEnum
from typing import Literal, Self

from pydantic import Field, model_validator

from privgate.errors import ExitCode
from privgate.evidence.base import Frozen, JsonValue


class Outcome(StrEnum):
    """The three answers of the gate, and ``WAIVED`` for a rule that a valid waiver covers."""

    MET = "met"
    VIOLATED = "violated"
    NOT_ASSESSED = "not_assessed"
    WAIVED = "waived"

    @property
    def exit_code(self) -> ExitCode:
        """Return the exit code of a release with this outcome."""
        return {
            Outcome.MET: ExitCode.MET,
            Outcome.VIOLATED: ExitCode.VIOLATED,
            Outcome.NOT_ASSESSED: ExitCode.NOT_ASSESSED,
        }[self]


class PolicyReference(Frozen):
    """Which policy is meant; ``sha256`` is the digest of its content, parents resolved."""

    id: str
    version: str
    sha256: str


class PolicyFacts(Frozen):
    """The policy that judged.

    ``document`` is its canonical content, parents resolved, ``sha256`` the digest of that, ``text``
    the source as it was written. Where that extends other policies, ``parents`` are those, the
    nearest first, and ``resolved`` is the text of the whole, each line with its origin.
    """

    id: str
    version: str
    title: str
    owner: str | None = None
    review_by: str | None = None
    sha256: str
    text: str
    document: dict[str, JsonValue]
    parents: tuple[PolicyReference, ...] = ()
    resolved: str | None = None


class AppliedWaiver(Frozen):
    """The waiver that covers a rule, in the approver's words, and what it covers.

    ``finding`` is the outcome that the rule would have without it; the finding stands.
    """

    finding: Literal["violated", "not_assessed"]
    reason: str
    approved_by: str
    granted: date
    expires: date
    compensating_measure: str | None = None


class RuleVerdict(Frozen):
    """What became of one rule.

    ``judged`` is the number that was held against the limit: the unfavourable end of the interval,
    or the value itself where ``judge`` is ``point`` or the figure is exact. ``part`` names the part
    that decided (the worst). ``needed_n`` estimates how many records would settle an inconclusive
    rule.
    """

    id: str
    metric: str
    measure: str
    measurement: str  # id of the measurement in the evidence
    part: str | None = None
    outcome: Outcome
    severity: Literal["blocking", "advisory"]
    value: float | int | None = None
    low: float | None = None
    high: float | None = None
    level: float | None = None
    n: int | None = None
    judge: Literal["bound", "point"]
    judged: float | int | None = None
    require: dict[Literal["max", "min", "equals", "below", "above"], float | int]
    source: dict[str, str]  # kind, ref
    rationale: str | None = None
    reason: str  # why this outcome, a full sentence
    needed_n: int | None = None
    waiver: AppliedWaiver | None = None

    @model_validator(mode="after")
    def _is_waived_by_a_waiver(self) -> Self:
        if (self.outcome is Outcome.WAIVED) is (self.waiver is None):
            raise ValueError("a rule is waived exactly if a waiver covers it")
        return self

    @property
    def finding(self) -> Outcome:
        """Return what was found, whether or not a waiver covers it."""
        return self.outcome if self.waiver is None else Outcome(self.waiver.finding)


class CoverageVerdict(Frozen):
    """Whether a criterion that the policy requires is satisfied, and by which rules."""

    required: bool
    rules: tuple[str, ...]
    satisfied: bool
    reason: str


class RequirementVerdict(Frozen):
    """Whether a requirement of the policy on the data is kept."""

    name: str
    required: bool | int | float | str
    seen: bool | int | float | str | None
    satisfied: bool
    reason: str


class WaiverVerdict(Frozen):
    """Whether one waiver of the waivers file counted, and why or why not.

    What could be read of it stands here as it was written, also where the whole is malformed.
    """

    position: int = Field(ge=0)  # in the file's list
    line: int | None = None
    rule: str | None = None
    reason: str | None = None
    approved_by: str | None = None
    granted: str | None = None
    expires: str | None = None
    release_sha256: str | None = None
    compensating_measure: str | None = None
    counted: bool
    why: str  # clauses that go on from "it counted" or "it did not count"


class WaiversFacts(Frozen):
    """The waivers file of a check, and the day (UTC) for which its waivers were judged.

    ``sha256`` digests the text in UTF-8, which is what the file's bytes are unless they begin with
    a byte order mark.
    """

    day: date
    sha256: str = Field(pattern="^[0-9a-f]{64}$")
    text: str


class Verdict(Frozen):
    """The judgement on one release under one policy.

    ``salt`` is made of those of the tables and never published either.
    """

    schema_: Literal["privgate/verdict/v1"] = Field(default="privgate/verdict/v1", alias="schema")
    outcome: Literal[Outcome.MET, Outcome.VIOLATED, Outcome.NOT_ASSESSED]
    exit_code: Literal[0, 1, 3]
    reasons: tuple[str, ...]  # what decided, the gravest first; never empty
    policy: PolicyFacts
    evidence_sha256: str
    rules: tuple[RuleVerdict, ...] = Field(min_length=1)
    requirements: tuple[RequirementVerdict, ...]
    coverage: dict[str, CoverageVerdict]
    waivers: tuple[WaiverVerdict, ...] = ()  # all of the file, also those that did not count
    waivers_file: WaiversFacts | None = None
    salt: str | None = None

    @property
    def waived(self) -> tuple[str, ...]:
        """Return the ids of the blocking rules that only a waiver keeps from stopping."""
        return tuple(
            rule.id
            for rule in self.rules
            if rule.severity == "blocking" and rule.outcome is Outcome.WAIVED
        )
