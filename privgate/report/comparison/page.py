"""A comparison as HTML, PDF and JSON."""

from __future__ import annotations

from datetime import UTC
from typing import TYPE_CHECKING

from privgate.errors import RenderError
from privgate.evidence import canonical_bytes
from privgate.report.attached import AttachedFile
from privgate.report.comparison.sections import comparison_sections
from privgate.report.pdf import TooLongError, draw_pdf
from privgate.report.size import MOST_BYTES, fittings
from privgate.report.study import StudyView, render_study
from privgate.report.wording import load_wording

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from privgate.report.blocks import Section
    from privgate.report.comparison.model import Compared
    from privgate.report.wording import Wording

JSON, HTML, PDF = "compare.json", "compare.html", "compare.pdf"


def comparison_files(
    compared: Compared, *, language: str = "en", html: bool = True, pdf: bool = True
) -> dict[str, bytes]:
    """Return compare.json, and the page as HTML and PDF if asked for, in one extent that fits.

    Raises
    ------
    RenderError
        If the page fits in no extent, or PDF cannot be drawn on this machine.
    """
    files = {JSON: canonical_bytes(compared.comparison)}
    if not html and not pdf:
        return files
    words = load_wording(language)
    created = max(it.candidate.evidence.run.created for it in compared.shown)
    for fitted in fittings(comparison_sections(compared, words), words, source=JSON):
        view = _view(compared, fitted.sections, created, words)
        try:
            drawn = _drawn(view, files, created, html=html, pdf=pdf)
        except TooLongError:
            continue
        if len(drawn.get(HTML, b"")) <= MOST_BYTES:
            return files | drawn
    raise RenderError("the comparison is too long in every extent; compare fewer releases")


def _drawn(
    view: StudyView, files: Mapping[str, bytes], created: datetime, *, html: bool, pdf: bool
) -> dict[str, bytes]:
    drawn = {HTML: render_study(view).encode()} if html else {}
    if pdf:
        attached = AttachedFile(
            name=JSON,
            content=files[JSON],
            media_type="application/json",
            description=view.words("compare.attached"),
            relationship="Data",
        )
        printed = render_study(view, printed=True)
        drawn[PDF] = draw_pdf(printed, created=created, attached=(attached,))
    return drawn


def _view(
    compared: Compared, sections: tuple[Section, ...], created: datetime, words: Wording
) -> StudyView:
    first = compared.shown[0]
    facts = {
        "study.policy": first.view.policy,
        "study.policy_digest": first.view.digests["policy"],
        "compare.train": _train(compared, words),
        "study.tool": ", ".join(sorted({it.view.tool for it in compared.shown})),
    }
    return StudyView(
        words=words,
        title=words("compare.kind"),
        subject=first.candidate.verdict.policy.title,
        lead=words("compare.lead"),
        tool=first.view.tool,
        status=tuple((words(name), text) for name, text in facts.items()),
        sections=sections,
        created=created.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
    )


def _train(compared: Compared, words: Wording) -> str:
    tables = {it.candidate.evidence.release.tables["train"].content_sha256 for it in compared.shown}
    return tables.pop() if len(tables) == 1 else words("compare.different")
