"""Signing the folder of a check, and whether its signatures hold."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from privgate.attest.envelope import ATTESTATION, read_envelope, sign_statement, signers_of
from privgate.attest.manifest import MANIFEST, read_manifest
from privgate.attest.statement import Statement, result_of, state
from privgate.attest.verify import verify_folder
from privgate.errors import IntegrityError, Problem
from privgate.evidence import RunEvidence
from privgate.policy.verdict import Verdict

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from securesystemslib.signer import Key, Signer

    from privgate.metrics import Metric


@dataclass(frozen=True)
class Signatures:
    """Which of the keys asked for signed, and who else claims to have.

    ``unchecked`` holds the ids of signatures for which no key was given: they show nothing yet.
    """

    valid: tuple[str, ...]
    unchecked: tuple[str, ...]
    statement: Statement


def attestation_of(folder: Path, signer: Signer, metrics: Mapping[str, Metric[Any]]) -> bytes:
    """Return the attestation of a folder with one more signature, for a file in it or elsewhere.

    The folder is verified first: nobody signs what does not hold.

    Raises
    ------
    IntegrityError
        If the folder does not hold, or its earlier signatures were given to other content.
    """
    verify_folder(folder, metrics)
    file = folder / ATTESTATION
    earlier = read_envelope(file)[0] if file.exists() else None
    return sign_statement(statement_of(folder), signer, earlier=earlier)


def statement_of(folder: Path) -> Statement:
    """Return what a signature states about a folder that was verified."""
    return state(
        read_manifest(folder),
        sha256((folder / MANIFEST).read_bytes()).hexdigest(),
        RunEvidence.model_validate_json((folder / "evidence.json").read_bytes()),
        Verdict.model_validate_json((folder / "verdict.json").read_bytes()),
    )


def verify_signatures(
    folder: Path, keys: Sequence[Key], *, attestation: Path | None = None
) -> Signatures | None:
    """Return the signatures of a verified folder; ``None`` if there are none and no key was given.

    Parameters
    ----------
    keys
        Public keys, each of which must have signed.
    attestation
        Where the signatures are, if not in the folder.

    Raises
    ------
    IntegrityError
        If the attestation is missing or altered, states something else than the folder holds, or
        lacks a valid signature of one of the keys.
    """
    file = attestation or folder / ATTESTATION
    if attestation is None and not file.exists():
        if keys:
            raise IntegrityError(Problem("the folder is not signed", file=str(folder)))
        return None
    envelope, statement = read_envelope(file)
    valid = signers_of(envelope, keys, file=file)
    problems = tuple(_differences(statement, statement_of(folder), file))
    if problems:
        raise IntegrityError(problems)
    return Signatures(valid, _others(envelope.signatures, valid), statement)


def verify_signed_file(
    content: bytes, verdict: Verdict, keys: Sequence[Key], *, attestation: Path
) -> Signatures:
    """Return the signatures on one file of a check, such as its PDF, away from its folder.

    Raises
    ------
    IntegrityError
        If the attestation is about no such file, evidence, policy or outcome, or lacks a valid
        signature of one of the keys.
    """
    envelope, statement = read_envelope(attestation)
    valid = signers_of(envelope, keys, file=attestation)
    summary, file = statement.predicate, str(attestation)
    problems = []
    if sha256(content).hexdigest() not in statement.digests.values():
        problems.append(Problem("the signatures are about other files", file=file))
    evidence = {item.digest.sha256 for item in summary.input_attestations}
    if evidence != {verdict.evidence_sha256}:
        problems.append(Problem("the signatures are about other evidence", file=file))
    if summary.policy.digest.sha256 != verdict.policy.sha256:
        problems.append(Problem("the signatures are about another policy", file=file))
    if summary.verification_result != result_of(verdict):
        problems.append(Problem("the signatures state another outcome", file=file))
    if problems:
        raise IntegrityError(problems)
    return Signatures(valid, _others(envelope.signatures, valid), statement)


def _others(signatures: Mapping[str, object], valid: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(sorted(set(signatures) - set(valid)))


def _differences(stated: Statement, found: Statement, file: Path) -> Iterator[Problem]:
    """Yield how a statement differs from what the folder holds."""
    if stated == found:
        return
    before, after = stated.digests, found.digests
    names = sorted(before.keys() | after.keys())
    differing = [name for name in names if before.get(name) != after.get(name)]
    for name in differing:
        yield Problem(f"the signatures were given to other content of {name}", file=str(file))
    if stated.predicate.policy != found.predicate.policy:
        yield Problem("the signatures are about another policy", file=str(file))
    if stated.predicate.verification_result != found.predicate.verification_result:
        yield Problem("the signatures state another outcome", file=str(file))
    if not differing:
        yield Problem("the signatures state something else than the folder holds", file=str(file))
