"""``privgate sign``: sign what a check found."""

from __future__ import annotations

import secrets
from pathlib import Path
from typing import Annotated

import typer

from privgate.cli.console import emit, say
from privgate.cli.passphrases import known_passphrase
from privgate.errors import InputError, Problem


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command("sign")(sign)


def sign(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Output folder of a check.")],
    key: Annotated[
        Path | None,
        typer.Option("--key", metavar="FILE", help="Private key (PEM) to sign the folder with."),
    ] = None,
    certificate: Annotated[
        Path | None,
        typer.Option(
            "--pdf-certificate",
            metavar="FILE",
            help="Certificate and key to sign the PDF report with: PKCS #12 or PEM.",
        ),
    ] = None,
    certificate_key: Annotated[
        Path | None,
        typer.Option(
            "--pdf-key",
            metavar="FILE",
            help="The certificate's private key, if in a PEM of its own.",
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", metavar="FILE", help="Where to write; default: into the folder."),
    ] = None,
) -> None:
    """Sign what a check found, after verifying it.

    --key writes attestation.dsse.json, a signature on the whole folder; who signs a folder that is
    signed already adds a signature. --pdf-certificate writes report.signed.pdf, the report with a
    PAdES signature inside it.

    Exit code: 0 if it was signed, 1 if the folder does not hold, 2 if key, certificate or folder
    cannot be used.
    """
    if (key is None) == (certificate is None):
        remedy = "give --key for the folder or --pdf-certificate for the PDF, one for each call"
        message = "a folder is signed by a key, its PDF by a certificate"
        raise InputError(Problem(message, path="--key", remedy=remedy))
    if out is not None:
        _require_outside(out, folder)
    if key is not None:
        if certificate_key is not None:
            remedy = "give the certificate as --pdf-certificate"
            raise InputError(Problem("a certificate is missing", path="--pdf-key", remedy=remedy))
        _sign_folder(folder, key, out)
    elif certificate is not None:
        _sign_pdf(folder, certificate, certificate_key, out)


def _sign_folder(folder: Path, key: Path, out: Path | None) -> None:
    from privgate.attest import ATTESTATION, attestation_of, load_signer
    from privgate.metrics import all_metrics

    file = folder / ATTESTATION if out is None else out
    signer = load_signer(key, passphrase=known_passphrase)
    _replace(file, attestation_of(folder, signer, all_metrics()))
    emit(f"{file}: signed with key {signer.public_key.keyid}")
    if (folder / "records").is_dir():
        say(
            "warning: the folder holds scores of single rows, and of a small table their digest "
            "may tell them: keep the attestation in the house, or sign a check without --records"
        )


def _sign_pdf(folder: Path, certificate: Path, key: Path | None, out: Path | None) -> None:
    from privgate.attest import SIGNED_REPORT, load_identity, require_fit, signed_report
    from privgate.attest.certificates import shown_name
    from privgate.attest.pades import require_pyhanko
    from privgate.engine.clock import now
    from privgate.metrics import all_metrics

    require_pyhanko()
    file = folder / SIGNED_REPORT if out is None else out
    if file.exists():
        remedy = "take it away to sign again, or give --out; a PDF holds one signature"
        raise InputError(Problem("a signed PDF is there already", file=str(file), remedy=remedy))
    identity = load_identity(certificate, key, passphrase=known_passphrase)
    moment = now()
    require_fit(identity, certificate, moment)
    _replace(file, signed_report(folder, identity, all_metrics(), moment=moment))
    emit(f"{file}: signed by {shown_name(identity.certificate)}")


def _require_outside(out: Path, folder: Path) -> None:
    if out.exists():
        raise InputError(Problem("the file exists", file=str(out), remedy="name a new file"))
    if folder.resolve() in out.resolve().parents:
        remedy = "leave --out away, or name a file elsewhere"
        message = "this lies in the folder, whose manifest does not know it"
        raise InputError(Problem(message, file=str(out), remedy=remedy))


def _replace(file: Path, content: bytes) -> None:
    """Write a file whole or not at all: a torn attestation would hide those who signed before."""
    fresh = file.with_name(f".{file.name}-{secrets.token_hex(8)}")
    try:
        fresh.write_bytes(content)
        fresh.replace(file)
    except OSError as cause:
        reason = f"the signature cannot be written ({cause.strerror})"
        remedy = "give --out a file you may write"
        raise InputError(Problem(reason, file=str(file), remedy=remedy)) from None
    finally:
        fresh.unlink(missing_ok=True)
