"""``privgate compare``: several checks under one policy, side by side."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from privgate.cli.console import emit, emit_table, say
from privgate.cli.files import asked_formats, known_language
from privgate.cli.options import Language

if TYPE_CHECKING:
    from privgate.attest import StoredCheck
    from privgate.dossier import Format
    from privgate.report.comparison import Candidate, Compared, Comparison

_FILES = ("compare.json", "compare.html", "compare.pdf")


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command("compare")(compare)


def compare(
    folders: Annotated[
        list[Path], typer.Argument(metavar="DIR DIR...", help="Output folders of checks.")
    ],
    out: Annotated[Path, typer.Option(help="Output folder; by default privgate-compare.")] = Path(
        "privgate-compare"
    ),
    formats: Annotated[
        str | None,
        typer.Option(
            "--format", help="Pages to write beside compare.json: html, pdf, or json for none."
        ),
    ] = None,
    language: Language = "en",
) -> None:
    """Compare releases that were judged under one policy.

    Every folder is verified first. The releases are ranked if train, holdout, column declarations
    and metrics are the same, and stand side by side without ranks if not. Only what shareable
    reports show is compared. Exit code: 0 when the comparison is written, whatever the outcomes
    are; 2 if a folder was altered or cannot be used, or the policies differ.
    """
    from privgate.attest import open_folder
    from privgate.dossier import require_free, write_folder
    from privgate.metrics import all_metrics
    from privgate.report.comparison import compare_checks

    asked = None if formats is None else asked_formats(formats, but=_others())
    language = known_language(language)
    require_free(out, replaceable=_FILES)
    metrics = all_metrics()
    compared = compare_checks(
        [_candidate(folder, open_folder(folder, metrics)) for folder in folders],
        language=language,
    )
    say("the data are not at hand, so what is drawn is not searched for values of records")
    write_folder(out, _drawn(compared, asked, language), replaceable=_FILES)
    _show(compared.comparison)
    emit(f"written to {out}")


def _others() -> frozenset[Format]:
    from privgate.dossier import Format

    return frozenset(Format) - {Format.HTML, Format.PDF, Format.JSON}


def _candidate(folder: Path, stored: StoredCheck) -> Candidate:
    from privgate.report.comparison import Candidate

    return Candidate(
        place=str(folder),
        evidence=stored.evidence,
        verdict=stored.verdict,
        evidence_sha256=stored.evidence_sha256,
        verdict_sha256=stored.verdict_sha256,
    )


def _drawn(compared: Compared, asked: frozenset[Format] | None, language: str) -> dict[str, bytes]:
    """Return the files asked for; or HTML and PDF, the latter where it can be drawn."""
    from privgate.dossier import Format, with_pdf_if_possible
    from privgate.report.comparison import comparison_files

    def files(formats: frozenset[Format]) -> dict[str, bytes]:
        html, pdf = Format.HTML in formats, Format.PDF in formats
        return comparison_files(compared, language=language, html=html, pdf=pdf)

    if asked is not None:
        return files(asked)
    return with_pdf_if_possible(files, {Format.HTML}, lambda told: say(f"warning: {told}"))


def _show(comparison: Comparison) -> None:
    """Print the ranking, or why there is none."""
    from privgate.report.names import legible_line, short_name

    if comparison.differences:
        differing = ", ".join(comparison.differences)
        say(f"not ranked: not the same for all releases: {differing}")
    rows = [
        (
            "-" if it.rank is None else f"{it.rank}{' (tied)' if it.tied else ''}",
            it.label,
            legible_line(short_name(it.name)),
            it.outcome.replace("_", " ") + (" with waivers" if it.waived else ""),
            str(it.violated),
            "unknown" if it.overshoot is None else f"{it.overshoot:.3f}",
            str(it.open),
        )
        for it in comparison.releases
    ]
    heads = ("place", "label", "release", "outcome", "broken", "beyond limits", "not shown")
    emit_table(heads, rows)
    emit(f"ranked by {comparison.ranked_by}" if not comparison.differences else "no ranks")
