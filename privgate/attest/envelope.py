"""A signed statement in a file: a DSSE envelope that several people may sign.

Format: https://github.com/secure-systems-lab/dsse, ``payloadType`` as in-toto asks for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from pydantic import Field, ValidationError
from securesystemslib.dsse import Envelope
from securesystemslib.exceptions import FormatError, VerificationError

from privgate.attest.statement import Statement
from privgate.errors import InputError, IntegrityError, Problem
from privgate.evidence import Frozen, canonical_bytes, document

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from securesystemslib.signer import Key, Signer

ATTESTATION = "attestation.dsse.json"
PAYLOAD_TYPE = "application/vnd.in-toto+json"


class _Signature(Frozen):
    keyid: str
    sig: str


class _Envelope(Frozen):
    payload: str
    payload_type: Literal["application/vnd.in-toto+json"] = Field(alias="payloadType")
    signatures: tuple[_Signature, ...] = Field(min_length=1)


def sign_statement(statement: Statement, signer: Signer, *, earlier: Envelope | None) -> bytes:
    """Return the canonical bytes of an envelope with one signature more than ``earlier``.

    The bytes do not depend on who signed first.

    Raises
    ------
    IntegrityError
        If ``earlier`` holds another statement.
    """
    payload = canonical_bytes(statement)
    if earlier is not None and earlier.payload != payload:
        remedy = f"take {ATTESTATION} away and let everyone sign again"
        message = "the signatures that are there were given to other content"
        raise IntegrityError(Problem(message, file=ATTESTATION, remedy=remedy))
    envelope = earlier or Envelope(payload, PAYLOAD_TYPE, {})
    envelope.sign(signer)
    return _written(envelope)


def read_envelope(file: Path) -> tuple[Envelope, Statement]:
    """Return the envelope in a file and the statement in it; no signature is checked yet.

    Raises
    ------
    InputError
        If there is no such file.
    IntegrityError
        If the file is not as privgate writes it, or states something of another kind.
    """
    try:
        raw = file.read_bytes()
    except OSError as cause:
        reason = f"the attestation cannot be read ({cause.strerror})"
        raise InputError(Problem(reason, file=str(file), remedy="check the path")) from None
    try:
        shape = _Envelope.model_validate_json(raw)
        envelope = Envelope.from_dict(document(shape))
        statement = Statement.model_validate_json(envelope.payload)
    except (ValueError, ValidationError, FormatError):
        raise _altered(file) from None
    # Base64 and JSON can be written in several ways; only one of them is ours.
    if _written(envelope) != raw or canonical_bytes(statement) != envelope.payload:
        raise _altered(file)
    return envelope, statement


def signers_of(envelope: Envelope, keys: Sequence[Key], *, file: Path) -> tuple[str, ...]:
    """Return the ids of the keys, each of which signed; the empty tuple for no keys.

    Raises
    ------
    InputError
        If two of the keys are one: it could pass for two people.
    IntegrityError
        With every key that no valid signature is from.
    """
    ids = tuple(key.keyid for key in keys)
    if len({str(key.keyval) for key in keys}) != len(keys):
        remedy = "give each key once"
        raise InputError(Problem("two of the keys are the same", path="--key", remedy=remedy))
    problems = [
        Problem(f"no valid signature of key {key.keyid[:16]}… is on this content", file=str(file))
        for key in keys
        if not _is_signed_by(envelope, key)
    ]
    if problems:
        raise IntegrityError(problems)
    return ids


def _is_signed_by(envelope: Envelope, key: Key) -> bool:
    try:
        envelope.verify([key], 1)
    except VerificationError:
        return False
    return True


def _written(envelope: Envelope) -> bytes:
    content = envelope.to_dict()
    content["signatures"].sort(key=lambda signature: signature["keyid"])
    return canonical_bytes(content)


def _altered(file: Path) -> IntegrityError:
    message = "the attestation was altered, or is not one of privgate"
    return IntegrityError(Problem(message, file=str(file)))
