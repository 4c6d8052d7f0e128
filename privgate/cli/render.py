"""``privgate render``: build the report again from stored evidence and verdict."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from pydantic import ValidationError

from privgate.cli.console import emit, say
from privgate.cli.files import (
    LogoFile,
    LogoText,
    TemplateFolder,
    drawn_files,
    known_language,
)
from privgate.cli.options import Language
from privgate.errors import InputError, IntegrityError, Problem

if TYPE_CHECKING:
    from collections.abc import Mapping


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command("render")(render)


def render(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Output folder of a check.")],
    internal: Annotated[
        bool, typer.Option("--internal", help="Do not suppress small counts in the report.")
    ] = False,
    template: TemplateFolder = None,
    logo: LogoFile = None,
    logo_alt: LogoText = "",
    language: Language = "en",
) -> None:
    """Build the report of a check again.

    Writes report.html and report.pdf, and the other formats that are there, from the stored
    evidence and verdict; neither the data nor the metrics are needed. A signed folder is left alone
    if that would change a file of it.
    """
    from privgate.attest import altered_files, read_manifest
    from privgate.dossier import file_formats, is_drawn, require_free, write_dossier
    from privgate.evidence import RunEvidence
    from privgate.policy.verdict import Verdict
    from privgate.report import Audience, load_brand

    brand = load_brand(template, logo, logo_text=logo_alt)
    language = known_language(language)
    digests = read_manifest(folder).files
    kept = {name: digest for name, digest in digests.items() if not is_drawn(name)}
    # A fresh manifest must not vouch for a file that was altered.
    altered = list(altered_files(folder, kept))
    if altered:
        raise IntegrityError(altered)
    require_free(folder)
    stored = {name: (folder / name).read_bytes() for name in kept}
    try:
        evidence = RunEvidence.model_validate_json(stored["evidence.json"])
        verdict = Verdict.model_validate_json(stored["verdict.json"])
    except (KeyError, ValidationError) as cause:
        message = "evidence or verdict is not of this version of privgate"
        raise IntegrityError(Problem(message, file=str(folder))) from cause
    audience = Audience.INTERNAL if internal else Audience.SHAREABLE
    drawn = drawn_files(
        evidence,
        verdict,
        asked=None,
        audience=audience,
        language=language,
        stored=stored,
        brand=brand,
        also=file_formats(digests),
    )
    signatures = _signatures(folder, digests, drawn)
    say("the data are not at hand, so what is drawn is not searched for values of records")
    write_dossier(folder, {**stored, **drawn}, evidence, verdict, signatures=signatures)
    emit(f"written to {folder}")


def _signatures(
    folder: Path, digests: Mapping[str, str], drawn: Mapping[str, bytes]
) -> dict[str, bytes]:
    """Return the signatures of a folder, which must hold for what is drawn, too."""
    from hashlib import sha256

    from privgate.attest import ADDED
    from privgate.dossier import is_drawn

    names = sorted(name for name in ADDED if (folder / name).is_file())
    found = {name: sha256(content).hexdigest() for name, content in drawn.items()}
    reports = {name for name in digests if is_drawn(name)}
    changed = sorted(
        name for name in reports | found.keys() if found.get(name) != digests.get(name)
    )
    if names and changed:
        message = f"the folder is signed, and drawing again would change {', '.join(changed)}"
        remedy = f"copy the folder, take {' and '.join(names)} out of the copy and render that"
        raise InputError(Problem(message, file=str(folder / names[0]), remedy=remedy))
    return {name: (folder / name).read_bytes() for name in names}
