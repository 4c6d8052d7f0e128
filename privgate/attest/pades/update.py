"""What a signed PDF was before, and whether the signature is all that was appended to it.

A signer could append other pages together with the signature, which would then cover them. Here an
update counts only if every object of it is one that an invisible signature needs.
"""

from __future__ import annotations

from io import BytesIO
from typing import TYPE_CHECKING, Any

from pyhanko.pdf_utils.generic import Reference
from pyhanko.pdf_utils.misc import PdfError
from pyhanko.pdf_utils.reader import PdfFileReader

from privgate.attest.attachments import UNREADABLE
from privgate.errors import IntegrityError, Problem

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

BROKEN = (*UNREADABLE, ArithmeticError, PdfError)
_END = b"%%EOF"
_ALLOWED = {
    "form": {"/Fields", "/SigFlags"},
    "field": {"/FT", "/T", "/TU", "/Type", "/Subtype", "/F", "/Rect", "/P", "/V"},
    "signature": {"/Type", "/Filter", "/SubFilter", "/Contents", "/ByteRange", "/M"},
}
_TABLE = {"/Type", "/W", "/Index", "/Filter", "/Length", "/Size", "/Root", "/Info", "/ID", "/Prev"}


def drawn_before(raw: bytes, *, name: str) -> bytes:
    """Return what a signed PDF was before the signature was appended.

    Raises
    ------
    IntegrityError
        If it is not a PDF with one update.
    """
    try:
        table = PdfFileReader(BytesIO(raw), strict=True).xrefs
        revisions = table.total_revisions
        found = raw.index(_END, table.get_xref_container_info(0).end_location)
    except BROKEN as cause:
        message = "the signed PDF cannot be read: it was altered after it was signed"
        raise IntegrityError(Problem(message, file=name)) from cause
    if revisions == 1:
        message = "the signed PDF was written anew: its signature is not appended to a report"
        raise IntegrityError(Problem(message, file=name))
    if revisions > 2:
        message = f"the PDF was changed after it was signed: updates beyond it: {revisions - 2}"
        raise IntegrityError(Problem(message, file=name))
    return raw[: found + len(_END) + 1]


def foreign_content(drawn: bytes, signed: PdfFileReader) -> tuple[str, ...]:
    """Return what was appended that an invisible signature does not need."""
    before = PdfFileReader(BytesIO(drawn), strict=True)
    form = signed.root.raw_get("/AcroForm")
    (field,) = form.get_object().raw_get("/Fields")
    page, signature = (field.get_object().raw_get(key) for key in ("/P", "/V"))
    needed = {before.root_ref, *(it.reference for it in (form, field, page, signature))}
    parts = {"form": form, "field": field, "signature": signature}
    return (
        *_objects(signed, needed),
        *_entries({what: it.get_object() for what, it in parts.items()}),
        *_changes(before, signed, page=page.reference, added=field),
    )


def _objects(signed: PdfFileReader, needed: set[Reference]) -> Iterator[str]:
    written = signed.xrefs.explicit_refs_in_revision(1) - needed
    tables = {it for it in written if _is_table(signed.get_object(it))}
    if len(tables) > 1 or written - tables or signed.xrefs.refs_freed_in_revision(1):
        yield "other objects"


def _entries(parts: dict[str, Any]) -> Iterator[str]:
    for what, found in parts.items():
        extra = sorted(set(found) - _ALLOWED[what])
        if extra:
            yield f"entries of the {what} ({', '.join(extra)})"
    left, bottom, right, top = parts["field"]["/Rect"]
    if (left, bottom) != (right, top):
        yield "a signature that shows on a page"


def _changes(
    before: PdfFileReader, signed: PdfFileReader, *, page: Reference, added: Any
) -> Iterator[str]:
    for key in ("/Root", "/Info"):
        if before.trailer.raw_get(key) != signed.trailer.raw_get(key):
            yield f"another {key[1:].lower()}"
    if "/AcroForm" in before.root:
        yield "a form that was there"
    if _rest(before.root, ()) != _rest(signed.root, {"/AcroForm"}):
        yield "a changed catalog"
    old, new = (it.get_object(Reference(page.idnum, page.generation)) for it in (before, signed))
    annotations = [*(old.raw_get("/Annots") if "/Annots" in old else ()), added]
    if _rest(old, {"/Annots"}) != _rest(new, {"/Annots"}) or new["/Annots"] != annotations:
        yield "a changed page"


def _is_table(found: Any) -> bool:
    """Return whether an object is a table of the objects in an update."""
    return isinstance(found, dict) and found.get("/Type") == "/XRef" and set(found) <= _TABLE


def _rest(found: Any, left_out: Collection[str]) -> dict[str, bytes]:
    """Return every other entry of a dictionary, as it is written into a file."""
    entries = {}
    for key in set(found) - {*left_out}:
        written = BytesIO()
        found.raw_get(key).write_to_stream(written, None)
        entries[str(key)] = written.getvalue()
    return entries
