"""Whether the folder of a check is still what it was, and whether its verdict follows."""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING, Any

from privgate.attest.envelope import ATTESTATION
from privgate.attest.manifest import MANIFEST, published_digests, read_manifest
from privgate.attest.stored import open_check
from privgate.errors import InputError, IntegrityError, PolicyError, Problem

REPORT = "report.pdf"
SIGNED_REPORT = "report.signed.pdf"
# What is added to a finished folder; each shows by itself whether it belongs to it.
ADDED = frozenset({ATTESTATION, SIGNED_REPORT})

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from privgate.attest.manifest import Manifest
    from privgate.attest.stored import StoredCheck
    from privgate.metrics import Metric


def verify_folder(folder: Path, metrics: Mapping[str, Metric[Any]]) -> Manifest:
    """Return the manifest of a folder in which every byte is as written and the verdict follows.

    All digests are computed anew, and the stored evidence is judged again under the policy that
    the verdict carries, with the waivers that it carries, for the day of the run. Signatures are
    another matter: :func:`verify_signatures` and :func:`verify_signed_report`.

    Raises
    ------
    IntegrityError
        With every file that was altered, is missing or does not belong, and every figure of the
        verdict that does not follow from the evidence.
    """
    manifest = read_manifest(folder)
    problems = [*_file_problems(folder, manifest)]
    if not problems:
        problems += _verdict_problems(folder, manifest, metrics)
    if problems:
        raise IntegrityError(problems)
    return manifest


def altered_files(folder: Path, digests: Mapping[str, str]) -> Iterator[Problem]:
    """Yield every file that is missing or does not have its digest."""
    for name, expected in digests.items():
        path = folder / name
        if not path.is_file():
            yield Problem("the file is missing", file=str(path))
        elif sha256(path.read_bytes()).hexdigest() != expected:
            yield Problem("the file was altered: its digest is not the manifest's", file=str(path))


def _file_problems(folder: Path, manifest: Manifest) -> Iterator[Problem]:
    yield from altered_files(folder, manifest.files)
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        if path.is_file() and name not in {MANIFEST, *ADDED, *manifest.files}:
            yield Problem("the manifest does not know this file", file=str(path))


def _verdict_problems(
    folder: Path, manifest: Manifest, metrics: Mapping[str, Metric[Any]]
) -> Iterator[Problem]:
    files = {name: _content(folder / name) for name in ("evidence.json", "verdict.json")}
    try:
        stored = open_check(files, metrics, at=lambda name: {"file": str(folder / name)})
        again = stored.judged_again
    except (PolicyError, IntegrityError) as cause:
        yield from cause.problems
        return
    evidence, verdict = stored.evidence, stored.verdict
    verdict_file = str(folder / "verdict.json")
    if verdict.evidence_sha256 != stored.evidence_sha256:
        yield Problem("the verdict is about other evidence", file=verdict_file)
    if again.policy != verdict.policy:
        yield Problem("the policy is not the one that the verdict names", file=verdict_file)
    elif again != verdict:
        yield Problem("judging the evidence again gives another verdict", file=verdict_file)
    tables = {name: table.sha256 for name, table in evidence.release.tables.items()}
    waivers_sha256 = verdict.waivers_file and verdict.waivers_file.sha256
    published = published_digests(evidence)
    stated = (manifest.inputs, manifest.policy_sha256, manifest.waivers_sha256)
    inputs = (*stated, manifest.published_sha256)
    if inputs != (tables, verdict.policy.sha256, waivers_sha256, published):
        yield Problem("the manifest names other inputs", file=str(folder / MANIFEST))
    if (manifest.outcome, manifest.waived) != (verdict.outcome, verdict.waived):
        yield Problem("the manifest states another outcome", file=str(folder / MANIFEST))


def _content(path: Path) -> bytes:
    """Return what is in a file, nothing if it cannot be read: nothing is no document either."""
    try:
        return path.read_bytes()
    except OSError:
        return b""


def open_folder(folder: Path, metrics: Mapping[str, Metric[Any]]) -> StoredCheck:
    """Return the check of a folder in which every byte is as written and the verdict follows.

    Raises
    ------
    InputError
        If the folder is not such a check: whoever wants to use it, not to verify it, cannot.
    """
    try:
        manifest = verify_folder(folder, metrics)
        files = {name: _content(folder / name) for name in ("evidence.json", "verdict.json")}
        stored = open_check(files, metrics, at=lambda name: {"file": str(folder / name)})
    except (IntegrityError, PolicyError) as cause:
        raise InputError(cause.problems) from cause
    read = {"evidence.json": stored.evidence_sha256, "verdict.json": stored.verdict_sha256}
    if any(manifest.files[name] != digest for name, digest in read.items()):
        message = "the files change while they are read"
        raise InputError(Problem(message, file=str(folder), remedy="try again"))
    return stored
