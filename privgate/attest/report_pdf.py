"""Whether a PDF report follows from the evidence and the verdict attached to it.

The internal edition carries both exactly: its evidence is judged again. The shareable edition
carries them without small counts: what rests on no withheld figure is judged again.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

from privgate.attest.attachments import page_texts, read_pdf
from privgate.attest.pades import drawn_part, verify_pdf_signature
from privgate.attest.redacted import redacted_problems, resting_on_withheld
from privgate.attest.stored import open_check
from privgate.errors import InputError, IntegrityError, PolicyError, Problem

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from pathlib import Path

    from privgate.attest.attachments import PdfContents
    from privgate.attest.certificates import Trust
    from privgate.attest.pades.signature import PdfSignature
    from privgate.attest.stored import StoredCheck
    from privgate.metrics import Metric
    from privgate.policy.verdict import Verdict

    Redraw = Callable[..., Iterable[bytes]]

ATTACHED = ("evidence.json", "verdict.json", "policy.yaml")


@dataclass(frozen=True)
class PdfFindings:
    """What a PDF alone shows: its verdict, and the rules that could not be judged again.

    ``drawn`` is the report without the signature inside it, if there is one.
    """

    verdict: Verdict
    exact: bool
    unjudged: tuple[str, ...]
    drawn: bytes
    signature: PdfSignature | None

    @property
    def sentences(self) -> tuple[str, ...]:
        """Return what was found, and what a PDF alone cannot show."""
        outcome = self.verdict.outcome.replace("_", " ")
        if self.verdict.waived:
            outcome += f", with waivers for {', '.join(self.verdict.waived)}"
        drawn = "drawing the report again from its attachments gives the same bytes"
        if self.exact:
            judged = f"judging the attached evidence again gives the same verdict: {outcome}"
            return judged, drawn
        total = len(self.verdict.rules)
        judged = f"rules judged again with the same result: {total - len(self.unjudged)} of {total}"
        if self.unjudged:
            judged += f"; not {', '.join(self.unjudged)}, for want of withheld figures"
        advice = "to judge every rule again, verify the folder or the internal edition"
        return f"the attached verdict is {outcome}", judged, drawn, advice


def verify_pdf(
    file: Path,
    metrics: Mapping[str, Metric[Any]],
    *,
    redraw: Redraw,
    trust: Trust | None = None,
) -> PdfFindings:
    """Return what a PDF report alone shows, if nothing in it contradicts the rest.

    Parameters
    ----------
    redraw
        Draws the report again from its attachments, in every edition that they may belong to, as
        :func:`privgate.report.redrawn_reports` does.
    trust
        Who must vouch for a signature inside the PDF; without it, one that is there must be intact.

    Raises
    ------
    InputError
        If the file is no PDF, or carries no evidence, or pyHanko is missing for its signature.
    IntegrityError
        With every contradiction: a verdict that does not follow, another policy, altered pages, a
        signature that does not hold.
    """
    name = str(file)
    raw = _bytes_of(file)
    contents = _drawn_contents(raw, name)
    signature, flaws = _signature_of(contents, raw, trust, name)
    _require_attachments(contents, name)
    try:
        stored = open_check(contents.files, metrics, at=lambda of: {"file": name, "path": of})
        exact = stored.evidence_sha256 == stored.verdict.evidence_sha256
        problems = [*_policy_problems(contents, stored, name)]
        problems += _exact_problems(stored, name) if exact else redacted_problems(stored, name)
    except PolicyError as cause:
        raise IntegrityError(cause.problems) from cause
    # Drawn last: a page that says something else is best named beside what it should follow from.
    if not problems:
        problems += _page_problems(contents, redraw, name)
    if problems or flaws:
        raise IntegrityError([*problems, *flaws])
    unjudged = () if exact else resting_on_withheld(stored)
    return PdfFindings(stored.verdict, exact, unjudged, contents.raw, signature)


def _drawn_contents(raw: bytes, name: str) -> PdfContents:
    """Return what a PDF carries, without what a signature appended to it."""
    contents = read_pdf(raw, name=name)
    return read_pdf(drawn_part(raw, name=name), name=name) if contents.has_form else contents


def _signature_of(
    drawn: PdfContents, raw: bytes, trust: Trust | None, name: str
) -> tuple[PdfSignature | None, tuple[Problem, ...]]:
    """Return the signature inside a PDF, or what is wrong with it."""
    if drawn.raw == raw:
        absent = Problem("there is no signature inside the PDF", file=name)
        return None, () if trust is None else (absent,)
    try:
        return verify_pdf_signature(raw, name=name, trust=trust), ()
    except IntegrityError as cause:
        return None, cause.problems


def _bytes_of(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError as cause:
        reason = f"the PDF cannot be read ({cause.strerror})"
        raise InputError(Problem(reason, file=str(file), remedy="check the path")) from None


def _require_attachments(contents: PdfContents, name: str) -> None:
    missing = [wanted for wanted in ATTACHED if wanted not in contents.files]
    if {"evidence.json", "verdict.json"} <= {*missing}:
        remedy = "verify the folder it comes from"
        message = "the PDF carries no evidence: none was attached, or it was taken out"
        raise InputError(Problem(message, file=name, remedy=remedy))
    if missing:
        raise IntegrityError(
            Problem("the attachment is missing", file=name, path=path) for path in missing
        )


def _policy_problems(contents: PdfContents, stored: StoredCheck, name: str) -> Iterator[Problem]:
    if contents.files["policy.yaml"] != stored.verdict.policy.text.encode():
        message = "this is not the policy that the verdict holds"
        yield Problem(message, file=name, path="policy.yaml")


def _exact_problems(stored: StoredCheck, name: str) -> Iterator[Problem]:
    if stored.judged_again != stored.verdict:
        message = "judging the evidence again gives another verdict"
        yield Problem(message, file=name, path="verdict.json")


def _page_problems(contents: PdfContents, redraw: Redraw, name: str) -> Iterator[Problem]:
    """Yield which pages say something else than a report drawn again, or that bytes differ."""
    drawn = []
    try:
        for again in redraw(contents.files, language=contents.language):
            if again == contents.raw:
                return
            drawn.append(again)
    except IntegrityError as cause:
        yield from (replace(problem, file=name) for problem in cause.problems)
        return
    differing = sorted((_differing_pages(contents.pages, page_texts(it)) for it in drawn), key=len)
    pages = ", ".join(map(str, differing[0])) if differing else ""
    message = "drawing the report again from its attachments gives other bytes"
    if pages:
        message = f"other text than evidence and verdict give, on pages: {pages}"
    remedy = (
        "it was altered, or drawn with another look or another version of privgate or WeasyPrint"
    )
    yield Problem(message, file=name, remedy=remedy)


def _differing_pages(before: tuple[str, ...], after: tuple[str, ...]) -> tuple[int, ...]:
    pairs = enumerate(zip_longest(before, after), start=1)
    return tuple(number for number, (one, other) in pairs if one != other)
