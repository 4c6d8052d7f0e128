"""The shape of a policy: what is required, judged how, with what authority.

Here only the shape is checked. Whether metrics, parameters and figures exist is a question for
:mod:`privgate.policy.bind`, because the set of metrics is open.
"""

from __future__ import annotations

import re
from datetime import date
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any, Literal, Self

from pydantic import (
    AfterValidator,
    BeforeValidator,
    Field,
    SerializerFunctionWrapHandler,
    StrictBool,
    ValidationError,
    ValidationInfo,
    WithJsonSchema,
    field_validator,
    model_serializer,
    model_validator,
)
from pydantic_core import InitErrorDetails, PydanticCustomError, PydanticKnownError

from privgate.evidence import canonical_bytes
from privgate.evidence.base import Frozen, JsonValue
from privgate.policy.requirements import Requirements

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

SLUG = r"^[a-z0-9]+(-[a-z0-9]+)*$"
SEMANTIC_VERSION = (
    r"^(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)"
    r"(-[0-9A-Za-z-]+(\.[0-9A-Za-z-]+)*)?(\+[0-9A-Za-z-]+(\.[0-9A-Za-z-]+)*)?$"
)
Operator = Literal["max", "min", "equals", "below", "above"]
OPERATORS: tuple[Operator, ...] = ("max", "below", "min", "above", "equals")
RulePath = tuple[str | int, ...]


class SourceKind(StrEnum):
    """What kind of authority a limit has."""

    REGULATION = "regulation"
    AGENCY_PRACTICE = "agency-practice"
    CONTRACT = "contract"
    STANDARD = "standard"
    PAPER = "paper"
    TOOL_DEFAULT = "tool-default"
    HOUSE = "house"


class Severity(StrEnum):
    """Whether a rule can stop a release or is only shown."""

    BLOCKING = "blocking"
    ADVISORY = "advisory"


class Judge(StrEnum):
    """What is held against the limit: the unfavourable end of the interval, or the value."""

    BOUND = "bound"
    POINT = "point"


def _stated(number: object) -> object:
    if number is None:
        raise ValueError("a limit without a number is no limit; write a number or remove the key")
    return number


def _named(parent: object) -> object:
    if parent is None:
        raise ValueError("'extends' names no parent; name a policy or remove the key")
    return parent


def _slug(name: str) -> str:
    if not re.fullmatch(SLUG, name):
        raise ValueError(f"{name!r} is no name; write small letters, digits and single hyphens")
    return name


def _semantic(version: str) -> str:
    if not re.fullmatch(SEMANTIC_VERSION, version):
        raise ValueError(f"{version!r} is no semantic version; write three numbers, as in 1.2.0")
    return version


Slug = Annotated[str, AfterValidator(_slug), Field(json_schema_extra={"pattern": SLUG})]
Version = Annotated[
    str, AfterValidator(_semantic), Field(json_schema_extra={"pattern": SEMANTIC_VERSION})
]
Number = Annotated[
    float | None,
    Field(strict=True, allow_inf_nan=False),
    BeforeValidator(_stated),
    WithJsonSchema({"type": "number"}),
]
Sentence = Annotated[str, Field(min_length=1, pattern=r"\S")]


class Source(Frozen):
    """Where a limit comes from."""

    kind: SourceKind = Field(description="what kind of authority stands behind the limit")
    ref: Sentence = Field(description="where to read it, or who decided it")


class Limit(Frozen):
    """The values a figure may take: one limit, or one upper and one lower.

    Examples
    --------
    >>> Limit(max=0.05).stated
    {'max': 0.05}
    >>> Limit(min=0.2, below=0.1)
    Traceback (most recent call last):
        ...
    pydantic_core._pydantic_core.ValidationError: 1 validation error for Limit
      Value error, no number lies between min 0.2 and below 0.1 [type=value_error, ...]
    ...
    """

    max: Number = Field(default=None, description="the figure is at most this")
    min: Number = Field(default=None, description="the figure is at least this")
    equals: Number = Field(default=None, description="the figure is exactly this")
    below: Number = Field(default=None, description="the figure is smaller than this")
    above: Number = Field(default=None, description="the figure is greater than this")

    @model_validator(mode="after")
    def _is_sensible(self) -> Self:
        stated = self.stated
        uppers = [name for name in stated if name in {"max", "below"}]
        lowers = [name for name in stated if name in {"min", "above"}]
        if not stated:
            raise ValueError("no limit is given; write one of max, min, equals, below, above")
        if len(uppers) > 1 or len(lowers) > 1 or ("equals" in stated and len(stated) > 1):
            raise ValueError(f"{' and '.join(stated)} do not go together; keep one of them")
        if uppers and lowers and not stated[lowers[0]] < stated[uppers[0]]:
            low, high = lowers[0], uppers[0]
            raise ValueError(
                f"no number lies between {low} {stated[low]:g} and {high} {stated[high]:g}"
            )
        return self

    @model_serializer
    def _only_stated(self) -> dict[Operator, float]:
        return self.stated

    @property
    def stated(self) -> dict[Operator, float]:
        """Return the limits that are given, uppers first."""
        limits = {name: getattr(self, name) for name in OPERATORS}
        return {name: number for name, number in limits.items() if number is not None}


