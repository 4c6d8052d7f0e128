"""Waivers: a named person lets one finding stand, for one synthetic file, until a day.

A file that cannot be read for certain is refused whole. A waiver in it that is incomplete or
malformed is kept with its faults: it covers nothing, and the report says so.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from datetime import date, datetime
from typing import TYPE_CHECKING, Annotated, Literal, Self

from pydantic import (
    AfterValidator,
    BeforeValidator,
    Field,
    ValidationError,
    WithJsonSchema,
    model_validator,
)

from privgate.data.documents import parse_document, problem_at, read_document, validate
from privgate.data.explanations import explain
from privgate.errors import PolicyError, Problem
from privgate.evidence import canonical_bytes, document
from privgate.evidence.base import Frozen, JsonValue
from privgate.policy.model import Slug

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from privgate.data.documents import Document

_SHA256 = "[0-9a-f]{64}"
_DAY = "[0-9]{4}-[0-9]{2}-[0-9]{2}"
_SHOWN = 40  # letters of a refused day or digest that a message repeats


def _words(text: str) -> str:
    """Return a text that shows on paper what it holds: no hidden or reversing characters."""
    if not text.strip():
        raise ValueError("there are no words in it; write at least one")
    if not all(sign.isprintable() or sign == "\n" for sign in text):
        raise ValueError("the text holds a character that cannot be printed; remove it")
    return text


def _day(given: object) -> date:
    """Return a day, from ISO form only: pydantic would also take seconds since 1970."""
    if isinstance(given, date) and not isinstance(given, datetime):
        return given
    if isinstance(given, str) and re.fullmatch(_DAY, given):
        try:
            return date.fromisoformat(given)
        except ValueError:
            pass
    raise ValueError(f"{str(given)[:_SHOWN]!r} is no day; write YYYY-MM-DD")


def _sha256(text: str) -> str:
    if not re.fullmatch(_SHA256, text):
        message = "is no SHA-256; write its 64 digits, 0-9 and a-f, as sha256sum prints them"
        raise ValueError(f"{text[:_SHOWN]!r} {message}")
    return text


Words = Annotated[str, Field(min_length=1, max_length=2000), AfterValidator(_words)]
Name = Annotated[str, Field(min_length=1, max_length=200), AfterValidator(_words)]
Day = Annotated[date, BeforeValidator(_day), WithJsonSchema({"type": "string", "format": "date"})]
Sha256 = Annotated[
    str, AfterValidator(_sha256), Field(json_schema_extra={"pattern": f"^{_SHA256}$"})
]


class Waiver(Frozen):
    """One finding that somebody with a name lets stand for a while.

    Examples
    --------
    >>> waiver = Waiver(rule="copies", reason="Two records agree by chance; minute 14 of the board",
    ...                 approved_by="A. Example, DPO", granted=date(2026, 11, 1),
    ...                 expires=date(2027, 3, 31), release_sha256="0" * 64)
    >>> waiver.expires.isoformat()
    '2027-03-31'
    """

    rule: Slug = Field(description="id of the rule whose finding is let stand")
    reason: Words = Field(description="why it may stand, in words a board can read")
    approved_by: Name = Field(description="who answers for that: name and role")
    granted: Day = Field(description="first day on which it counts")
    expires: Day = Field(description="last day on which it counts")
    release_sha256: Sha256 = Field(description="SHA-256 of the synthetic file's bytes")
    compensating_measure: Words | None = Field(
        default=None, description="what is done about the risk instead"
    )

    @model_validator(mode="after")
    def _lasts(self) -> Self:
        if self.expires < self.granted:
            raise ValueError(f"it expires on {self.expires}, before it is granted")
        return self


class WaiversFile(Frozen):
    """The shape of a waivers file; single waivers are looked at one by one."""

    privgate: Literal["waivers/v1"] = Field(description="what this file is; always waivers/v1")
    waivers: tuple[JsonValue, ...] = Field(description="the waivers")


@dataclass(frozen=True)
class Entry:
    """One waiver of a file as it was written; ``waiver`` is ``None`` if it has ``problems``."""

    given: JsonValue
    waiver: Waiver | None
    problems: tuple[Problem, ...]


@dataclass(frozen=True)
class Waivers:
    """All waivers of a file, in its order, with the document they were read from."""

    document: Document
    entries: tuple[Entry, ...]


def load_waivers(path: Path) -> Waivers:
    """Return the waivers of a file; those that are malformed carry what is wrong with them.

    Raises
    ------
    PolicyError
        If the file is no readable list of waivers, with every problem of it.
    """
    return _waivers(read_document(path, error=PolicyError))


def waivers_from_text(text: str, *, name: str = "waivers") -> Waivers:
    r"""Return the waivers that a text lists; ``name`` stands in messages.

    Raises
    ------
    PolicyError
        If the text is no readable list of waivers, with every problem of it.

    Examples
    --------
    >>> found = waivers_from_text("privgate: waivers/v1\nwaivers: [{rule: copies}]")
    >>> found.entries[0].waiver is None, len(found.entries[0].problems)
    (True, 5)
    """
    return _waivers(parse_document(text, name=name, error=PolicyError))


def waivers_of(waivers: Iterable[Waiver]) -> Waivers:
    """Return waivers written in Python as those of a file."""
    content: list[JsonValue] = [document(waiver) for waiver in waivers]
    text = canonical_bytes({"privgate": "waivers/v1", "waivers": content}).decode()
    return waivers_from_text(text)


def _waivers(source: Document) -> Waivers:
    found = validate(source, WaiversFile, error=PolicyError)
    return Waivers(source, tuple(_entry(given, i, source) for i, given in enumerate(found.waivers)))


def _entry(given: JsonValue, position: int, source: Document) -> Entry:
    try:
        return Entry(given, Waiver.model_validate_json(json.dumps(given), strict=True), ())
    except ValidationError as cause:
        problems = tuple(
            problem_at(source, ("waivers", position, *place), message, remedy)
            for place, message, remedy in explain(cause, content=given, model=Waiver)
        )
        return Entry(given, None, problems)
