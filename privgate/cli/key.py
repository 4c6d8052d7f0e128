"""``privgate key``: key pairs for signatures."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from privgate.cli.console import emit
from privgate.cli.passphrases import new_passphrase

app = typer.Typer(no_args_is_help=True, help="Key pairs that sign checks and verify signatures.")


@app.callback()
def _key() -> None:
    """Keep `new` a command of its own, although it is the only one."""


@app.command("new")
def new(
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="Private key to write; FILE.pub is the public.")
    ],
    unprotected: Annotated[
        bool,
        typer.Option("--no-passphrase", help="Leave the private key unencrypted, for machines."),
    ] = False,
) -> None:
    """Write a new Ed25519 key pair.

    The passphrase is asked for, or taken from the variable PRIVGATE_KEY_PASSPHRASE. Existing files
    are left alone.

    Exit code: 0, or 2 if the files cannot be written.
    """
    from privgate.attest import new_key_pair

    key = new_key_pair(file, passphrase=None if unprotected else new_passphrase())
    emit(f"{file}: the private key{' (not encrypted)' if unprotected else ''}: keep it secret")
    emit(f"{file}.pub: the public key: give it to those who verify")
    emit(f"key {key.keyid}")
