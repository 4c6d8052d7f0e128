"""YAML documents that people write: read strictly, with the line of every entry.

The language is YAML 1.2 without tags and aliases, so that what a reviewer reads is what is meant.
Everything that is wrong with a document is reported at once, each problem with its place.
"""

from __future__ import annotations

import json
import math
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeVar, cast, get_args

from pydantic import BaseModel, ValidationError
from ruamel.yaml import YAML
from ruamel.yaml.error import MarkedYAMLError, YAMLError
from ruamel.yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from privgate.data.explanations import explain, nearby
from privgate.errors import PrivgateError, Problem

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from privgate.evidence import JsonValue

M = TypeVar("M", bound=BaseModel)
DocumentPath = tuple[str | int, ...]

LARGEST_INTEGER = 2**53 - 1  # beyond it, JSON readers disagree about the number
_KINDS = {"policy", "release", "waivers"}
_TAG = "tag:yaml.org,2002:"


@dataclass(frozen=True)
class Document:
    """A document as plain JSON values, with the line on which each entry begins."""

    name: str
    text: str
    content: dict[str, JsonValue]
    lines: Mapping[DocumentPath, int] = field(default_factory=dict, repr=False)

    def line(self, path: DocumentPath) -> int | None:
        r"""Return the line, from 1, of an entry, or of the nearest entry around a missing one.

        Examples
        --------
        >>> found = parse_document("a: 1\nb: {c: 2}", name="x.yaml", error=PrivgateError)
        >>> found.line(("b", "c")), found.line(("b", "nothing"))
        (2, 2)
        """
        while path and path not in self.lines:
            path = path[:-1]
        return self.lines.get(path)


def dotted(path: DocumentPath) -> str:
    """Return a path the way messages write it.

    Examples
    --------
    >>> dotted(("rules", 2, "require", "max")), dotted(("columns", "a b", "role"))
    ('rules[2].require.max', 'columns["a b"].role')
    """
    text = ""
    for part in path:
        if isinstance(part, int):
            text += f"[{part}]"
        elif re.fullmatch(r"[\w-]+", part):
            text += f".{part}" if text else part
        else:
            text += f"[{json.dumps(part, ensure_ascii=False)}]"
    return text


def problem_at(
    document: Document, path: DocumentPath, message: str, remedy: str | None = None
) -> Problem:
    """Return a problem that carries file, line and dotted path of an entry."""
    return Problem(
        message,
        file=document.name,
        line=document.line(path),
        path=dotted(path) or None,
        remedy=remedy,
    )


def read_document(
    source: Path, *, error: type[PrivgateError], faults: list[Problem] | None = None
) -> Document:
    """Return the document in a file; for ``faults`` see :func:`parse_document`.

    Raises
    ------
    PrivgateError
        Of the given class, if the file cannot be read or is not such a document.
    """
    name = str(source)
    try:
        raw = source.read_bytes()
    except FileNotFoundError:
        problem = Problem("there is no such file", file=name, remedy=nearby(source))
        raise error(problem) from None
    except IsADirectoryError:
        raise error(Problem("this is a folder", file=name, remedy="name a file")) from None
    except OSError as cause:
        reason = f"the file cannot be read ({cause.strerror})"
        raise error(Problem(reason, file=name)) from None
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as cause:
        line = raw.count(b"\n", 0, cause.start) + 1
        reason = "the text is not UTF-8"
        raise error(Problem(reason, file=name, line=line, remedy="save it as UTF-8")) from None
    return parse_document(text, name=name, error=error, faults=faults)


def parse_document(
    text: str, *, name: str, error: type[PrivgateError], faults: list[Problem] | None = None
) -> Document:
    r"""Return the document that a text is.

    Entries that cannot be read are added to ``faults``, if a list is given, and left empty.

    Raises
    ------
    PrivgateError
        Of the given class, with every duplicate key, tag, alias and number that is none.

    Examples
    --------
    >>> parse_document("limit: 1e-3\non: yes", name="x.yaml", error=PrivgateError).content
    {'limit': 0.001, 'on': 'yes'}
    """
    root = _compose(text, name=name, error=error)
    if not isinstance(root, MappingNode):
        what = "is empty" if root is None else "has no keys at its top level"
        raise error(Problem(f"the file {what}", file=name, line=1, remedy="write 'key: value'"))
    reader = _Reader(name)
    content = reader.value(root, ())
    if faults is not None:
        faults += reader.problems
    elif reader.problems:
        raise error(reader.problems)
    return Document(name, text, cast("dict[str, JsonValue]", content), reader.lines)


def validate(document: Document, model: type[M], *, error: type[PrivgateError]) -> M:
    """Return the document as an instance of a model; no text is taken for a number.

    The model is validated as strict JSON: lists become tuples and ISO dates dates, nothing else is
    converted. A "before" validator around a model or container ends that leniency inside it.

    Raises
    ------
    PrivgateError
        Of the given class, with every entry that the model refuses; or with one problem only, if
        the document says that it is of another kind.
    """
    if (mistaken := _other_kind(document, model)) is not None:
        raise error(mistaken)
    try:
        return model.model_validate_json(json.dumps(document.content), strict=True)
    except ValidationError as cause:
        found = explain(cause, content=document.content, model=model)
        raise error(
            problem_at(document, path, message, remedy) for path, message, remedy in found
        ) from None


