"""The shape of a release file."""

from __future__ import annotations

import codecs
from pathlib import PurePath
from typing import Annotated, Literal, Self

from pydantic import BeforeValidator, Field, TypeAdapter, field_validator, model_validator

from privgate.data.array_files import ARRAY_FILES
from privgate.data.columns import ColumnType, Role
from privgate.data.levels import number_text
from privgate.data.raw import MISSING_TOKENS
from privgate.evidence import Frozen, JsonValue


def _written(value: object) -> object:
    """Let a number or truth value stand for the text that the same cell has in canonical form."""
    if isinstance(value, bool):
        return str(value)
    return number_text(float(value)) if isinstance(value, int | float) else value


CellText = Annotated[str, BeforeValidator(_written)]
CSV_ONLY = {"separator": ",", "decimal": ".", "encoding": "utf-8"}


class TableSource(Frozen):
    """Where a table is and how it is written."""

    path: str = Field(min_length=1, description="relative to the release file")
    separator: str = Field(default=",", min_length=1, max_length=1, description="of a CSV file")
    decimal: Literal[".", ","] = Field(default=".", description="decimal mark of a CSV file")
    encoding: str = Field(default="utf-8", description="of a CSV file")
    missing: tuple[CellText, ...] | None = Field(
        default=None, description="text cells that mean a missing value, in place of the usual list"
    )

    @field_validator("encoding")
    @classmethod
    def _is_known(cls, encoding: str) -> str:
        try:
            codecs.lookup(encoding)
        except (LookupError, ValueError):
            raise ValueError(f"the encoding {encoding!r} is not known") from None
        return encoding

    @model_validator(mode="after")
    def _marks_differ(self) -> Self:
        if self.separator == self.decimal:
            raise ValueError("separator and decimal mark are the same character")
        if self.separator in '"\r\n':
            raise ValueError("a quotation mark or line end cannot separate cells")
        if ".csv" not in PurePath(self.path).name.lower():
            for name, usual in CSV_ONLY.items():
                if getattr(self, name) != usual:
                    raise ValueError(f"{name!r} is an option of CSV files")
        return self

    @property
    def missing_tokens(self) -> frozenset[str]:
        """Return the text cells that mean a missing value."""
        return MISSING_TOKENS if self.missing is None else frozenset(self.missing)


class Totals(Frozen):
    """Which rows of a published table are totals of others."""

    of: tuple[str, ...] = Field(
        min_length=1,
        description="every column that says what a row counts, also those without a total",
    )
    level: CellText = Field(min_length=1, description="the level that stands for all others")

    @field_validator("of")
    @classmethod
    def _names_each_once(cls, of: tuple[str, ...]) -> tuple[str, ...]:
        return _once(of)


class PublishedSource(TableSource):
    """An aggregate table that goes out with the release, one row per cell or group of cells."""

    counts: tuple[str, ...] = Field(
        min_length=1, description="columns that hold numbers of people; an empty cell is suppressed"
    )
    totals: Literal["none"] | Totals | None = Field(
        default=None, description="which rows are totals; none if the table has no totals"
    )

    @field_validator("counts")
    @classmethod
    def _names_each_once(cls, counts: tuple[str, ...]) -> tuple[str, ...]:
        return _once(counts)

    @model_validator(mode="after")
    def _counts_are_no_totals(self) -> Self:
        both = set(self.counts) & set(self.totals.of if isinstance(self.totals, Totals) else ())
        if both:
            raise ValueError(f"the column {min(both)!r} is among the counts and under 'totals.of'")
        return self


def _once(names: tuple[str, ...]) -> tuple[str, ...]:
    if len(set(names)) < len(names):
        raise ValueError("a column is listed twice")
    return names


class ArraySource(Frozen):
    """Where an array is."""

    path: str = Field(min_length=1, description="relative to the release file; .npy or .npz")
    array: str | None = Field(
        default=None, min_length=1, description="which array of an .npz file that holds several"
    )

    @model_validator(mode="after")
    def _is_array_file(self) -> Self:
        suffix = PurePath(self.path).suffix.lower()
        if suffix not in ARRAY_FILES:
            raise ValueError(f"an array is in a file that ends in {' or '.join(ARRAY_FILES)}")
        if self.array is not None and suffix != ".npz":
            raise ValueError("'array' names one of the arrays of an .npz file; remove it")
        return self


class TableSources(Frozen):
    """The tables of a release."""

    kind: Literal["table"] = "table"
    train: TableSource
    holdout: TableSource | None = None
    synthetic: TableSource


class ArraySources(Frozen):
    """The arrays of a release and the distance of their rows."""

    kind: Literal["array"]
    distance: Literal["hamming", "euclidean", "cosine"] = Field(
        description="hamming for 0/1 positions, euclidean or cosine for coordinates"
    )
    train: ArraySource
    holdout: ArraySource | None = None
    synthetic: ArraySource


class ColumnDeclaration(Frozen):
    """What a column holds and what it is to an attacker.

    ``levels``, from low to high, are for ordinal columns; a categorical column may list the only
    levels it may have. ``decided_by`` is printed in the report.
    """

    type: ColumnType
    role: Role
    levels: tuple[CellText, ...] | None = Field(default=None, min_length=1)
    decided_by: str | None = Field(
        default=None, min_length=1, description="who decided on type and role, and why"
    )

    @model_validator(mode="after")
    def _levels_fit(self) -> Self:
        if self.levels is None:
            return self
        if self.type not in {ColumnType.ORDINAL, ColumnType.CATEGORICAL}:
            raise ValueError(f"a {self.type.value} column has no 'levels'; remove them")
        if len(set(self.levels)) < len(self.levels):
            raise ValueError("a level is listed twice")
        return self


class Key(Frozen):
    """The column that says which synthetic row was made from which train row."""

    key: str


class _Described(Frozen):
    """What a release file says whatever its data are."""

    privgate: Literal["release/v1"]
    name: str = Field(min_length=1)
    unit: str = Field(default="person", min_length=1, description="what one row stands for")
    generator: dict[str, JsonValue] = Field(default_factory=dict)
    context: dict[str, JsonValue] = Field(default_factory=dict)
    published: tuple[PublishedSource, ...] | None = Field(
        default=None,
        description="aggregate tables that go out with the release; [] says that there are none",
    )


class ReleaseFile(_Described):
    """What the release file of tables says."""

    data: TableSources
    columns: dict[str, ColumnDeclaration] = Field(min_length=1)
    correspondence: Literal["none", "same_order"] | Key = "none"


class ArrayReleaseFile(_Described):
    """What the release file of arrays says."""

    data: ArraySources
    correspondence: Literal["none", "same_order"] = "none"


def release_schema() -> dict[str, JsonValue]:
    """Return the JSON Schema of a release file."""
    found: TypeAdapter[ReleaseFile | ArrayReleaseFile]
    found = TypeAdapter(ReleaseFile | ArrayReleaseFile)
    return found.json_schema()
