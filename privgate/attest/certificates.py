"""Who signs a PDF, and whom a verifier trusts: X.509 certificates from PEM, DER and PKCS #12."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ec import (
    SECP256R1,
    SECP384R1,
    SECP521R1,
    EllipticCurvePrivateKey,
)
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey
from cryptography.hazmat.primitives.serialization.pkcs12 import load_pkcs12
from cryptography.x509 import (
    Certificate,
    DuplicateExtension,
    ExtendedKeyUsage,
    ExtensionNotFound,
    InvalidVersion,
    KeyUsage,
    ObjectIdentifier,
    UnsupportedGeneralNameType,
    load_der_x509_certificate,
    load_pem_x509_certificates,
)

from privgate.attest.keys import load_private_key, read_key_file, require_long
from privgate.errors import InputError, Problem

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from datetime import datetime
    from pathlib import Path

    from cryptography.hazmat.primitives.asymmetric.types import PrivateKeyTypes
    from cryptography.hazmat.primitives.serialization.pkcs12 import PKCS12KeyAndCertificates

    SigningKey = RSAPrivateKey | EllipticCurvePrivateKey

_CURVES = (SECP256R1, SECP384R1, SECP521R1)
# Purposes under which documents are signed: RFC 9336, RFC 5280, Microsoft's and Adobe's of old.
_DOCUMENTS = {
    ObjectIdentifier("1.3.6.1.5.5.7.3.36"),
    ObjectIdentifier("1.3.6.1.5.5.7.3.4"),
    ObjectIdentifier("2.5.29.37.0"),
    ObjectIdentifier("1.3.6.1.4.1.311.10.3.12"),
    ObjectIdentifier("1.2.840.113583.1.1.5"),
}
# What cryptography raises where a certificate or key is not as it should be.
MALFORMED = (
    *(ValueError, TypeError, UnsupportedAlgorithm, InvalidVersion),
    *(DuplicateExtension, UnsupportedGeneralNameType),
)
_REMEDY = "give a PKCS #12 file (.p12, .pfx), or a certificate in PEM and its key as --pdf-key"


@dataclass(frozen=True)
class Identity:
    """A certificate, its private key, and those who vouch for it up to a root, which is left out.

    A verifier has the root, and nothing would show that a byte of one in a signature was altered.
    """

    certificate: Certificate
    key: SigningKey
    above: tuple[Certificate, ...]


@dataclass(frozen=True)
class Trust:
    """Whom a verifier trusts, and the moment at which certificates must be valid."""

    roots: tuple[Certificate, ...]
    moment: datetime


def load_identity(
    file: Path, key: Path | None = None, *, passphrase: Callable[[], str]
) -> Identity:
    """Return who signs a PDF.

    Parameters
    ----------
    file
        PKCS #12, or PEM with the certificate and those above it.
    key
        PEM file with the private key, if ``file`` does not hold it.
    passphrase
        Called if the key is encrypted, and only then.

    Raises
    ------
    InputError
        If certificate and key are not there, do not belong together or are of no use in a PDF, or
        the passphrase is another.
    """
    content = read_key_file(file)
    if b"-----BEGIN" in content:
        private = load_private_key(_key_file(file, key, content), passphrase, remedy=_REMEDY)
        certificates = _pem_certificates(content, file)
    else:
        if key is not None:
            raise _unusable(file, "with --pdf-key, the certificate must be PEM")
        private, certificates = _from_pkcs12(content, file, passphrase)
    own = _usable_key(private, file)
    mine = next((it for it in certificates if _belongs(it, own)), None)
    if mine is None:
        raise _unusable(file, "no certificate here belongs to the private key")
    above = [it for it in issuers(mine, certificates) if it.issuer != it.subject]
    return Identity(mine, own, tuple(above))


def load_roots(files: Iterable[Path]) -> tuple[Certificate, ...]:
    """Return the certificates in files, PEM or DER, that a verifier trusts.

    Raises
    ------
    InputError
        If one of the files holds none.
    """
    return tuple(certificate for file in files for certificate in _certificates(file))


def issuers(certificate: Certificate, among: Iterable[Certificate]) -> tuple[Certificate, ...]:
    """Return who issued a certificate, who issued that one's, and so on; signatures are checked."""
    rest = [it for it in among if it != certificate]
    chain: list[Certificate] = []
    below = certificate
    while (issuer := next((it for it in rest if _issued(it, below)), None)) is not None:
        rest.remove(issuer)
        chain.append(issuer)
        below = issuer
    return tuple(chain)


def unfitness(certificate: Certificate, moment: datetime) -> str | None:
    """Return why a certificate cannot stand for a signed document at a moment, if so."""
    return untimely(certificate, moment) or _misuse(certificate)


