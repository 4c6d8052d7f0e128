"""``privgate verify``: whether a check, or its PDF alone, is still what it was."""

from __future__ import annotations

from datetime import UTC, datetime
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

    from privgate.attest import Signatures, Trust
    from privgate.attest.pades.signature import PdfSignature
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
    trust: Annotated[
        list[Path] | None,
        typer.Option(
            "--trust",
            metavar="FILE",
            help="Certificate (PEM or DER) that must vouch for the signature inside the PDF; may "
            "be repeated, then any of them.",
        ),
    ] = None,
    template: TemplateFolder = None,
    logo: LogoFile = None,
    logo_alt: LogoText = "",
) -> None:
    """Tell whether the files of a check are unaltered.

    All digests are computed anew and the stored evidence is judged again. Of a PDF, the attached
    evidence is judged again and the report is drawn again, in the look that was given to it. A
    signature inside a PDF must be intact, cover the whole file and, with --trust, be trusted today.

    Exit code: 0 if everything is as written, the verdict follows, every key has signed and the PDF
    is signed as --trust asks; 1 if not, 2 if folder, PDF, key or certificate cannot be used.
    """
    from privgate.attest import load_public_key
    from privgate.report import load_brand

    keys = [load_public_key(file) for file in key or ()]
    roots = _trusted(trust)
    if place.suffix.lower() == ".pdf" and place.is_file():
        brand = load_brand(template, logo, logo_text=logo_alt)
        _verify_pdf(place, keys, attestation, trust=roots, brand=brand)
    else:
        _verify_folder(place, keys, attestation, roots)


def _trusted(files: Sequence[Path] | None) -> Trust | None:
    """Return whom a verifier trusts today: by the clock, whatever SOURCE_DATE_EPOCH says."""
    from privgate.attest import Trust, load_roots

    return Trust(load_roots(files), datetime.now(UTC)) if files else None


def _verify_folder(
    folder: Path, keys: Sequence[Key], attestation: Path | None, trust: Trust | None
) -> None:
    from privgate.attest import verify_folder, verify_signatures, verify_signed_report
    from privgate.metrics import all_metrics

    manifest = verify_folder(folder, all_metrics())
    signatures = verify_signatures(folder, keys, attestation=attestation)
    inside = verify_signed_report(folder, trust=trust)
    waived = f", with waivers for {', '.join(manifest.waived)}" if manifest.waived else ""
    emit(
        f"{folder}: {len(manifest.files)} files are as written, and judging the evidence again "
        f"gives the same verdict: {manifest.outcome.replace('_', ' ')}{waived}"
    )
    _tell_signatures(signatures, inside)


def _verify_pdf(
    file: Path,
    keys: Sequence[Key],
    attestation: Path | None,
    *,
    trust: Trust | None,
    brand: Brand,
) -> None:
    from privgate.attest import verify_signed_file
    from privgate.attest.report_pdf import verify_pdf
    from privgate.metrics import all_metrics
    from privgate.report import redrawn_reports

    if keys and attestation is None:
        remedy = "name the attestation.dsse.json that belongs to the report"
        raise InputError(
            Problem("signatures by a key are not in the PDF", path="--attestation", remedy=remedy)
        )
    redraw = partial(redrawn_reports, brand=brand)
    found = verify_pdf(file, all_metrics(), redraw=redraw, trust=trust)
    signatures = (
        None
        if attestation is None
        else verify_signed_file(found.drawn, found.verdict, keys, attestation=attestation)
    )
    for line in found.sentences:
        emit(f"{file}: {line}")
    _tell_signatures(signatures, found.signature)


def _tell_signatures(signatures: Signatures | None, inside: PdfSignature | None) -> None:
    if signatures is None and inside is None:
        emit("signatures: none; whoever can write the files can write them all anew")
    for sentence in inside.sentences if inside else ():
        emit(sentence)
    if signatures is None:
        return
    for keyid in signatures.valid:
        emit(f"signature of key {keyid}: valid")
    for keyid in signatures.unchecked:
        emit(f"signature of key {keyid}: not checked; give its public key as --key")
