"""A PDF report drawn again from the files attached to it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, TypeVar

from pydantic import BaseModel, ValidationError

from privgate.errors import IntegrityError, Problem, RenderError
from privgate.evidence import PowerStudy, RunEvidence
from privgate.policy.verdict import Verdict
from privgate.report.attached import CONTENTS, AttachmentsContents, attached_again
from privgate.report.brand import PLAIN, Brand
from privgate.report.pdf import TooLongError, render_pdf
from privgate.report.view import build_view, sizes
from privgate.report.wording import load_wording

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

M = TypeVar("M", bound=BaseModel)


def redrawn_reports(
    files: Mapping[str, bytes], *, language: str, brand: Brand = PLAIN
) -> Iterator[bytes]:
    """Yield the PDF that the attached files give, in every extent that it may have.

    Redacting what is redacted changes nothing, so that the shareable edition can be drawn from its
    own attachments. The digests it prints are those that attachments.json states; were they
    changed there and on the pages alike, evidence and verdict would still have to follow.

    Parameters
    ----------
    files
        What is attached: evidence.json, verdict.json, policy.yaml and attachments.json, and
        power.json where the report shows a canary test.
    language
        What the PDF says its language is. A forged one leads to a report in English, which differs.
    brand
        The look it was drawn with.

    Raises
    ------
    IntegrityError
        If an attachment cannot be read, or belongs to another release or policy.
    RenderError
        If PDF cannot be drawn on this machine.
    """
    contents = _read(files, CONTENTS, AttachmentsContents)
    view = build_view(
        RunEvidence.model_validate_json(files["evidence.json"]),
        Verdict.model_validate_json(files["verdict.json"]),
        audience=contents.edition,
        language=_worded(language),
        power=_read(files, "power.json", PowerStudy) if "power.json" in files else None,
        evidence_sha256=contents.evidence_sha256,
        verdict_sha256=contents.verdict_sha256,
    )
    for extent in sizes(view):
        try:
            yield render_pdf(extent, attached=attached_again(extent, files), brand=brand)
        except TooLongError:
            continue


def _read(files: Mapping[str, bytes], name: str, model: type[M]) -> M:
    try:
        return model.model_validate_json(files[name])
    except (KeyError, ValidationError):
        message = "the attachment is missing or cannot be read as written"
        raise IntegrityError(Problem(message, path=name)) from None


def _worded(language: str) -> str:
    """Return the language of the wording, such as ``en`` for ``en-GB``; English for any other."""
    primary = language.partition("-")[0].lower()
    if not re.fullmatch("[a-z]{2,3}", primary):  # it comes from a file, and leads to one
        return "en"
    try:
        load_wording(primary)
    except RenderError:
        return "en"
    return primary
