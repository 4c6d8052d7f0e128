"""What a PDF report carries: the files attached to it, and the text of its pages."""

from __future__ import annotations

import logging
import zlib
from dataclasses import dataclass
from functools import cached_property
from io import BytesIO
from typing import TYPE_CHECKING

from pypdf import PdfReader
from pypdf.errors import PyPdfError

from privgate.errors import InputError, Problem

if TYPE_CHECKING:
    from collections.abc import Mapping

_LARGEST = 200_000_000  # bytes of one attachment; more is no document of a check


@dataclass(frozen=True)
class PdfContents:
    """A PDF, its attachments by name, what its pages say, and whether it has a form.

    No report is drawn with a form: in one there is a signature.
    """

    raw: bytes
    files: Mapping[str, bytes]
    language: str
    has_form: bool

    @cached_property
    def pages(self) -> tuple[str, ...]:
        """Return the text of every page."""
        return page_texts(self.raw)


def read_pdf(raw: bytes, *, name: str) -> PdfContents:
    """Return what a PDF carries.

    Raises
    ------
    InputError
        If it is not a PDF, or has attachments that no report has.
    """
    try:
        reader = _reader(raw)
        files = {title: list(contents) for title, contents in reader.attachments.items()}
        language = str(reader.root_object.get("/Lang", ""))
        has_form = "/AcroForm" in reader.root_object
    except UNREADABLE as cause:
        raise _unusable(name, "the PDF cannot be read") from cause
    if any(len(contents) != 1 for contents in files.values()):
        raise _unusable(name, "two attachments have one name")
    found = {title: contents[0] for title, contents in files.items()}
    if any(len(content) > _LARGEST for content in found.values()):
        raise _unusable(name, "an attachment is too large for a document of a check")
    return PdfContents(raw, found, language, has_form)


def page_texts(raw: bytes) -> tuple[str, ...]:
    """Return the text of every page of a PDF, nothing for a page that cannot be read."""
    return tuple(_text_of(page) for page in _reader(raw).pages)


# pypdf reads whatever it is given; a forged file may break it anywhere.
UNREADABLE = (
    *(PyPdfError, ValueError, KeyError, TypeError, AttributeError, IndexError, OSError),
    *(RecursionError, OverflowError, zlib.error, AssertionError, NotImplementedError),
)


def _text_of(page: object) -> str:
    try:
        return str(page.extract_text())  # type: ignore[attr-defined]
    except UNREADABLE:
        return ""


def _reader(raw: bytes) -> PdfReader:
    logging.getLogger("pypdf").setLevel(logging.CRITICAL)
    # Not strict, pypdf tries to mend what is damaged, which can take it hours.
    return PdfReader(BytesIO(raw), strict=True)


def _unusable(name: str, message: str) -> InputError:
    remedy = "give the report.pdf that `privgate check` wrote"
    return InputError(Problem(message, file=name, remedy=remedy))
