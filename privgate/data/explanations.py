"""Plain sentences for what a model refuses in a document."""

from __future__ import annotations

import re
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, get_args

from pydantic import BaseModel

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from pydantic import ValidationError
    from pydantic_core import ErrorDetails

    from privgate.evidence import JsonValue

Place = tuple[str | int, ...]

_SHOWN = 15  # names listed in one remedy
_EMPTIED = "there is nothing in this list"  # also said of a list whose entries were all refused


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Return a remedy for a misspelt word: the nearest known one, or all that are known.

    Examples
    --------
    >>> did_you_mean("sverity", ["metric", "severity"])
    "did you mean 'severity'?"
    >>> did_you_mean("colour", ["metric", "severity"])
    "known: 'metric', 'severity'"
    """
    names = sorted(set(known))
    lowered = {name.lower(): name for name in names}
    near = get_close_matches(word.lower(), lowered, n=1, cutoff=0.6)
    if near:
        return f"did you mean {lowered[near[0]]!r}?"
    shown = [repr(name) for name in names[:_SHOWN]] + ["…"] * (len(names) > _SHOWN)
    return "known: " + (", ".join(shown) or "none")


def nearby(path: Path) -> str:
    """Return a remedy for a path that leads nowhere: a name like it in the folder, if there is."""
    folder = path.parent
    if not folder.is_dir():
        return f"check the path: there is no folder {str(folder)!r}"
    try:
        names = sorted(file.name for file in folder.iterdir())
    except OSError:
        names = []
    near = get_close_matches(path.name, names, n=1, cutoff=0.8)
    return f"did you mean {str(folder / near[0])!r}?" if near else "check the path"


def explain(
    error: ValidationError, *, content: JsonValue, model: type[BaseModel]
) -> list[tuple[Place, str, str | None]]:
    """Return place, message and remedy of every refused entry, one for each place.

    A value that fits no branch of a union is refused once per branch; those become one message.
    """
    found: dict[Place, list[tuple[str, str | None]]] = {}
    for detail in error.errors(include_url=False):
        place, is_there = _place(detail, content)
        entry = _sentence(detail, place, model) if is_there else _missing(place)
        if entry not in found.setdefault(place, []):
            found[place].append(entry)
    return [
        (place, *_joined(entries))
        for place, entries in found.items()
        if entries[0][0] != _EMPTIED or not _refused_below(place, found)
    ]


def _refused_below(place: Place, found: Iterable[Place]) -> bool:
    return any(other != place and other[: len(place)] == place for other in found)


def _joined(entries: list[tuple[str, str | None]]) -> tuple[str, str | None]:
    remedies = [remedy for _, remedy in entries if remedy]
    return " or ".join(message for message, _ in entries), remedies[0] if remedies else None


def _place(detail: ErrorDetails, content: JsonValue) -> tuple[Place, bool]:
    """Keep the parts of a location that exist in the document: branches of unions do not.

    An entry that is missing, or is a list that may not be left empty, is placed where it should be.
    """
    place: Place = ()
    here: Any = content
    for part in detail["loc"]:
        inside = isinstance(here, list) and isinstance(part, int) and part < len(here)
        if inside or (isinstance(here, dict) and part in here):
            here = here[part]
            place = (*place, part)
    left_out = detail["type"] == "too_short" and isinstance(here, dict)
    if left_out or detail["type"] == "missing":
        return (*place, detail["loc"][-1]), False
    return place, True


def _missing(place: Place) -> tuple[str, str | None]:
    return f"{place[-1]!r} is missing", "add it"


def _sentence(detail: ErrorDetails, place: Place, model: type[BaseModel]) -> tuple[str, str | None]:
    kind, value = detail["type"], detail["input"]
    if kind == "extra_forbidden":
        return f"unknown key {place[-1]!r}", did_you_mean(str(place[-1]), _keys(model, place[:-1]))
    if kind in {"literal_error", "enum"}:
        expected = str(detail["ctx"]["expected"])
        message = f"{_shown(value)} is not one of {expected}"
        near = did_you_mean(str(value), re.findall(r"'([^']*)'", expected))
        return message, near if near.startswith("did") else None
    if kind == "too_short":
        return _EMPTIED, "write at least one"
    if kind in {"value_error", "assertion_error"}:
        return str(detail["ctx"]["error"]), None
    message = detail["msg"].replace("Input should", "the value should")
    return f"{message[0].lower()}{message[1:]}, not {_shown(value)}", _remedy(value, kind)


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}…"


def _remedy(value: object, kind: str) -> str | None:
    if kind.startswith("date"):
        return "write a day that exists, as 2027-06-30"
    if not kind.startswith(("float", "int", "decimal")):
        return None
    if kind.startswith("int"):  # '1,000' may be one or a thousand
        return "write a whole number, without separators"
    return _as_number(value) if isinstance(value, str) else "write a number"


def _as_number(value: str) -> str:
    match = re.fullmatch(r"\s*([-+]?\d*)[.,]?(\d*)\s*(%?)\s*", value)
    if match is None or not (match[1] or match[2]):
        return "write a number"
    number = float(f"{match[1] or 0}.{match[2] or 0}") / (100 if match[3] else 1)
    return f"write {number:.12g}"


def _keys(model: type[BaseModel], place: Place) -> Iterator[str]:
    """Yield the keys that the models at a place in the document know."""
    reached: list[Any] = [model]
    for part in place:
        reached = [inner for kind in reached for inner in _inside(kind, part)]
    for kind in reached:
        for member in _members(kind):
            for name, info in member.model_fields.items():
                yield info.alias or name


def _members(kind: Any) -> Iterator[type[BaseModel]]:
    if isinstance(kind, type) and issubclass(kind, BaseModel):
        yield kind
    for argument in get_args(kind):
        yield from _members(argument)


def _inside(kind: Any, part: str | int) -> Iterator[Any]:
    """Yield what may stand at one key or position of a value of some kind."""
    if isinstance(kind, type) and issubclass(kind, BaseModel):
        for name, info in kind.model_fields.items():
            if part in {name, info.alias}:
                yield info.annotation
    elif get_args(kind):
        arguments = get_args(kind)
        containers = [argument for argument in arguments if not _is_branch(argument, part)]
        yield from containers
        for argument in arguments:
            if _is_branch(argument, part):
                yield from _inside(argument, part)


def _is_branch(kind: Any, part: str | int) -> bool:
    """Return whether a type argument is itself what the part points into, as in a union."""
    if isinstance(kind, type) and issubclass(kind, BaseModel):
        return isinstance(part, str) and any(
            part in {name, info.alias} for name, info in kind.model_fields.items()
        )
    return bool(get_args(kind))
