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
        Path, typer.Option("--key", metavar="FILE", help="Private key (PEM) to sign with.")
    ],
    out: Annotated[
        Path | None,
        typer.Option("--out", metavar="FILE", help="Where to write; default: into the folder."),
    ] = None,
) -> None:
    """Sign what a check found, after verifying it.

    Writes attestation.dsse.json. Who signs a folder that is signed already adds a signature.

    Exit code: 0 if it was signed, 1 if the folder does not hold, 2 if key or folder cannot be used.
    """
    from privgate.attest import ATTESTATION, attestation_of, load_signer
    from privgate.metrics import all_metrics

    file = folder / ATTESTATION if out is None else out
    if out is not None:
        _require_outside(out, folder)
    signer = load_signer(key, passphrase=known_passphrase)
    _replace(file, attestation_of(folder, signer, all_metrics()))
    emit(f"{file}: signed with key {signer.public_key.keyid}")
    if (folder / "records").is_dir():
        say(
            "warning: the folder holds scores of single rows, and of a small table their digest "
            "may tell them: keep the attestation in the house, or sign a check without --records"
        )


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
        reason = f"the attestation cannot be written ({cause.strerror})"
        remedy = "give --out a file you may write"
        raise InputError(Problem(reason, file=str(file), remedy=remedy)) from None
    finally:
        fresh.unlink(missing_ok=True)
