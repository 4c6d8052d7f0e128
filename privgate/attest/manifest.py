"""The manifest: a digest of every file of a check and of every input."""

from __future__ import annotations

import json
from hashlib import sha256
from typing import TYPE_CHECKING, Literal

from pydantic import Field, ValidationError

from privgate.errors import InputError, IntegrityError, Problem
from privgate.evidence import Frozen, JsonValue, TableName, canonical_bytes, digest, document

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from privgate.evidence import RunEvidence
    from privgate.policy.verdict import Verdict

MANIFEST = "manifest.json"


class Manifest(Frozen):
    """SHA-256 of the files beside it, of the tables' files, of the policy and of the waivers.

    ``published_sha256`` are those of the published tables, in the order of the release file, and
    are left out where it says nothing of any. ``waived`` names the blocking rules that waivers
    cover, without which ``outcome`` says little. ``self_sha256`` digests the manifest without that
    field. It shows accidental changes; only a signature shows deliberate ones.
    """

    schema_: Literal["privgate/manifest/v1"] = Field(default="privgate/manifest/v1", alias="schema")
    release: str
    outcome: str
    waived: tuple[str, ...] = ()
    files: dict[str, str]
    inputs: dict[TableName, str]
    policy_sha256: str
    waivers_sha256: str | None = None
    published_sha256: tuple[str, ...] | None = None
    self_sha256: str = ""

    @property
    def says_published(self) -> bool:
        """Return whether the release file says which tables of counts go out with the release."""
        return self.published_sha256 is not None


def published_digests(evidence: RunEvidence) -> tuple[str, ...] | None:
    """Return the digests of the published tables, ``None`` where nothing is said of any."""
    published = evidence.release.published
    return None if published is None else tuple(table.sha256 for table in published)


def manifest_bytes(files: Mapping[str, bytes], evidence: RunEvidence, verdict: Verdict) -> bytes:
    """Return the canonical bytes of the manifest of a folder's files."""
    manifest = Manifest(
        release=evidence.release.name,
        outcome=str(verdict.outcome),
        waived=verdict.waived,
        files={name: sha256(content).hexdigest() for name, content in sorted(files.items())},
        inputs={name: table.sha256 for name, table in evidence.release.tables.items()},
        policy_sha256=verdict.policy.sha256,
        waivers_sha256=verdict.waivers_file and verdict.waivers_file.sha256,
        published_sha256=published_digests(evidence),
    )
    unsaid = {"self_sha256"} | ({"published_sha256"} if not manifest.says_published else set())
    own = {key: value for key, value in document(manifest).items() if key not in unsaid}
    return canonical_bytes({**own, "self_sha256": digest(own)})


def read_manifest(folder: Path) -> Manifest:
    """Return the manifest of a folder.

    Raises
    ------
    InputError
        If the folder is not the output of a check.
    IntegrityError
        If the manifest is missing beside a verdict, unreadable, or not as it was written.
    """
    path = folder / MANIFEST
    try:
        raw = path.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        if any((folder / name).is_file() for name in ("evidence.json", "verdict.json")):
            raise IntegrityError(Problem("the manifest is missing", file=str(path))) from None
        message = "this is not the output folder of a check"
        if not folder.exists():
            message = "there is no such folder"
        remedy = "name the folder that `privgate check` wrote"
        raise InputError(Problem(message, file=str(folder), remedy=remedy)) from None
    except OSError as cause:
        reason = f"the manifest cannot be read ({cause.strerror})"
        raise IntegrityError(Problem(reason, file=str(path))) from None
    altered = Problem("the manifest was altered", file=str(path))
    try:
        content: dict[str, JsonValue] = json.loads(raw)
        manifest = Manifest.model_validate(content)
    except (ValueError, ValidationError) as cause:
        raise IntegrityError(altered) from cause
    own = {key: value for key, value in content.items() if key != "self_sha256"}
    if canonical_bytes(content) != raw or manifest.self_sha256 != digest(own):
        raise IntegrityError(altered)
    return manifest
