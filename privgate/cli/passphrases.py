"""Where the passphrase of a key comes from: the environment, or a prompt that shows nothing."""

from __future__ import annotations

import os
import sys

import typer

from privgate.errors import InputError, Problem

VARIABLE = "PRIVGATE_KEY_PASSPHRASE"


def known_passphrase() -> str:
    """Return the passphrase of an existing key.

    Raises
    ------
    InputError
        If neither the environment nor a person can tell it.
    """
    return os.environ.get(VARIABLE) or _asked(confirm=False)


def new_passphrase() -> str:
    """Return a passphrase for a new key, typed twice if it is typed.

    Raises
    ------
    InputError
        If neither the environment nor a person can tell it.
    """
    return os.environ.get(VARIABLE) or _asked(confirm=True)


def _asked(*, confirm: bool) -> str:
    if not sys.stdin.isatty():
        remedy = f"set {VARIABLE}, or run the command on a terminal"
        raise InputError(Problem("the key needs a passphrase", remedy=remedy))
    answer: str = typer.prompt("Passphrase", hide_input=True, confirmation_prompt=confirm, err=True)
    return answer
