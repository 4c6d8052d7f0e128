"""A PDF report drawn again from the files attached to it."""

from __future__ import annotations

import re
from hashlib import sha256
from typing import TYPE_CHECKING, TypeVar

from pydantic import BaseModel, ValidationError

from privgate.errors import IntegrityError, Problem, RenderError
from privgate.evidence import PowerStudy, RunEvidence
from privgate.policy.verdict import Verdict
from privgate.report.attached import CONTENTS, POWER, AttachmentsContents, attached_again
from privgate.report.baseline import BASELINE, Baseline
from privgate.report.brand import PLAIN
from privgate.report.pdf import TooLongError, render_pdf
from privgate.report.redact import Audience
from privgate.report.view import build_view, sizes
from privgate.report.wording import load_wording

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from privgate.report.brand import Brand
    from privgate.report.view import ReportView

M = TypeVar("M", bound=BaseModel)


def redrawn_reports(
    files: Mapping[str, bytes], *, language: str, brand: Brand = PLAIN
) -> Iterator[bytes]:
    """Yield the PDF that the attached files give, in every extent that shows the same in part.

    Redacting what is redacted changes nothing, so that the shareable edition can be drawn from its
    own attachments.

    Parameters
    ----------
    files
        What is attached to the PDF, by name.
    language
        What the PDF says its language is. A forged one leads to a report in English, which differs.
    brand
        The look that it was drawn with.

    Raises
    ------
    IntegrityError
        If the list of attachments contradicts them, or one cannot be read.
    RenderError
        If PDF cannot be drawn on this machine.
    """
    contents = _contents(files)
    verdict = Verdict.model_validate_json(files["verdict.json"])
    view = build_view(
        RunEvidence.model_validate_json(files["evidence.json"]),
        verdict,
        audience=contents.edition,
        language=_worded(language),
        power=_study(files, POWER, PowerStudy),
        baseline=_study(files, BASELINE, Baseline),
        evidence_sha256=verdict.evidence_sha256,
        verdict_sha256=contents.verdict_sha256,
    )
    _require_consistent(contents, files, verdict, view)
    extents = [*sizes(view)]
    shown = {name for name in files if name.endswith(".csv")}
    alike = [extent for extent in extents if set(extent.tables) == shown]
    for extent in alike or extents[:1]:
        try:
            yield render_pdf(extent, attached=attached_again(extent, files), brand=brand)
        except TooLongError:
            continue


def _contents(files: Mapping[str, bytes]) -> AttachmentsContents:
    if CONTENTS not in files:
        raise IntegrityError(Problem("the attachment is missing", path=CONTENTS))
    try:
        return AttachmentsContents.model_validate_json(files[CONTENTS])
    except ValidationError:
        raise _unreadable(CONTENTS) from None


def _require_consistent(
    contents: AttachmentsContents, files: Mapping[str, bytes], verdict: Verdict, view: ReportView
) -> None:
    found = {name: sha256(it).hexdigest() for name, it in files.items() if name != CONTENTS}
    names = sorted(found.keys() | contents.files.keys())
    problems = [
        Problem(f"the list of attachments, {CONTENTS}, gives another digest", path=name)
        for name in names
        if found.get(name) != contents.files.get(name)
    ]
    own = (found["evidence.json"], found["verdict.json"])
    if contents.edition is Audience.INTERNAL and own != (
        contents.evidence_sha256,
        contents.verdict_sha256,
    ):
        problems.append(Problem("they are not the files of the check", path=CONTENTS))
    stated = (contents.report_id, contents.evidence_sha256, contents.policy_sha256)
    if stated != (view.report_id, verdict.evidence_sha256, verdict.policy.sha256):
        problems.append(Problem("it is not about this report", path=CONTENTS))
    if problems:
        raise IntegrityError(problems)


def _study(files: Mapping[str, bytes], name: str, model: type[M]) -> M | None:
    if name not in files:
        return None
    try:
        return model.model_validate_json(files[name])
    except ValidationError:
        raise _unreadable(name) from None


def _unreadable(name: str) -> IntegrityError:
    return IntegrityError(Problem("the attachment cannot be read as written", path=name))


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
