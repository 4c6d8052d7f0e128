"""The output folder of a check: evidence, verdict, report and manifest, whole or not at all."""

from __future__ import annotations

import secrets
import shutil
import tempfile
from contextlib import contextmanager
from enum import StrEnum
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from privgate.attest import ADDED, MANIFEST, manifest_bytes, read_manifest
from privgate.errors import InputError, PrivgateError, Problem
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
    from collections.abc import Callable, Collection, Iterator, Mapping

    from privgate.report import AttachedFile, ReportView

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


def require_free(folder: Path, *, replaceable: Collection[str] = ()) -> None:
    """Refuse a folder that cannot be written, or that holds anything but an earlier check.

    ``replaceable`` names files that may also be there, as those of an earlier study.

    Raises
    ------
    InputError
        If the folder could not be replaced, or not without losing something.
    """
    if folder.exists() and not folder.is_dir():
        raise _refused(folder, "the output folder is a file", "give --out a folder")
    if folder.resolve() in {Path.cwd(), *Path.cwd().parents} or folder.is_mount():
        message = "the output folder is in use as a current folder or mount point"
        raise _refused(folder, message, "give --out a new folder inside it")
    foreign = _foreign(folder, replaceable)
    if foreign:
        message = f"the output folder is not a check of privgate, or not only: it holds {foreign!r}"
        raise _refused(folder, message, "give --out a new or empty folder")
    above = next(path for path in folder.resolve().parents if path.exists())
    try:
        with tempfile.TemporaryDirectory(dir=above, prefix=".privgate-"):
            pass
    except OSError as cause:
        raise _unwritable(folder, cause) from cause


def _foreign(folder: Path, replaceable: Collection[str]) -> str | None:
    """Return the name of a file that is not part of an earlier, intact check."""
    try:
        known = {*replaceable, *read_manifest(folder).files, MANIFEST, *ADDED}
    except PrivgateError:
        known = set(replaceable)
    names = sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*"))
    return next(
        (name for name in names if name not in known and not (folder / name).is_dir()), None
    )


def _refused(folder: Path, message: str, remedy: str) -> InputError:
    return InputError(Problem(message, file=str(folder), remedy=remedy))


def _unwritable(folder: Path, cause: OSError) -> InputError:
    message = f"the output folder cannot be written ({cause.strerror})"
    return _refused(folder, message, "give --out a folder you may write to")


def write_dossier(
    folder: Path,
    files: Mapping[str, bytes],
    evidence: RunEvidence,
    verdict: Verdict,
    *,
    signatures: Mapping[str, bytes] | None = None,
) -> None:
    """Write the files and their manifest into ``folder``, replacing an earlier check there.

    Everything is written beside the folder first and moved into place at the end. ``signatures``
    are files of signatures on just these.

    Raises
    ------
    InputError
        If the folder holds something else, or cannot be written.
    """
    manifest = {MANIFEST: manifest_bytes(files, evidence, verdict)}
    write_folder(folder, {**files, **manifest, **(signatures or {})})


def write_folder(
    folder: Path, files: Mapping[str, bytes], *, replaceable: Collection[str] = ()
) -> None:
    """Write the files into ``folder``, replacing what :func:`require_free` lets go, or nothing.

    Raises
    ------
    InputError
        If the folder holds something else, or cannot be written.
    """
    require_free(folder, replaceable=replaceable)
    target = folder.resolve()
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=target.parent, prefix=".privgate-") as workshop:
            fresh = Path(workshop) / "new"
            _write(fresh, files)
            _put(fresh, target, earlier=Path(workshop) / "earlier")
    except OSError as cause:
        raise _unwritable(folder, cause) from cause


@contextmanager
def new_folder(folder: Path) -> Iterator[Path]:
    """Give an empty folder beside ``folder`` that takes its name in the end, or goes on an error.

    Raises
    ------
    InputError
        If there is something in ``folder`` already, or it cannot be written.
    """
    require_free(folder)
    if folder.exists() and any(folder.iterdir()):
        raise _refused(folder, "the output folder is not empty", "give --out a new folder")
    target = folder.resolve()
    fresh = target.with_name(f".privgate-{secrets.token_hex(8)}")
    try:
        fresh.mkdir(parents=True)
        yield fresh
        if target.exists():
            target.rmdir()
        fresh.rename(target)
    except OSError as cause:
        raise _unwritable(folder, cause) from cause
    finally:
        shutil.rmtree(fresh, ignore_errors=True)


def _put(fresh: Path, target: Path, *, earlier: Path) -> None:
    """Move ``fresh`` to ``target``; what was there is kept should that fail."""
    if target.exists():
        target.rename(earlier)
    try:
        fresh.rename(target)
    except BaseException:
        if earlier.exists():
            earlier.rename(target)
        raise


def _write(folder: Path, files: Mapping[str, bytes]) -> None:
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
