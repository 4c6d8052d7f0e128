"""A file of the output → its texts, each with the place where a reader finds it."""

from __future__ import annotations

import csv
import io
import json
import re
from html.parser import HTMLParser
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, NamedTuple

from privgate.errors import RenderError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from privgate.evidence import JsonValue

_DATA_ADDRESS = re.compile(r"data:[\w/+.-]+;base64,[A-Za-z0-9+/=\s]+")
_MARKUP = re.compile(r"^\s*(#{1,6}\s+(?P<heading>.+))$", re.MULTILINE)
# Where things are drawn, not what is said. Every other attribute is read, also unknown ones.
_PLACES = "d x y x1 x2 y1 y2 cx cy r rx ry dx dy width height viewbox points transform"
_SIZES = "font-size stroke-width stroke-dasharray stroke-linejoin colspan rowspan"
_GEOMETRY = frozenset(f"{_PLACES} {_SIZES}".split())
_DEPTH = 3  # of a JSON document; what lies deeper may be named by data


class Passage(NamedTuple):
    """A text and the section it stands in.

    Of a torn one, words may go on in the next line. A bare number is no text: its digits after the
    point are no word.
    """

    section: str
    text: str
    torn: bool = False
    bare_number: bool = False


class _Written(str):
    """A number as it is written in a JSON document."""

    __slots__ = ()


def passages(name: str, content: bytes) -> Iterator[Passage]:
    """Yield every text of a file.

    Raises
    ------
    RenderError
        If the file is of a kind that cannot be read: what cannot be searched must not go out.
    """
    suffix = PurePosixPath(name).suffix.lower()
    if suffix == ".pdf":
        from privgate.leakscan.pdf import pdf_passages  # noqa: PLC0415 - pypdf is slow to load

        yield from pdf_passages(content, passages)
        return
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as cause:
        raise RenderError(f"{name} cannot be searched for values of records") from cause
    yield from _READERS.get(suffix, _lines)(text)


def _lines(text: str) -> Iterator[Passage]:
    """Yield plain or marked-up text by its headings."""
    section, start = "the beginning", 0
    for found in _MARKUP.finditer(text):
        yield Passage(section, _without_data(text[start : found.start()]))
        section, start = found["heading"], found.start()
    yield Passage(section, _without_data(text[start:]))


def _without_data(text: str) -> str:
    """Return the text without embedded fonts and pictures, whose letters mean nothing."""
    return _DATA_ADDRESS.sub(" ", text)


def _cells(text: str) -> Iterator[Passage]:
    """Yield each cell of a CSV file; one that is not well formed is read as text."""
    try:
        rows = list(csv.reader(io.StringIO(text, newline=""), strict=True))
    except csv.Error:
        yield from _lines(text)
        return
    for number, row in enumerate(rows, start=1):
        yield from (Passage(f"line {number}", cell) for cell in row if cell)


def _document(text: str) -> Iterator[Passage]:
    """Yield names and values of a JSON document; numbers as they are written."""
    try:
        content = json.loads(text, parse_float=_Written, parse_int=_Written)
    except ValueError:
        yield from _lines(text)
        return
    yield from _json_texts(content, "the document", 0)


def _json_texts(value: JsonValue, place: str, depth: int) -> Iterator[Passage]:
    if isinstance(value, dict):
        for name, item in value.items():
            yield Passage(place, name)
            inner = name if depth == 0 else f"{place}.{name}"
            yield from _json_texts(item, inner if depth < _DEPTH else place, depth + 1)
    elif isinstance(value, list):
        for number, item in enumerate(value):
            inner = f"{place}[{number}]" if depth < _DEPTH else place
            yield from _json_texts(item, inner, depth + 1)
    elif value is not None:
        yield Passage(place, str(value), bare_number=isinstance(value, _Written))


def json_texts(value: JsonValue) -> Iterator[str]:
    """Yield every name and value of a JSON value."""
    yield from (passage.text for passage in _json_texts(value, "", 0))


class _Page(HTMLParser):
    """Collects texts and attributes of an HTML or XML document by section."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.found: list[Passage] = []
        self._section = "the head of the document"
        self._title: list[str] | None = None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Read the attributes; a second-level heading begins a section."""
        if tag == "h2":
            self._title = []
        for name, value in attrs:
            if value and name.lower() not in _GEOMETRY:
                self._add(value)

    def handle_endtag(self, tag: str) -> None:
        """Take the title of a section that has begun."""
        if tag == "h2" and self._title is not None:
            self._section = " ".join("".join(self._title).split())
            self._title = None

    def handle_data(self, data: str) -> None:
        """Read a text."""
        if self._title is not None:
            self._title.append(data)
        self._add(data)

    def handle_comment(self, data: str) -> None:
        """Read a comment, which goes out like any text."""
        self._add(data)

    def handle_decl(self, decl: str) -> None:
        """Read a declaration."""
        self._add(decl)

    def handle_pi(self, data: str) -> None:
        """Read a processing instruction."""
        self._add(data)

    def unknown_decl(self, data: str) -> None:
        """Read a marked section."""
        self._add(data)

    def _add(self, text: str) -> None:
        if not text.isspace():
            self.found.append(Passage(self._section, _without_data(text)))


def _page(text: str) -> Iterator[Passage]:
    page = _Page()
    page.feed(text)
    page.close()
    yield from page.found


_READERS: Mapping[str, Callable[[str], Iterator[Passage]]] = {
    ".csv": _cells,
    ".json": _document,
    ".sarif": _document,
    ".html": _page,
    ".svg": _page,
    ".xml": _page,
}
