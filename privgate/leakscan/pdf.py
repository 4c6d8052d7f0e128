"""The texts of a PDF: pages, metadata, bookmarks, alternative texts and attached files."""

from __future__ import annotations

import io
import logging
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from pypdf import PdfReader
from pypdf.errors import PyPdfError
from pypdf.generic import (
    ArrayObject,
    DictionaryObject,
    IndirectObject,
    NameObject,
    StreamObject,
)

from privgate.errors import RenderError
from privgate.leakscan.passages import Passage

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_TECHNICAL = {"/ID", "/Parent", "/P", "/StructParents"}


def pdf_passages(
    content: bytes, read: Callable[[str, bytes], Iterator[Passage]]
) -> Iterator[Passage]:
    """Yield every text of a PDF; ``read`` reads the files attached to it.

    Raises
    ------
    RenderError
        If it cannot be read.
    """
    with _quiet():
        try:
            reader = PdfReader(io.BytesIO(content))
            for number, page in enumerate(reader.pages, start=1):
                yield Passage(f"page {number}", page.extract_text(), torn=True)
            for text in _strings(reader.trailer):
                yield Passage("bookmarks, descriptions and metadata", text)
            for name, versions in reader.attachments.items():
                for attached in versions:
                    for passage in read(name, attached):
                        yield passage._replace(section=f"attached file, {passage.section}")
        except (PyPdfError, ValueError, KeyError, RecursionError) as cause:
            raise RenderError("a PDF cannot be searched for values of records") from cause


def _strings(trailer: DictionaryObject) -> Iterator[str]:
    """Yield every text outside of page contents, each object visited once."""
    seen: set[int] = set()
    open_objects: list[Any] = [trailer]
    while open_objects:
        value = open_objects.pop()
        if isinstance(value, IndirectObject):
            if value.idnum in seen:
                continue
            seen.add(value.idnum)
            value = value.get_object()
        if isinstance(value, StreamObject) and value.get("/Type") == "/Metadata":
            yield value.get_data().decode("utf-8", "replace")
        if isinstance(value, DictionaryObject):
            open_objects += [item for key, item in value.items() if key not in _TECHNICAL]
        elif isinstance(value, ArrayObject):
            open_objects += value
        elif isinstance(value, bytes):
            yield value.decode("latin-1")
        elif isinstance(value, str) and not isinstance(value, NameObject):
            yield str(value)


@contextmanager
def _quiet() -> Iterator[None]:
    """Silence pypdf, which reports on fonts."""
    logger = logging.getLogger("pypdf")
    level = logger.level
    logger.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        logger.setLevel(level)
