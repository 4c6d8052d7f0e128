"""``privgate compare``: several checks under one policy, side by side."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from privgate.cli.console import emit, emit_table, say
from privgate.cli.files import asked_formats, known_language
from privgate.cli.options import Language

if TYPE_CHECKING:
    from privgate.report.comparison import Comparison


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
    from privgate.dossier import (
        COMPARISON_FILES,
        NO_PAGES_OF_COMPARISONS,
        drawn_comparison,
        require_free,
        stored_candidate,
        write_folder,
    )
    from privgate.metrics import all_metrics
    from privgate.report.comparison import compare_checks

    asked = None if formats is None else asked_formats(formats, but=NO_PAGES_OF_COMPARISONS)
    language = known_language(language)
    require_free(out, replaceable=COMPARISON_FILES)
    metrics = all_metrics()
    compared = compare_checks(
        [stored_candidate(str(folder), open_folder(folder, metrics)) for folder in folders],
        language=language,
    )
    say("the data are not at hand, so what is drawn is not searched for values of records")
    drawn = drawn_comparison(
        compared, asked, language=language, tell=lambda told: say(f"warning: {told}")
    )
    write_folder(out, drawn, replaceable=COMPARISON_FILES)
    _show(compared.comparison)
    emit(f"written to {out}")


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
            _number(it.risk, least=it.risk_is_least),
            _number(it.utility),
        )
        for it in comparison.releases
    ]
    heads = (
        "place",
        "label",
        "release",
        "outcome",
        "broken",
        "beyond limits",
        "not shown",
        "risk",
        "utility",
    )
    emit_table(heads, rows)
    emit(f"ranked by {comparison.ranked_by}" if not comparison.differences else "no ranks")


def _number(value: float | None, *, least: bool = False) -> str:
    return "unknown" if value is None else f"{value:.3f}{' or more' if least else ''}"
