"""Key pairs that sign and verify: PEM files, as privgate and OpenSSL write them."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey, RSAPublicKey
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
    load_pem_private_key,
    load_pem_public_key,
)
from securesystemslib.signer import CryptoSigner, SSlibKey

from privgate.errors import InputError, Problem

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from cryptography.hazmat.primitives.asymmetric.types import PrivateKeyTypes

SHORTEST_RSA = 2048  # bits; NIST SP 800-131A allows no shorter ones
_NEW_KEY = "make a pair with `privgate key new FILE`"


def new_key_pair(file: Path, *, passphrase: str | None) -> SSlibKey:
    """Return the public key of a fresh Ed25519 pair written to ``file`` and ``file``.pub.

    Parameters
    ----------
    passphrase
        Encrypts the private key; ``None`` writes it as it is, readable by its owner only.

    Raises
    ------
    InputError
        If one of the files exists, or cannot be written.
    """
    private = Ed25519PrivateKey.generate()
    secret = BestAvailableEncryption(passphrase.encode()) if passphrase else NoEncryption()
    public_file = file.with_name(f"{file.name}.pub")
    for path in (file, public_file):
        if path.exists():
            remedy = "name a new file; keys are never replaced"
            raise InputError(Problem("the file exists", file=str(path), remedy=remedy))
    pem = private.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, secret)
    _write_new(file, pem, mode=0o600)
    public_pem = private.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    _write_new(public_file, public_pem, mode=0o644)
    return SSlibKey.from_crypto(private.public_key())


def load_signer(file: Path, *, passphrase: Callable[[], str]) -> CryptoSigner:
    """Return what signs with the private key in a PEM file.

    Parameters
    ----------
    passphrase
        Called if the key is encrypted, and only then.

    Raises
    ------
    InputError
        If there is no such key in the file, or the passphrase is another.
    """
    private = load_private_key(file, passphrase)
    if isinstance(private, RSAPrivateKey):
        require_long(private.key_size, file)
    try:
        return CryptoSigner(private)
    except ValueError:
        raise _unfit(file) from None


def load_public_key(file: Path) -> SSlibKey:
    """Return the public key in a PEM file.

    Raises
    ------
    InputError
        If there is no such key in the file.
    """
    pem = read_key_file(file)
    if b"PRIVATE KEY" in pem:
        remedy = "give the public key, and keep this one to those who sign"
        raise InputError(Problem("this is a private key", file=str(file), remedy=remedy))
    try:
        public = load_pem_public_key(pem)
        key = SSlibKey.from_crypto(public)
    except (ValueError, TypeError, UnsupportedAlgorithm):
        raise _unfit(file) from None
    if isinstance(public, RSAPublicKey):
        require_long(public.key_size, file)
    return key


def load_private_key(
    file: Path, passphrase: Callable[[], str], *, remedy: str = _NEW_KEY
) -> PrivateKeyTypes:
    """Return the private key in a PEM file, of whatever kind.

    Raises
    ------
    InputError
        If there is none, with that remedy, or the passphrase is another.
    """
    pem = read_key_file(file)
    try:
        return load_pem_private_key(pem, password=None)
    except TypeError:  # encrypted
        pass
    except (ValueError, UnsupportedAlgorithm):
        raise _unfit(file, remedy) from None
    try:
        return load_pem_private_key(pem, password=passphrase().encode())
    except (ValueError, TypeError, UnsupportedAlgorithm):
        message = "the passphrase does not open this key"
        again = "try again, or name another key"
        raise InputError(Problem(message, file=str(file), remedy=again)) from None


def require_long(bits: int, file: Path, *, remedy: str = _NEW_KEY) -> None:
    """Return if an RSA key has enough bits to be trusted.

    Raises
    ------
    InputError
        If it has not.
    """
    if bits < SHORTEST_RSA:
        message = f"an RSA key of {bits} bits is too short to be trusted"
        raise InputError(Problem(message, file=str(file), remedy=remedy))


def read_key_file(file: Path) -> bytes:
    """Return what is in the file of a key or certificate.

    Raises
    ------
    InputError
        If it cannot be read.
    """
    try:
        return file.read_bytes()
    except OSError as cause:
        reason = f"the file cannot be read ({cause.strerror})"
        raise InputError(Problem(reason, file=str(file), remedy="check the path")) from None


def _unfit(file: Path, remedy: str = _NEW_KEY) -> InputError:
    message = "this holds no key of a kind that can be used here (Ed25519, ECDSA, RSA; PEM)"
    return InputError(Problem(message, file=str(file), remedy=remedy))


def _write_new(file: Path, content: bytes, *, mode: int) -> None:
    try:
        # Never over an existing file, and never readable by others even for a moment.
        number = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
        with os.fdopen(number, "wb") as opened:
            opened.write(content)
    except OSError as cause:
        reason = f"the key cannot be written ({cause.strerror})"
        raise InputError(Problem(reason, file=str(file), remedy="name a new file")) from None
