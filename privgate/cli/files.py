"""Which files a command writes, as far as this machine can draw them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from privgate.cli.console import say
from privgate.errors import InputError, Problem, RenderError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from collections.abc import Set as AbstractSet

    from privgate.dossier import Format
    from privgate.evidence import RunEvidence
    from privgate.policy.verdict import Verdict
    from privgate.report import Audience, Brand

TemplateFolder = Annotated[
    Path | None,
    typer.Option(
        "--template",
        metavar="DIR",
        help="Your look for the report: a folder with report.html.j2, brand.css or both.",
    ),
]
LogoFile = Annotated[
    Path | None, typer.Option("--logo", help="Your logo on the report: PNG, JPEG or SVG.")
]
LogoText = Annotated[
    str, typer.Option("--logo-alt", help="What the logo says, for those who do not see it.")
]


def asked_formats(text: str) -> frozenset[Format]:
    """Return the formats that a user listed.

    Raises
    ------
    InputError
        If one is unknown, or none is named.
    RenderError
        If PDF is among them and cannot be drawn on this machine: better said before measuring.
    """
    from privgate.dossier import Format
    from privgate.report import require_pdf_libraries

    names = [name.strip().lower() for name in text.split(",") if name.strip()]
    unknown = [name for name in names if name not in set(Format)]
    if unknown or not names:
        raise InputError(
            Problem(
                f"unknown format {', '.join(unknown)}" if unknown else "no format was named",
                path="--format",
                remedy=f"choose from {', '.join(Format)}",
            )
        )
    if Format.PDF in names:
        require_pdf_libraries()
    return frozenset(Format(name) for name in names)


def drawn_files(
    evidence: RunEvidence,
    verdict: Verdict,
    *,
    asked: AbstractSet[Format] | None,
    audience: Audience,
    stored: Mapping[str, bytes] | None = None,
    brand: Brand | None = None,
) -> dict[str, bytes]:
    """Return the files of a check: those asked for; or HTML and PDF, the latter where possible.

    Raises
    ------
    RenderError
        If a format that was asked for cannot be drawn.
    """
    from privgate.dossier import Format, dossier_files
    from privgate.report import PLAIN

    def files(formats: AbstractSet[Format]) -> dict[str, bytes]:
        return dossier_files(
            evidence,
            verdict,
            formats=formats,
            audience=audience,
            stored=stored,
            brand=brand or PLAIN,
        )

    if asked is not None:
        return files(asked)
    say("drawing the report")
    try:
        return files({Format.HTML, Format.PDF})
    except RenderError as error:
        html = files({Format.HTML})
        say(f"warning: no PDF was written: {error}")
        return html
