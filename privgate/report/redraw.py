"""A PDF report drawn again from the files attached to it."""

from __future__ import annotations

import re
from hashlib import sha256
from typing import TYPE_CHECKING

from pydantic import ValidationError

from privgate.errors import IntegrityError, Problem, RenderError
from privgate.evidence import PowerStudy, RunEvidence
from privgate.policy.verdict import Verdict
from privgate.report.pdf import render_pdf
from privgate.report.redact import Audience
from privgate.report.view import build_view, report_identifier
from privgate.report.wording import load_wording

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence


def redrawn_reports(
    files: Mapping[str, bytes], *, pages: Sequence[str], language: str
) -> Iterator[bytes]:
    """Yield the PDF that the attached files give, for every edition that they may belong to.

    Exact evidence is that of the internal edition, or of a shareable one in which nothing had to be
    withheld. Redacting what is redacted changes nothing, so that the shareable edition can be drawn
    from its own attachments.

    Parameters
    ----------
    files
        evidence.json and verdict.json as attached, and power.json where there is one.
    pages
        What the pages say. The shareable edition does not carry the exact verdict, but prints its
        digest.
    language
        What the PDF says its language is. A forged one leads to a report in English, which differs.

    Raises
    ------
    IntegrityError
        If power.json cannot be read, or belongs to another release or policy.
    RenderError
        If PDF cannot be drawn on this machine.
    """
    evidence = RunEvidence.model_validate_json(files["evidence.json"])
    verdict = Verdict.model_validate_json(files["verdict.json"])
    exact = sha256(files["evidence.json"]).hexdigest() == verdict.evidence_sha256
    own = sha256(files["verdict.json"]).hexdigest()
    verdict_sha256 = own if exact else _printed_digest(pages, verdict.evidence_sha256)
    if verdict_sha256 is None:
        return
    editions = (Audience.INTERNAL, Audience.SHAREABLE) if exact else (Audience.SHAREABLE,)
    for audience in editions:
        yield render_pdf(
            build_view(
                evidence,
                verdict,
                audience=audience,
                language=_worded(language),
                power=_power(files),
                evidence_sha256=verdict.evidence_sha256,
                verdict_sha256=verdict_sha256,
            )
        )


def _power(files: Mapping[str, bytes]) -> PowerStudy | None:
    if "power.json" not in files:
        return None
    try:
        return PowerStudy.model_validate_json(files["power.json"])
    except ValidationError:
        message = "the attachment cannot be read as written"
        raise IntegrityError(Problem(message, path="power.json")) from None


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


def _printed_digest(pages: Sequence[str], evidence_sha256: str) -> str | None:
    """Return the digest of the verdict: the printed one that the printed report id is made of."""
    text = "".join("".join(pages).split())
    candidates = (place[1] for place in re.finditer("(?=([0-9a-f]{64}))", text))
    return next((it for it in candidates if report_identifier(evidence_sha256, it) in text), None)