def untimely(certificate: Certificate, moment: datetime) -> str | None:
    """Return in which way a certificate is not valid at a moment, if it is not."""
    if moment < certificate.not_valid_before_utc:
        return f"is not valid before {certificate.not_valid_before_utc:%Y-%m-%d %H:%M} UTC"
    if moment > certificate.not_valid_after_utc:
        return f"expired on {certificate.not_valid_after_utc:%Y-%m-%d %H:%M} UTC"
    return None


def shown_name(certificate: Certificate) -> str:
    """Return the subject of a certificate, without signs that could turn a line around."""
    name = certificate.subject.rfc4514_string()
    return "".join(sign if sign.isprintable() else repr(sign)[1:-1] for sign in name)


def require_fit(identity: Identity, file: Path, moment: datetime) -> None:
    """Return if a signature by this certificate would count at that moment.

    Raises
    ------
    InputError
        If it would not.
    """
    reason = unfitness(identity.certificate, moment)
    if reason is not None:
        remedy = "sign with another certificate"
        raise InputError(Problem(f"the certificate {reason}", file=str(file), remedy=remedy))


def _misuse(certificate: Certificate) -> str | None:
    """Return what else a certificate was issued for, if not for documents."""
    extensions = certificate.extensions
    try:
        usage = extensions.get_extension_for_class(KeyUsage).value
    except ExtensionNotFound:
        pass
    else:
        if not (usage.digital_signature or usage.content_commitment):
            return "was not issued for signatures (key usage)"
    try:
        purposes = extensions.get_extension_for_class(ExtendedKeyUsage).value
    except ExtensionNotFound:
        return None
    if _DOCUMENTS.isdisjoint(purposes):
        return "was issued for other purposes than documents (extended key usage)"
    return None


def _key_file(file: Path, key: Path | None, content: bytes) -> Path:
    if key is not None:
        return key
    if b"PRIVATE KEY" in content:
        return file
    raise InputError(
        Problem("the certificate comes without its key", file=str(file), remedy=_REMEDY)
    )


def _from_pkcs12(
    content: bytes, file: Path, passphrase: Callable[[], str]
) -> tuple[PrivateKeyTypes, list[Certificate]]:
    bundle = _opened(content, file, passphrase)
    if bundle.key is None or bundle.cert is None:
        raise _unusable(file, "the file lacks a private key or its certificate")
    above = [entry.certificate for entry in bundle.additional_certs]
    return bundle.key, [bundle.cert.certificate, *above]


def _opened(content: bytes, file: Path, passphrase: Callable[[], str]) -> PKCS12KeyAndCertificates:
    # A PFX begins with its version, 3; anything else is no matter of the passphrase.
    if b"\x02\x01\x03" not in content[:12]:
        raise _unusable(file, "this is neither PKCS #12 nor PEM")
    for unprotected in (None, b""):
        try:
            return load_pkcs12(content, unprotected)
        except MALFORMED:
            continue
    try:
        return load_pkcs12(content, passphrase().encode())
    except MALFORMED:
        message = "the passphrase does not open this file, or the file is damaged"
        raise _unusable(file, message, remedy="try again, or name another file") from None


def _usable_key(private: PrivateKeyTypes, file: Path) -> SigningKey:
    if isinstance(private, RSAPrivateKey):
        require_long(private.key_size, file, remedy="sign with another certificate")
        return private
    if isinstance(private, EllipticCurvePrivateKey) and isinstance(private.curve, _CURVES):
        return private
    message = "PDF signatures need a key of the kind RSA or ECDSA (P-256, P-384, P-521)"
    raise _unusable(file, message, remedy="sign with another certificate")


def _belongs(certificate: Certificate, key: SigningKey) -> bool:
    try:
        return certificate.public_key() == key.public_key()
    except MALFORMED:  # a key of a kind that is not known here
        return False


def _issued(issuer: Certificate, below: Certificate) -> bool:
    try:
        below.verify_directly_issued_by(issuer)
    except (*MALFORMED, InvalidSignature):
        return False
    return True


def _certificates(file: Path) -> list[Certificate]:
    content = read_key_file(file)
    if b"-----BEGIN" in content:
        return _pem_certificates(content, file)
    try:
        return [load_der_x509_certificate(content)]
    except MALFORMED:
        remedy = "give the certificate of a root in PEM or DER form"
        raise _unusable(file, "this holds no certificate", remedy=remedy) from None


def _pem_certificates(content: bytes, file: Path) -> list[Certificate]:
    try:
        return load_pem_x509_certificates(content)
    except MALFORMED:
        remedy = "give a file that begins with BEGIN CERTIFICATE"
        raise _unusable(file, "this holds no certificate", remedy=remedy) from None


def _unusable(file: Path, message: str, *, remedy: str = _REMEDY) -> InputError:
    return InputError(Problem(message, file=str(file), remedy=remedy))
