"""``privgate verify``: whether a check, or its PDF alone, is still what it was."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from privgate.cli.console import emit
from privgate.cli.files import LogoFile, LogoText, TemplateFolder
from privgate.errors import InputError, Problem

if TYPE_CHECKING:
    from collections.abc import Sequence

    from securesystemslib.signer import Key

    from privgate.attest import Signatures
    from privgate.report import Brand


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command("verify")(verify)


def verify(
    place: Annotated[
        Path, typer.Argument(metavar="DIR", help="Output folder of a check, or its PDF report.")
    ],
    key: Annotated[
        list[Path] | None,
        typer.Option(
            "--key", metavar="FILE", help="Public key (PEM) that must have signed; may be repeated."
        ),
    ] = None,
    attestation: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Where the signatures are, if not in the folder."),
    ] = None,
    template: TemplateFolder = None,
    logo: LogoFile = None,
    logo_alt: LogoText = "",
) -> None:
    """Tell whether the files of a check are unaltered.

    All digests are computed anew and the stored evidence is judged again. Of a PDF, the attached
    evidence is judged again and the report is drawn again, in the look that was given to it.

    Exit code: 0 if everything is as written, the verdict follows and every key has signed; 1 if
    not, 2 if folder, PDF or key cannot be used.
    """
    from privgate.attest import load_public_key
    from privgate.report import load_brand

    keys = [load_public_key(file) for file in key or ()]
    if place.suffix.lower() == ".pdf" and place.is_file():
        _verify_pdf(place, keys, attestation, load_brand(template, logo, logo_text=logo_alt))
    else:
        _verify_folder(place, keys, attestation)


def _verify_folder(folder: Path, keys: Sequence[Key], attestation: Path | None) -> None:
    from privgate.attest import verify_folder, verify_signatures
    from privgate.metrics import all_metrics

    manifest = verify_folder(folder, all_metrics())
    signatures = verify_signatures(folder, keys, attestation=attestation)
    waived = f", with waivers for {', '.join(manifest.waived)}" if manifest.waived else ""
    emit(
        f"{folder}: {len(manifest.files)} files are as written, and judging the evidence again "
        f"gives the same verdict: {manifest.outcome.replace('_', ' ')}{waived}"
    )
    _tell_signatures(signatures)


def _verify_pdf(file: Path, keys: Sequence[Key], attestation: Path | None, brand: Brand) -> None:
    from privgate.attest import verify_signed_file
    from privgate.attest.report_pdf import verify_pdf
    from privgate.metrics import all_metrics
    from privgate.report import redrawn_reports

    if keys and attestation is None:
        remedy = "name the attestation.dsse.json that belongs to the report"
        raise InputError(
            Problem("signatures are not in the PDF", path="--attestation", remedy=remedy)
        )
    found = verify_pdf(file, all_metrics(), redraw=partial(redrawn_reports, brand=brand))
    signatures = (
        None
        if attestation is None
        else verify_signed_file(file.read_bytes(), found.verdict, keys, attestation=attestation)
    )
    for line in found.sentences:
        emit(f"{file}: {line}")
    _tell_signatures(signatures)


def _tell_signatures(signatures: Signatures | None) -> None:
    if signatures is None:
        emit("signatures: none; whoever can write the files can write them all anew")
        return
    for keyid in signatures.valid:
        emit(f"signature of key {keyid}: valid")
    for keyid in signatures.unchecked:
        emit(f"signature of key {keyid}: not checked; give its public key as --key")