class Rule(Frozen):
    """One limit on one figure of one metric."""

    id: Slug = Field(description="name of the rule, unique in the policy")
    metric: str = Field(description="a name from `privgate metric list`")
    params: dict[str, JsonValue] = Field(default={}, description="parameters of the metric")
    measure: str | None = Field(
        default=None, description="which figure is judged; the metric's headline figure if absent"
    )
    require: Limit = Field(description="max, min, equals, below or above; one, or a pair")
    judge: Judge = Field(
        default=Judge.BOUND,
        description="bound: the unfavourable end of the interval; point: the value alone",
    )
    severity: Severity = Field(
        default=Severity.BLOCKING, description="blocking rules decide; advisory rules are shown"
    )
    source: Source = Field(description="where the limit comes from")
    rationale: Sentence | None = Field(
        default=None, description="why this figure and this limit, in words a board can read"
    )
    waivable: StrictBool = Field(default=True, description="whether a waiver may cover this rule")

    @field_validator("params")
    @classmethod
    def _have_one_form(cls, params: dict[str, JsonValue]) -> dict[str, JsonValue]:
        """Refuse NaN, infinity and integers that JSON readers disagree about."""
        try:
            canonical_bytes(params)
        except ValueError:
            raise ValueError("a parameter is not a finite, exact number") from None
        return params

    @property
    def is_blocking(self) -> bool:
        """Return whether the rule can stop a release."""
        return self.severity is Severity.BLOCKING

    @property
    def content(self) -> str:
        """Return what the rule asks, without its name, weight and reasons."""
        return self.model_dump_json(include={"metric", "params", "measure", "require", "judge"})


class Policy(Frozen):
    """A versioned set of rules with requirements on the data.

    With ``extends`` it is the child of another policy and may leave out what the parent says; what
    then holds is for :mod:`privgate.policy.extends`, and only the resolved policy judges.

    Examples
    --------
    >>> rule = Rule(id="copies", metric="crp", require=Limit(max=0.01),
    ...             source=Source(kind="house", ref="privacy board, minute 12"))
    >>> Policy(id="ward", version="1.0.0", title="Ward statistics", rules=(rule,)).confidence
    0.95
    """

    privgate: Literal["policy/v1"] = Field(
        default="policy/v1", description="what this file is; always policy/v1"
    )
    id: Slug = Field(description="name of the policy")
    version: Version = Field(description="semantic version: 1.2.0")
    title: Sentence = Field(description="what the policy is for, in one line")
    extends: Annotated[
        Sentence | None, BeforeValidator(_named), WithJsonSchema({"type": "string"})
    ] = Field(
        default=None,
        description="the parent, which this policy may only tighten: a built-in policy, or a path "
        "from the folder of this file",
    )
    owner: Sentence | None = Field(default=None, description="who answers for the policy")
    review_by: date | None = Field(default=None, description="day by which it is looked at again")
    requires: Requirements = Field(
        default=Requirements(), description="what the data must be like to be judged"
    )
    confidence: float = Field(
        default=0.95, strict=True, gt=0.5, lt=1, description="level of all intervals"
    )
    sample: Annotated[int | None, Field(strict=True, ge=100)] = Field(
        default=None,
        description="most rows of the largest table that are measured; of a larger release a "
        "sample is drawn, which can be violated and never met",
    )
    rules: tuple[Rule, ...] = Field(
        default=(), validate_default=True, description="what is judged; a child adds and tightens"
    )

    @field_validator("rules")
    @classmethod
    def _agree(cls, rules: tuple[Rule, ...], info: ValidationInfo) -> tuple[Rule, ...]:
        """Refuse rules that do not go together, naming the place of each conflict."""
        alone = info.data.get("extends", ...) is None  # absent if it could not be read
        if alone and not rules:
            raise PydanticKnownError(
                "too_short", {"field_type": "Tuple", "min_length": 1, "actual_length": 0}
            )
        found = [
            InitErrorDetails(
                type=PydanticCustomError("value_error", "{error}", {"error": message}),
                loc=place,
                input=rules,
            )
            for place, message in conflicts(dict(enumerate(rules)))
        ]
        if alone and not any(rule.is_blocking for rule in rules):
            message = "no rule is blocking, so nothing could ever stop a release"
            kind = PydanticCustomError("value_error", "{error}", {"error": message})
            found.append(InitErrorDetails(type=kind, loc=(), input=rules))
        if found:
            raise ValidationError.from_exception_data(cls.__name__, found)
        return rules

    @model_serializer(mode="wrap")
    def _without_absent(self, written: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """Keep the document, and so the digest, of a policy without parent or sample as it was."""
        found: dict[str, Any] = written(self)
        for name in ("extends", "sample"):
            if getattr(self, name) is None:
                found.pop(name, None)
        return found


def conflicts(rules: Mapping[int, Rule]) -> Iterable[tuple[RulePath, str]]:
    """Yield what is wrong with rules taken together, with the place below ``rules``."""
    ids: dict[str, int] = {}
    contents: dict[str, int] = {}
    for position, rule in rules.items():
        first = ids.setdefault(rule.id, position)
        if first != position:
            yield (position, "id"), f"the id {rule.id!r} is already that of rules[{first}]"
        same = contents.setdefault(rule.content, position)
        if same != position:
            yield (position,), f"the rule repeats rules[{same}]; remove one of them"
