"""Guesses of column types and roles, written down to be reviewed by a person."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc

from privgate.data.arrays import ARRAY_DISTANCES
from privgate.data.columns import ColumnType, Distance, Role
from privgate.data.datetimes import instants
from privgate.data.dialect import stated_marks
from privgate.data.levels import levels, truth_values
from privgate.data.matrices import is_binary
from privgate.data.numeric import numbers
from privgate.data.reading import is_in_file, read_by, usable
from privgate.data.role_words import suggested_role, suggests_birth
from privgate.data.schema import ColumnDeclaration
from privgate.data.text import UnreadableCells, clean, is_text, plain
from privgate.executors import SERIAL

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from privgate.data.arrays import RawArray
    from privgate.data.raw import RawTable
    from privgate.data.schema import TableSource
    from privgate.evidence import TableName
    from privgate.executors import Executor

# From here on nearly every value is somebody's own.
_NEARLY_UNIQUE, _ENOUGH_ROWS = 0.9, 20
_WORDS_OF_FREE_TEXT = 4
_FEW_NUMBERS = 5


@dataclass(frozen=True)
class Guess:
    """A guessed declaration, what it was guessed from, and what a person has to be told.

    ``distinct`` is the number of different values in the first table that has the column, where
    they can be counted. ``stated`` are declarations that a person has made or confirmed.
    """

    declaration: ColumnDeclaration
    because: str
    warnings: tuple[str, ...] = ()
    distinct: int | None = None
    stated: bool = False

    def with_role(self, role: Role) -> Guess:
        """Return the declaration with the role that a person has stated."""
        declared = self.declaration.model_copy(update={"role": role})
        kind = self.because.partition(";")[0]
        return replace(self, declaration=declared, because=f"type guessed, {kind}", stated=True)


def unreviewed(guess: Guess, stated: Role | None) -> ColumnDeclaration:
    """Return the declaration of a column with the role that was stated, its type not reviewed.

    Where none was, identifiers are left out, but no guess makes a column known to attackers or
    secret.
    """
    own = guess.declaration
    guessed = own.role if own.role is Role.IDENTIFIER else Role.OTHER
    return own.model_copy(update={"role": stated or guessed})


def guess_declarations(
    tables: Mapping[TableName, RawTable], executor: Executor = SERIAL
) -> dict[str, Guess]:
    """Return a guess for each column of any table, in the order in which columns appear.

    A type is guessed only if the cells of all tables can be read as it. Roles are guessed from
    names, so they need a person's judgement.

    Raises
    ------
    InputError
        If a file cannot be read any more.
    """
    names = list(dict.fromkeys(name for table in tables.values() for name in table.columns))
    place = executor if all(map(is_in_file, tables.values())) else SERIAL
    guesses = usable(names, read_by(place, _guess, tables, names))
    return {name: _everywhere(name, guess, tables) for name, guess in guesses.items()}


def _everywhere(name: str, guess: Guess, tables: Mapping[TableName, RawTable]) -> Guess:
    """Return the guess, or that a column which is not in all tables cannot be measured."""
    absent = [table for table, raw in tables.items() if name not in raw.columns]
    if not absent or guess.declaration.role is Role.IDENTIFIER:
        return guess
    told = f"it is not in {' and '.join(absent)}, so it cannot be measured"
    declared = guess.declaration.model_copy(update={"role": Role.IGNORE})
    kind = guess.because.partition(";")[0]
    warning = f"{told}: take it out, or nothing is known of what it gives away"
    return replace(
        guess,
        declaration=declared,
        because=f"{kind}; {told}",
        warnings=(*guess.warnings, warning),
    )


def render_release_file(
    guesses: Mapping[str, Guess],
    *,
    sources: Mapping[TableName, TableSource],
    name: str,
    context: Mapping[str, str] | None = None,
) -> str:
    """Return the text of a release file in which every guess is marked as one."""
    notes = [
        "# Written by `privgate init`. Types and roles are guesses: review every line marked so.",
        "# types: " + ", ".join(kind.value for kind in ColumnType),
        "# roles: " + ", ".join(role.value for role in Role),
    ]
    data = [f"  {table}: {_source(source)}" for table, source in sources.items()]
    columns = ["columns:", *(_line(column, guess) for column, guess in guesses.items())]
    return _release_file(notes, data=data, columns=columns, name=name, context=context)


def render_array_release_file(
    arrays: Mapping[TableName, RawArray],
    *,
    paths: Mapping[TableName, str],
    name: str,
    context: Mapping[str, str] | None = None,
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
    data = ["  kind: array", f"  distance: {distance.value}  # guess: {because}"]
    data += [f"  {table}: {{path: {_quoted(path)}}}" for table, path in paths.items()]
    return _release_file(notes, data=data, name=name, context=context)


def _release_file(
    notes: Sequence[str],
    *,
    data: Sequence[str],
    columns: Sequence[str] = (),
    name: str,
    context: Mapping[str, str] | None,
) -> str:
    lines = [
        *notes,
        "privgate: release/v1",
        f"name: {_quoted(name)}  # guess: stands on the report",
        "unit: person  # guess: what one row stands for",
        "data:",
        *data,
        *columns,
        "correspondence: none  # guess: synthetic rows are not made from one train row each",
        "# published: []  # no table of counts goes out with the release; or list them here",
        *(["context:"] if context else []),
        *(f"  {key}: {_quoted(text)}" for key, text in (context or {}).items()),
    ]
    return "\n".join(lines) + "\n"


def _source(source: TableSource) -> str:
    marks = stated_marks(source)
    entries = [f"{key}: {_quoted(value)}" for key, value in {"path": source.path, **marks}.items()]
    mark = "  # guess: how the text is written" if marks else ""
    return f"{{{', '.join(entries)}}}{mark}"


def _line(column: str, guess: Guess) -> str:
    kind, role = guess.declaration.type.value, guess.declaration.role.value
    mark = "role stated" if guess.stated else "guess"
    return f"  {_quoted(column)}: {{type: {kind}, role: {role}}}  # {mark}: {guess.because}"


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def _guess(tables: Mapping[TableName, RawTable], name: str) -> Guess:
    holders = {  # a column in a file is read once for all that is asked of it
        table: replace(raw, columns={name: raw.columns[name]})
        for table, raw in tables.items()
        if name in raw.columns
    }
    kind, seen = _type(name, list(holders.values()))
    first = next(iter(holders.values()))
    distinct, present = _counted(first, name)
    unique = distinct is not None and 1 < distinct == present
    if kind is ColumnType.NUMERIC and distinct is not None and distinct <= _FEW_NUMBERS:
        seen += f", {distinct} different: if they are codes, write categorical"
    role = suggested_role(name)
    named = "the name says nothing" if role is None else f"the name suggests {role.value}"
    if role is Role.IDENTIFIER and not unique:
        role, named = Role.OTHER, "the name says nothing, or values repeat"
    elif kind is ColumnType.CATEGORICAL and role is None and unique:
        named = "no value repeats: is this an identifier or free text?"
    return Guess(
        ColumnDeclaration(type=kind, role=role or Role.OTHER),
        f"{seen}; {named}",
        warnings=tuple(_warnings(name, first, kind, role, (distinct, present))),
        distinct=distinct,
    )


def _warnings(
    name: str,
    raw: RawTable,
    kind: ColumnType,
    role: Role | None,
    counted: tuple[int | None, int],
) -> Iterator[str]:
    """Yield what about a column may name people by itself, never with a value of it."""
    distinct, present = counted
    if role is Role.IDENTIFIER:
        yield "an identifier names people: metrics leave it out, and the release should, too"
    elif kind is ColumnType.CATEGORICAL and _words(raw, name) >= _WORDS_OF_FREE_TEXT:
        yield "this looks like free text, which nothing here can measure: do not publish it"
    elif (
        kind is ColumnType.CATEGORICAL
        and distinct is not None
        and present >= _ENOUGH_ROWS
        and distinct >= _NEARLY_UNIQUE * present
    ):
        yield f"{distinct} different values in {present} rows: is this an identifier?"
    elif suggested_role(name) is Role.IDENTIFIER:
        yield "the name is that of an identifier, but values repeat: has a person several rows?"
    if kind is ColumnType.DATETIME and suggests_birth(name):
        yield "a full date of birth tells people apart nearly alone: consider to publish the year"


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


def _is_empty(raw: RawTable, name: str) -> bool:
    array = plain(raw.columns[name])
    return bool(
        (clean(array, raw.missing) if is_text(array.type) else array).null_count == raw.rows
    )


def _counted(raw: RawTable, name: str) -> tuple[int | None, int]:
    """Return how many different values there are, if that can be told, and how many values."""
    array = plain(raw.columns[name])
    if pa.types.is_timestamp(array.type):
        return None, raw.rows
    try:
        codes = levels(array, raw.missing, decimal=raw.decimal).codes
    except UnreadableCells:
        return None, raw.rows
    present = codes[codes >= 0]
    return pc.count_distinct(pa.array(present)).as_py(), len(present)


def _words(raw: RawTable, name: str) -> float:
    """Return how many words a cell of text has on average."""
    array = plain(raw.columns[name])
    if not is_text(array.type):
        return 0.0
    spaces = pc.mean(pc.count_substring(pc.cast(array, pa.string()), " ")).as_py()
    return 0.0 if spaces is None else 1.0 + float(spaces)
