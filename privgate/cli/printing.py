"""What a check prints on stdout: lines for people, or in place of them what a machine reads."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from privgate.cli.console import emit, say
from privgate.errors import InputError, Problem

if TYPE_CHECKING:
    from collections.abc import Mapping
    from collections.abc import Set as AbstractSet

    from privgate.dossier import Format
    from privgate.engine import Assessment
    from privgate.report import Audience, ReportView

SUMMARY = "GITHUB_STEP_SUMMARY"


@dataclass(frozen=True)
class Printout:
    """What goes to stdout in place of lines for people, and into the summary of a job.

    ``searched`` holds the same by name, as it is read, to be searched for values of records.
    """

    stdout: str
    summary: str = ""
    searched: Mapping[str, bytes] = field(default_factory=dict)


def require_printable(asked: AbstractSet[Format] | None, audience: Audience) -> None:
    """Return if at most one format goes to stdout, and one that all may see holds no small count.

    Raises
    ------
    InputError
        If not: better said before measuring.
    """
    from privgate.dossier import PRINTED, Format
    from privgate.report import Audience

    if Format.GITHUB in (asked or ()) and audience is Audience.INTERNAL:
        message = "annotations and job summaries are seen by all who see the project"
        raise InputError(Problem(message, path="--internal", remedy="leave it out, or github"))
    both = PRINTED & (asked or frozenset())
    if len(both) > 1:
        message = f"{' and '.join(sorted(both))} would both be printed on stdout"
        raise InputError(Problem(message, path="--format", remedy="choose one of them"))


def printout(
    assessment: Assessment, asked: AbstractSet[Format] | None, audience: Audience, language: str
) -> Printout | None:
    """Return what is printed for machines; ``None`` if they asked for nothing."""
    from privgate.dossier import Format
    from privgate.report import build_view

    asked = asked or frozenset()
    if Format.LINE_JSON in asked or Format.GITHUB in asked:
        evidence, verdict = assessment.evidence, assessment.verdict
        view = build_view(evidence, verdict, audience=audience, language=language)
        return _line(view) if Format.LINE_JSON in asked else _github(assessment, view)
    return None


def _line(view: ReportView) -> Printout:
    from privgate.report.formats import render_line_json

    line = render_line_json(view)
    return Printout(line, searched={"the printed line.json": line.encode()})


def _github(assessment: Assessment, view: ReportView) -> Printout:
    """Return the lines for people, in which GitHub sees no command, and annotations after them."""
    from privgate.report.formats import (
        annotated,
        inert_lines,
        render_github,
        render_markdown,
        render_text,
    )

    lines = render_text(
        assessment.verdict,
        assessment.evidence,
        audience=view.audience,
        language=view.words.language,
    )
    summary = render_markdown(view)
    told = "\n".join(f"{it.title}: {it.message}" for it in annotated(view))
    return Printout(
        inert_lines(lines, view) + render_github(view),
        summary,
        {"the annotations": told.encode(), "the job summary.md": summary.encode()},
    )


def deliver(printed: Printout) -> None:
    """Print what machines read, and append the summary of a job to its file.

    A summary that cannot be written is a warning: the verdict and its exit code stand.
    """
    emit(printed.stdout)
    file = os.environ.get(SUMMARY, "")
    if not printed.summary:
        return
    if not file:
        say(f"warning: {SUMMARY} names no file, so no job summary was written")
        return
    try:
        with open(file, "a", encoding="utf-8", newline="") as stream:  # noqa: PTH123 - append
            stream.write(f"{printed.summary}\n")
    except OSError as cause:
        say(f"warning: {file}: the job summary cannot be written ({cause.strerror})")
