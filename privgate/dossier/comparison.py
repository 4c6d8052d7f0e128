"""Checks that are compared, and the files of a comparison."""

from __future__ import annotations

from typing import TYPE_CHECKING

from privgate.dossier.formats import Format, with_pdf_if_possible
from privgate.report.comparison import Candidate, comparison_files

if TYPE_CHECKING:
    from collections.abc import Callable

    from privgate.attest import StoredCheck
    from privgate.report.comparison import Compared

COMPARISON_FILES = ("compare.json", "compare.html", "compare.pdf")
NO_PAGES_OF_COMPARISONS = frozenset(Format) - {Format.HTML, Format.PDF, Format.JSON}


def stored_candidate(place: str, stored: StoredCheck) -> Candidate:
    """Return a stored check as one to be compared, called by its place."""
    return Candidate(
        place=place,
        evidence=stored.evidence,
        verdict=stored.verdict,
        evidence_sha256=stored.evidence_sha256,
        verdict_sha256=stored.verdict_sha256,
    )


def drawn_comparison(
    compared: Compared,
    asked: frozenset[Format] | None,
    *,
    language: str,
    tell: Callable[[str], None],
) -> dict[str, bytes]:
    """Return the files asked for; or HTML and PDF, the latter where it can be drawn.

    Raises
    ------
    RenderError
        If a page that was asked for cannot be drawn on this machine.
    """

    def files(formats: frozenset[Format]) -> dict[str, bytes]:
        html, pdf = Format.HTML in formats, Format.PDF in formats
        return comparison_files(compared, language=language, html=html, pdf=pdf)

    return files(asked) if asked is not None else with_pdf_if_possible(files, {Format.HTML}, tell)
