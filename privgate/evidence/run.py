"""The evidence of one run: what was released, how it was measured, and what came out."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal, Self

from pydantic import Field, SerializerFunctionWrapHandler, model_serializer, model_validator

from privgate.evidence.base import Frozen, JsonValue
from privgate.evidence.canonical import digest
from privgate.evidence.card import Card
from privgate.evidence.history import LedgerFacts
from privgate.evidence.measurement import Measurement

TableName = Literal["train", "holdout", "synthetic"]
Sha256 = str


class TableFacts(Frozen):
    """What a table is known by.

    ``sha256`` digests the file's bytes, ``content_sha256`` the canonical content, which is the same
    for any file format, dtype, row or column order. ``salt`` digests the content, too, but is
    never published: without it nobody could be kept from trying out which withheld figures give
    the published digest of the evidence. Evidence of earlier versions has none.
    """

    file: str  # name without folders
    format: str
    sha256: Sha256 = Field(pattern="^[0-9a-f]{64}$")
    content_sha256: Sha256 = Field(pattern="^[0-9a-f]{64}$")
    rows: int = Field(ge=1)
    columns: int = Field(ge=1)
    distinct_rows: int = Field(ge=1)
    salt: Sha256 | None = Field(default=None, pattern="^[0-9a-f]{64}$")


class ColumnFacts(Frozen):
    """How one column is declared and treated; never a value from it.

    ``decided_by`` is who decided on type and role, as stated; ``guessed`` tells that nobody did:
    the type was taken from the cells and the role from the command line.
    """

    name: str
    type: Literal["numeric", "categorical", "ordinal", "boolean", "datetime"]
    role: Literal["quasi_identifier", "sensitive", "other", "identifier", "ignore"]
    levels: int | None = None  # number of levels over all tables, for columns that have levels
    missing: dict[TableName, float] = Field(default_factory=dict)  # shares
    treatment: str
    decided_by: str | None = None
    guessed: bool = False


class ArrayFacts(Frozen):
    """What the rows of an array release are and how they are compared."""

    dimensions: int = Field(ge=1)
    distance: Literal["hamming", "euclidean", "cosine"]
    stored: dict[TableName, str]  # type of the numbers in the files
    treatment: str


class PublishedFacts(Frozen):
    """What an aggregate table that goes out with the release is known by; no count from it."""

    file: str  # name without folders
    format: str
    sha256: Sha256 = Field(pattern="^[0-9a-f]{64}$")
    rows: int = Field(ge=1)
    counts: tuple[str, ...]  # columns that hold numbers of people
    totals: Literal["declared", "none", "not stated"]


class OverlapFacts(Frozen):
    """How many holdout rows are also train rows (all metric columns equal)."""

    rows: int = Field(ge=0)
    share: float = Field(ge=0, le=1)


class ReleaseFacts(Frozen):
    """What was put before the gate.

    ``published`` are the aggregate tables that go out with the release: empty if the release file
    says that there are none, ``None`` if it does not say.
    """

    name: str
    unit: str
    kind: Literal["table", "array"] = "table"
    tables: dict[TableName, TableFacts]
    columns: tuple[ColumnFacts, ...]
    array: ArrayFacts | None = None  # of array releases, which have no columns
    holdout_overlap: OverlapFacts | None = None
    correspondence: JsonValue = None
    generator: dict[str, JsonValue] = Field(default_factory=dict)  # declared, not verified
    context: dict[str, JsonValue] = Field(default_factory=dict)
    notes: tuple[str, ...] = ()  # data decisions and warnings a reader must know
    published: tuple[PublishedFacts, ...] | None = None

    @model_serializer(mode="wrap")
    def _as_stored(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """Leave out what is younger than stored evidence where nothing is said of it."""
        content: dict[str, Any] = handler(self)
        if self.published is None:
            content.pop("published", None)
        return content

    @property
    def declaration_sha256(self) -> str:
        """Return a digest of what the columns, or the distance of arrays, are declared to be."""
        declared = sorted((column.name, column.type, column.role) for column in self.columns)
        entries: list[JsonValue] = [list(entry) for entry in declared]
        if self.array is not None:
            entries.append(["distance", self.array.distance])
        return digest(entries)


class SampleFacts(Frozen):
    """Which part of a release a run measured, drawn at random from the seed of the run.

    ``asked`` is how many rows of the largest table were wanted, and ``source`` by whom; ``rows``
    how many were drawn from each table. ``drawn`` says what was drawn at a time: single rows, all
    rows of one value of an identifier, or train rows with the synthetic rows declared to be made
    from them.
    """

    asked: int = Field(ge=1)
    source: Literal["given", "policy"]
    drawn: Literal["rows", "identifiers", "pairs"]
    rows: dict[TableName, int]


class RunFacts(Frozen):
    """How it was measured. ``created`` is UTC; SOURCE_DATE_EPOCH fixes it.

    ``sample`` is ``None`` where every row was measured, and then not stored. ``sample_unneeded`` is
    the number of rows that was asked for by hand though no table has more.
    """

    seed: int = Field(ge=0, lt=2**53)
    seed_source: Literal["derived", "given"]
    confidence: float = Field(gt=0, lt=1)
    created: datetime
    tool: str
    python: str
    packages: dict[str, str]
    sample: SampleFacts | None = Field(default=None, exclude_if=lambda sample: sample is None)
    sample_unneeded: int | None = Field(default=None, ge=1, exclude_if=lambda rows: rows is None)


class RunEvidence(Frozen):
    """Everything that was measured; judges nothing.

    ``ledger`` is what a ledger told of earlier evaluations, ``None`` where none was kept.
    """

    schema_: Literal["privgate/evidence/v1"] = Field(default="privgate/evidence/v1", alias="schema")
    release: ReleaseFacts
    run: RunFacts
    cards: dict[str, Card]
    measurements: tuple[Measurement, ...]
    ledger: LedgerFacts | None = None

    @model_validator(mode="after")
    def _is_complete(self) -> Self:
        ids = [measurement.id for measurement in self.measurements]
        if len(set(ids)) != len(ids):
            raise ValueError("two measurements share an id")
        missing = {measurement.metric for measurement in self.measurements} - set(self.cards)
        if missing:
            raise ValueError(f"no card for {', '.join(sorted(missing))}")
        return self
