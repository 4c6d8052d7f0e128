"""Which files a command writes, as far as this machine can draw them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from privgate.cli.console import say
from privgate.cli.subject import beside
from privgate.errors import InputError, Problem

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from collections.abc import Set as AbstractSet

    from privgate.data import Release
    from privgate.dossier import Format
    from privgate.engine import Assessment
    from privgate.evidence import RunEvidence
    from privgate.policy import BoundPolicy
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

_PRINTED = "the printed lines"


def asked_formats(text: str, *, but: AbstractSet[Format] = frozenset()) -> frozenset[Format]:
    """Return the formats that a user listed; ``but`` are those that the command does not offer.

    Raises
    ------
    InputError
        If one is unknown, or none is named.
    RenderError
        If PDF is among them and cannot be drawn on this machine: better said before measuring.
    """
    from privgate.dossier import known_formats

    return known_formats(text.split(","), path="--format", but=but)


def known_language(name: str) -> str:
    """Return the language of a report, if there is a catalogue for it.

    Raises
    ------
    InputError
        If there is none: better said before measuring.
    """
    from privgate.report import languages

    language = name.strip().lower()
    if language not in languages():
        raise InputError(
            Problem(
                f"no report is written in the language {name!r}",
                path="--language",
                remedy=f"choose from {', '.join(languages())}",
            )
        )
    return language


def drawn_files(
    evidence: RunEvidence,
    verdict: Verdict,
    *,
    asked: AbstractSet[Format] | None,
    audience: Audience,
    language: str = "en",
    stored: Mapping[str, bytes] | None = None,
    brand: Brand | None = None,
    also: AbstractSet[Format] = frozenset(),
) -> dict[str, bytes]:
    """Return the files of a check: those asked for; or HTML and PDF, the latter where possible.

    ``also`` are formats that are drawn beside HTML and PDF where none was asked for.

    Raises
    ------
    RenderError
        If a format that was asked for cannot be drawn.
    """
    from privgate.dossier import Format, dossier_files, with_pdf_if_possible
    from privgate.report import PLAIN

    def files(formats: AbstractSet[Format]) -> dict[str, bytes]:
        return dossier_files(
            evidence,
            verdict,
            formats=formats,
            audience=audience,
            language=language,
            stored=stored,
            brand=brand or PLAIN,
        )

    if asked is not None:
        return files(asked)
    say("drawing the report")
    return with_pdf_if_possible(files, {Format.HTML, *also}, lambda told: say(f"warning: {told}"))


def require_searched(
    files: Mapping[str, bytes],
    assessment: Assessment,
    release: Release,
    *,
    audience: Audience,
    language: str = "en",
    stated: Sequence[str] = (),
) -> None:
    """Return if neither the files nor the lines that will be printed show a value of the release.

    ``stated`` are texts that people wrote elsewhere and that may be repeated.

    Raises
    ------
    DisclosureError
        If one does.
    """
    from privgate.leakscan import declared_texts, require_no_values
    from privgate.report.formats.text import render_text

    say("searching the files for values of records")
    evidence, verdict = assessment.evidence, assessment.verdict
    printed = render_text(verdict, evidence, audience=audience, language=language)
    require_no_values(
        {**files, _PRINTED: printed.encode()},
        release,
        declared=[*declared_texts(evidence, verdict), *stated],
    )


def require_study_searched(
    files: Mapping[str, bytes], policy: BoundPolicy, release: Release
) -> None:
    """Return if the files of a study of a policy show no value of the release.

    Raises
    ------
    DisclosureError
        If one does.
    """
    from privgate.leakscan import require_no_values
    from privgate.policy.check import policy_facts

    facts = policy_facts(policy)
    stated = [facts.text, facts.model_dump_json()]
    require_no_values(files, release, declared=stated)


def write_study(
    folder: Path, files: Mapping[str, bytes], policy: BoundPolicy, release: Release
) -> None:
    """Write the searched files of a study of a policy, and remove the trials kept for it.

    Raises
    ------
    DisclosureError
        If one shows a value of the release; then nothing is written.
    InputError
        If the folder cannot be written.
    """
    from privgate.dossier import write_folder

    require_study_searched(files, policy, release)
    write_folder(folder, files, replaceable=tuple(files))
    beside(folder).unlink(missing_ok=True)
