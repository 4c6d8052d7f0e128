"""What the data must be like before the rules of a policy can be relied on."""

from __future__ import annotations

from typing import Annotated, Any

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


class MinimumRows(Frozen):
    """How many rows each table must have at least."""

    train: Rows = Field(default=None, description="records the generator saw")
    holdout: Rows = Field(default=None, description="records the generator never saw")
    synthetic: Rows = Field(default=None, description="records to be published")


class Requirements(Frozen):
    """What the data must be like before rules can be relied on."""

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

    @field_validator("coverage")
    @classmethod
    def _names_each_once(cls, coverage: tuple[Criterion, ...]) -> tuple[Criterion, ...]:
        twice = [name.value for name in Criterion if coverage.count(name) > 1]
        if twice:
            raise ValueError(f"{', '.join(twice)} is listed twice; list each criterion once")
        return coverage

    @model_serializer(mode="wrap")
    def _without_absent_ledger(self, written: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """Keep the document, and so the digest, of a policy that asks for none what it ever was."""
        found: dict[str, Any] = written(self)
        if not self.ledger:
            found.pop("ledger", None)
        return found
