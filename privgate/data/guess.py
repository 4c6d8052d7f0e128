"""Guesses of column types and roles, written down to be reviewed by a person."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc

from privgate.data.arrays import ARRAY_DISTANCES
from privgate.data.columns import ColumnType, Distance, Role
from privgate.data.datetimes import instants
from privgate.data.levels import levels, truth_values
from privgate.data.matrices import is_binary
from privgate.data.numeric import numbers
from privgate.data.schema import ColumnDeclaration
from privgate.data.text import UnreadableCells, clean, is_text, plain

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from privgate.data.arrays import RawArray
    from privgate.data.raw import RawTable
    from privgate.evidence import TableName

_QUASI = re.compile(
    "age|sex|gender|zip|zipcode|postcode|postal|birth|birthdate|birthday|dob|born|race|"
    "ethnicity|ethnic|marital|married|civil|education|school|occupation|job|profession|"
    "workclass|religion|nationality|country|citizenship|city|region|county|state|"
    "municipality|district|province|language|height|weight|bmi|household|family|children|"
    "relationship|employer"
)
_SENSITIVE = re.compile(
    "income|salary|wage|wages|earnings|pay|debt|wealth|asset|assets|diagnosis|disease|"
    "disorder|hiv|aids|cancer|icd|medication|treatment|pregnant|pregnancy|disability|"
    "genotype|drug|drugs|alcohol|crime|conviction|credit|loan|default|orientation|outcome|"
    "died|death|survival"
)
_IDENTIFIER = re.compile(
    "id|ids|identifier|uuid|guid|ssn|pid|mrn|passport|email|phone|telephone|name|surname|"
    "lastname|firstname|iban|key|index"
)


@dataclass(frozen=True)
class Guess:
    """A guessed declaration, and what it was guessed from."""

    declaration: ColumnDeclaration
    because: str


def guess_declarations(tables: Mapping[TableName, RawTable]) -> dict[str, Guess]:
    """Return a guess for each column of any table, in the order in which columns appear.

    A type is guessed only if the cells of all tables can be read as it. Roles are guessed from
    names, so they need a person's judgement.
    """
    names = dict.fromkeys(name for table in tables.values() for name in table.columns)
    return {name: _guess(name, tables) for name in names}


def render_release_file(
    guesses: Mapping[str, Guess], *, paths: Mapping[TableName, str], name: str
) -> str:
    """Return the text of a release file in which every guess is marked as one."""
    notes = [
        "# Written by `privgate init`. Types and roles are guesses: review every line marked so.",
        "# types: " + ", ".join(kind.value for kind in ColumnType),
        "# roles: " + ", ".join(role.value for role in Role),
    ]
    columns = ["columns:", *(_line(column, guess) for column, guess in guesses.items())]
    return _release_file(notes, data=(), columns=columns, paths=paths, name=name)


def render_array_release_file(
    arrays: Mapping[TableName, RawArray], *, paths: Mapping[TableName, str], name: str
) -> str:
    """Return the text of a release file of arrays, the distance marked as a guess."""
    notes = [
        "# Written by `privgate init`. The distance is a guess: review every line marked so.",
        "# distances: " + ", ".join(distance.value for distance in ARRAY_DISTANCES),
    ]
    if all(is_binary(array.matrix) for array in arrays.values()):
        distance, because = Distance.HAMMING, "all numbers are 0 or 1"
    else:
        distance = Distance.EUCLIDEAN
        because = "not all numbers are 0 or 1; is it the length of a row that counts, or only its "
        because += "direction (cosine)?"
    data = ("  kind: array", f"  distance: {distance.value}  # guess: {because}")
    return _release_file(notes, data=data, columns=(), paths=paths, name=name)


def _release_file(
    notes: Sequence[str],
    *,
    data: Sequence[str],
    columns: Sequence[str],
    paths: Mapping[TableName, str],
    name: str,
) -> str:
    lines = [
        *notes,
        "privgate: release/v1",
        f"name: {_quoted(name)}",
        "unit: person  # guess: what one row stands for",
        "data:",
        *data,
        *(f"  {table}: {{path: {_quoted(path)}}}" for table, path in paths.items()),
        *columns,
        "correspondence: none  # guess: synthetic rows are not made from one train row each",
        "# published: []  # no table of counts goes out with the release; or list them here",
    ]
    return "\n".join(lines) + "\n"


def _line(column: str, guess: Guess) -> str:
    kind, role = guess.declaration.type.value, guess.declaration.role.value
    return f"  {_quoted(column)}: {{type: {kind}, role: {role}}}  # guess: {guess.because}"


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def _guess(name: str, tables: Mapping[TableName, RawTable]) -> Guess:
    holders = {table: raw for table, raw in tables.items() if name in raw.columns}
    kind, seen = _type(name, list(holders.values()))
    role, named = _role(name)
    first = next(iter(holders.values()))
    if role is Role.IDENTIFIER and not _is_unique(first, name):
        role, named = Role.OTHER, "the name says nothing, or values repeat"
    elif kind is ColumnType.CATEGORICAL and role is Role.OTHER and _is_unique(first, name):
        named = "no value repeats: is this an identifier or free text?"
    return Guess(ColumnDeclaration(type=kind, role=role), f"{seen}; {named}")


def _type(name: str, tables: list[RawTable]) -> tuple[ColumnType, str]:
    readers: dict[ColumnType, Callable[[RawTable], object]] = {
        ColumnType.BOOLEAN: lambda raw: truth_values(plain(raw.columns[name]), raw.missing),
        ColumnType.NUMERIC: lambda raw: numbers(
            plain(raw.columns[name]), raw.missing, decimal=raw.decimal
        ),
        ColumnType.DATETIME: lambda raw: instants(plain(raw.columns[name]), raw.missing),
    }
    if all(_is_empty(raw, name) for raw in tables):
        return ColumnType.CATEGORICAL, "there is no value"
    seen = {
        ColumnType.BOOLEAN: "all values are truth values",
        ColumnType.NUMERIC: "all values are numbers",
        ColumnType.DATETIME: "all values are dates or times",
    }
    for kind, read in readers.items():
        if all(_reads(read, raw) for raw in tables):
            return kind, seen[kind]
    return ColumnType.CATEGORICAL, "values are text"


def _reads(read: Callable[[RawTable], object], raw: RawTable) -> bool:
    try:
        read(raw)
    except UnreadableCells:
        return False
    return True


def _role(name: str) -> tuple[Role, str]:
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", name)
    words = re.findall(r"[a-z]+", spaced.lower())
    for role, known in (
        (Role.IDENTIFIER, _IDENTIFIER),
        (Role.SENSITIVE, _SENSITIVE),
        (Role.QUASI_IDENTIFIER, _QUASI),
    ):
        if any(known.fullmatch(word) for word in words):
            return role, f"the name suggests {role.value}"
    return Role.OTHER, "the name says nothing"


def _is_empty(raw: RawTable, name: str) -> bool:
    array = plain(raw.columns[name])
    return bool(
        (clean(array, raw.missing) if is_text(array.type) else array).null_count == raw.rows
    )


def _is_unique(raw: RawTable, name: str) -> bool:
    """Return whether there are several values and none repeats."""
    array = plain(raw.columns[name])
    if pa.types.is_timestamp(array.type):
        return False
    try:
        codes = levels(array, raw.missing, decimal=raw.decimal).codes
    except UnreadableCells:
        return False
    present = codes[codes >= 0]
    return len(present) > 1 and pc.count_distinct(pa.array(present)).as_py() == len(present)
