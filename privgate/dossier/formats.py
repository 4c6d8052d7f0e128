"""Which files a check writes, and their content."""

from __future__ import annotations

from enum import StrEnum
from hashlib import sha256
from typing import TYPE_CHECKING, TypeVar

from privgate.errors import InputError, Problem, RenderError
from privgate.evidence import PowerStudy, RunEvidence, canonical_bytes
from privgate.policy.verdict import Verdict
from privgate.report import (
    BASELINE,
    PLAIN,
    TABLES,
    Audience,
    Baseline,
    Brand,
    attached_files,
    build_view,
    drawn_reports,
    require_pdf_libraries,
)
from privgate.report.formats import (
    render_dpia_html,
    render_dpia_markdown,
    render_gitlab,
    render_junit,
    render_markdown,
    render_oscal,
    render_rules_csv,
    render_sarif,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping

    from privgate.report import AttachedFile, ReportView

T = TypeVar("T")

POWER = "power.json"


class Format(StrEnum):
    """What a check writes beside evidence, verdict and manifest, or prints in place of the lines.

    ``GITHUB`` and ``LINE_JSON`` are printed and have no file of their own here.
    """

    HTML = "html"
    PDF = "pdf"
    JSON = "json"
    DPIA_MARKDOWN = "dpia-md"
    DPIA_HTML = "dpia-html"
    OSCAL = "oscal"
    CSV = "csv"
    JUNIT = "junit"
    SARIF = "sarif"
    GITHUB = "github"
    GITLAB = "gitlab"
    MARKDOWN = "markdown"
    LINE_JSON = "line-json"


PRINTED = frozenset({Format.GITHUB, Format.LINE_JSON})
"""Formats that go to stdout; one of them at a time."""

_REPORTS = {Format.HTML: "report.html", Format.PDF: "report.pdf"}
_SUMMARY: dict[str, Callable[[ReportView], str]] = {"summary.md": render_markdown}
_EXPORTS: dict[Format, dict[str, Callable[[ReportView], str]]] = {
    Format.DPIA_MARKDOWN: {"dpia.md": render_dpia_markdown},
    Format.DPIA_HTML: {"dpia.html": render_dpia_html},
    Format.OSCAL: {"oscal-assessment-results.json": render_oscal},
    Format.CSV: {"rules.csv": render_rules_csv},
    Format.JUNIT: {"junit.xml": render_junit},
    Format.SARIF: {"privgate.sarif": render_sarif},
    Format.GITLAB: {"gl-code-quality-report.json": render_gitlab, **_SUMMARY},
    Format.MARKDOWN: _SUMMARY,
}
_NAMES: dict[Format, frozenset[str]] = {
    **{format_: frozenset({name}) for format_, name in _REPORTS.items()},
    **{format_: frozenset(drawn) for format_, drawn in _EXPORTS.items()},
}


def file_formats(names: Collection[str]) -> frozenset[Format]:
    """Return the formats whose files are among the named ones.

    Examples
    --------
    >>> [str(found) for found in file_formats({"report.html", "evidence.json"})]
    ['html']
    """
    return frozenset(format_ for format_, drawn in _NAMES.items() if drawn <= set(names))


def is_drawn(name: str) -> bool:
    """Return whether a file of a check is made from evidence and verdict."""
    return any(name in drawn for drawn in _NAMES.values()) or name.startswith(TABLES)


def dossier_files(
    evidence: RunEvidence,
    verdict: Verdict,
    *,
    formats: Collection[Format],
    audience: Audience,
    language: str = "en",
    stored: Mapping[str, bytes] | None = None,
    brand: Brand = PLAIN,
) -> dict[str, bytes]:
    """Return the files of a check by name, the manifest not yet among them.

    ``stored`` holds evidence.json, verdict.json, power.json and baseline.json where they exist
    already: they stay as they are, also when this version would write more fields. ``brand`` is the
    reports' look.

    Raises
    ------
    RenderError
        If a report cannot be produced on this machine.
    """
    made = {"evidence.json": canonical_bytes(evidence), "verdict.json": canonical_bytes(verdict)}
    files = made | {n: c for n, c in (stored or {}).items() if n in {*made, POWER, BASELINE}}
    if not set(_NAMES) & set(formats):
        return files
    # Drawn from what is stored, so that anyone who draws it again gets the same bytes.
    exact = (
        RunEvidence.model_validate_json(files["evidence.json"]),
        Verdict.model_validate_json(files["verdict.json"]),
    )
    view = build_view(
        *exact,
        audience=audience,
        language=language,
        power=PowerStudy.model_validate_json(files[POWER]) if POWER in files else None,
        baseline=Baseline.model_validate_json(files[BASELINE]) if BASELINE in files else None,
        evidence_sha256=sha256(files["evidence.json"]).hexdigest(),
        verdict_sha256=sha256(files["verdict.json"]).hexdigest(),
    )
    for format_ in _EXPORTS.keys() & set(formats):
        files |= {name: export(view).encode() for name, export in _EXPORTS[format_].items()}
    if not set(_REPORTS) & set(formats):
        return files

    def attached(extent: ReportView) -> tuple[AttachedFile, ...]:
        originals = (files["evidence.json"], files["verdict.json"])
        return attached_files(
            extent,
            *exact,
            originals=originals,
            power=files.get(POWER),
            baseline=files.get(BASELINE),
        )

    asked = {"html": Format.HTML in formats, "pdf": Format.PDF in formats}
    return files | drawn_reports(view, attached, **asked, brand=brand)


def known_formats(
    names: Iterable[str], *, path: str, but: Collection[Format] = frozenset()
) -> frozenset[Format]:
    """Return the formats that a user listed; ``but`` are those that are not offered.

    ``path`` is what the user wrote them into.

    Raises
    ------
    InputError
        If one is unknown, or none is named.
    RenderError
        If PDF is among them and cannot be drawn on this machine: better said before measuring.
    """
    asked = [name.strip().lower() for name in names if name.strip()]
    known = [format_ for format_ in Format if format_ not in but]
    unknown = [name for name in asked if name not in known]
    if unknown or not asked:
        message = f"unknown format {', '.join(unknown)}" if unknown else "no format was named"
        raise InputError(Problem(message, path=path, remedy=f"choose from {', '.join(known)}"))
    if Format.PDF in asked:
        require_pdf_libraries()
    return frozenset(Format(name) for name in asked)


def with_pdf_if_possible(
    draw: Callable[[frozenset[Format]], T],
    others: Collection[Format],
    tell: Callable[[str], None],
) -> T:
    """Return what is drawn with a PDF; or the others alone, and say so, where there can be none.

    Nobody has asked for the PDF, so that a machine without Pango still gets the rest.
    """
    formats = frozenset({*others, Format.PDF})
    try:
        return draw(formats)
    except RenderError as error:
        rest = draw(formats - {Format.PDF})
        tell(f"no PDF was written: {error}")
        return rest
