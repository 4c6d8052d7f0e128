"""What the data must be like before the rules of a policy can be relied on."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import (
    Field,
    SerializerFunctionWrapHandler,
    StrictBool,
    field_validator,
    model_serializer,
)

from privgate.evidence import Criterion
from privgate.evidence.base import Frozen

Rows = Annotated[int | None, Field(strict=True, ge=1)]
DeclaredPlace = Annotated[str, Field(pattern=r"^(generator|context)(\.[A-Za-z0-9_-]+)+$")]


class MinimumRows(Frozen):
    """How many rows each table must have at least."""

    train: Rows = Field(default=None, description="records the generator saw")
    holdout: Rows = Field(default=None, description="records the generator never saw")
    synthetic: Rows = Field(default=None, description="records to be published")


class Requirements(Frozen):
    """What the data must be like before rules can be relied on."""

    kind: Literal["table", "array"] | None = Field(
        default=None, description="what the release must be; either if absent"
    )
    holdout: StrictBool = Field(default=False, description="whether a holdout table must be there")
    min_rows: MinimumRows = Field(default=MinimumRows(), description="smallest tables accepted")
    max_holdout_overlap: float = Field(
        default=0.1,
        ge=0,
        le=1,
        description="largest share of holdout rows that may also be train rows; a holdout that "
        "shares people with train hides what is specific to train",
    )
    coverage: tuple[Criterion, ...] = Field(
        default=(), description="criteria that each need a blocking rule on an attack, and met"
    )
    ledger: StrictBool = Field(
        default=False,
        description="whether the evaluation must be written into a ledger, which shows how often "
        "the data were judged before",
    )
    declared: tuple[DeclaredPlace, ...] = Field(
        default=(),
        description="entries of the release file that must be filled in, as generator.dp.epsilon "
        "or context.safeguards; they are declared, never verified",
    )
    full_policy: StrictBool = Field(
        default=False,
        description="true: this policy screens; it can stop a release and never lets one out, "
        "since that takes a full policy",
    )

    @field_validator("coverage")
    @classmethod
    def _names_each_once(cls, coverage: tuple[Criterion, ...]) -> tuple[Criterion, ...]:
        twice = [name.value for name in Criterion if coverage.count(name) > 1]
        if twice:
            raise ValueError(f"{', '.join(twice)} is listed twice; list each criterion once")
        return coverage

    @model_serializer(mode="wrap")
    def _as_stored(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """Leave out what is younger than the first stored verdicts, so that their digests stay."""
        content: dict[str, Any] = handler(self)
        younger = ("kind", "ledger", "declared", "full_policy")
        unused = {name for name in younger if not getattr(self, name)}
        return {name: value for name, value in content.items() if name not in unused}