def _other_kind(document: Document, model: type[BaseModel]) -> Problem | None:
    """Return what to say of a policy given as a release file, or the other way round."""
    said = str(document.content.get("privgate", "")).partition("/")[0]
    info = model.model_fields.get("privgate")
    expected = {str(form).partition("/")[0] for form in get_args(info and info.annotation)}
    if not expected or said in expected or said not in _KINDS:
        return None
    wanted = " or ".join(sorted(expected))
    remedy = f"give a {wanted} file here"
    return problem_at(document, ("privgate",), f"this is a {said} file", remedy)


def _compose(text: str, *, name: str, error: type[PrivgateError]) -> Node | None:
    directive = re.search(r"^%", text, re.MULTILINE)
    if directive:
        line = text.count("\n", 0, directive.start()) + 1
        reason = "a line begins with '%'"
        raise error(Problem(reason, file=name, line=line, remedy="YAML directives are not allowed"))
    try:
        return cast("Node | None", YAML(typ="safe", pure=True).compose(text))
    except MarkedYAMLError as cause:
        raise error(_syntax_problem(cause, name)) from None
    except (YAMLError, ValueError):
        remedy = "remove control characters"
        raise error(Problem("the file is not YAML text", file=name, remedy=remedy)) from None
    except RecursionError:
        raise error(Problem("the file is nested too deeply", file=name)) from None


def _syntax_problem(cause: MarkedYAMLError, name: str) -> Problem:
    mark = cause.problem_mark or cause.context_mark
    detail = (cause.problem or cause.context or "unreadable").strip()
    remedy = "indent with spaces, not tabs" if "\\t" in detail else "check indentation and quotes"
    line = None if mark is None else mark.line + 1
    return Problem(f"the YAML cannot be read: {detail}", file=name, line=line, remedy=remedy)


def _line(node: Node) -> int:
    return int(node.start_mark.line) + 1


class _Reader:
    """Turns YAML nodes into plain values and keeps the lines and everything that is wrong."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.lines: dict[DocumentPath, int] = {}
        self.problems: list[Problem] = []
        self._seen: set[int] = set()

    def value(self, node: Node, path: DocumentPath) -> JsonValue:
        self.lines.setdefault(path, _line(node))
        if id(node) in self._seen:
            here = self.lines[path]  # the node itself stands where it was first written
            self._report(here, path, "an alias repeats another entry", "write the entry out")
            return None
        self._seen.add(id(node))
        if isinstance(node, MappingNode):
            return self._mapping(node, path)
        if isinstance(node, SequenceNode):
            self._refuse_tag(node, path, "seq")
            return [self.value(item, (*path, i)) for i, item in enumerate(node.value)]
        return self._scalar(cast("ScalarNode", node), path)

    def _mapping(self, node: MappingNode, path: DocumentPath) -> dict[str, JsonValue]:
        self._refuse_tag(node, path, "map")
        found: dict[str, JsonValue] = {}
        for key_node, value_node in node.value:
            key = self._key(key_node, path)
            if key is None:
                continue
            place = (*path, key)
            if key in found:
                first = f"it was first given on line {self.lines[place]}"
                self._report(_line(key_node), place, f"the key {key!r} is given twice", first)
                continue
            self.lines[place] = _line(key_node)
            found[key] = self.value(value_node, place)
        return found

    def _key(self, node: Node, path: DocumentPath) -> str | None:
        if isinstance(node, ScalarNode) and node.tag == f"{_TAG}merge":
            self._report(_line(node), path, "'<<' merges another entry", "write the entry out")
            return None
        if not isinstance(node, ScalarNode):
            self._report(_line(node), path, "a key is not a word", "write 'key: value'")
            return None
        return str(node.value)

    def _scalar(self, node: ScalarNode, path: DocumentPath) -> JsonValue:
        text = str(node.value)
        kind = str(node.tag).removeprefix(_TAG)
        if kind == "null":
            return None
        if kind == "bool":
            return text.lower() == "true"
        if kind in {"int", "float"} and "_" not in text:
            return self._number(node, path, kind)
        self._refuse_tag(node, path, "str", "timestamp", "int", "float")
        return text

    def _number(self, node: ScalarNode, path: DocumentPath, kind: str) -> int | float | None:
        text = str(node.value).lower().replace(".inf", "inf").replace(".nan", "nan")
        try:
            base = 0 if re.match(r"[-+]?0[xob]", text) else 10
            number: int | float = int(text, base) if kind == "int" else float(text)
        except ValueError:
            number = math.nan
        too_large = isinstance(number, int) and abs(number) > LARGEST_INTEGER
        if too_large or not math.isfinite(number):
            message = f"the number {str(node.value)[:40]!r} cannot be used"
            self._report(_line(node), path, message, "write a finite, exact number")
            return None
        return number

    def _refuse_tag(self, node: Node, path: DocumentPath, *allowed: str) -> None:
        if str(node.tag) not in {_TAG + kind for kind in allowed}:
            self._report(_line(node), path, "tags ('!…') are not allowed", "remove the tag")

    def _report(self, line: int, path: DocumentPath, message: str, remedy: str) -> None:
        place = dotted(path) or None
        self.problems.append(Problem(message, file=self.name, line=line, path=place, remedy=remedy))
