"""What a signature states: an in-toto statement with a SLSA verification summary.

Formats: https://in-toto.io/Statement/v1 and https://slsa.dev/verification_summary/v1.
"""

from __future__ import annotations

from base64 import urlsafe_b64encode
from typing import TYPE_CHECKING, Literal

from pydantic import Field

from privgate.attest.manifest import MANIFEST, Manifest
from privgate.evidence import Frozen
from privgate.policy.verdict import Outcome

if TYPE_CHECKING:
    from privgate.evidence import JsonValue, RunEvidence
    from privgate.policy.verdict import Verdict

STATEMENT_TYPE = "https://in-toto.io/Statement/v1"
SUMMARY_TYPE = "https://slsa.dev/verification_summary/v1"
VERIFIER = "pkg:pypi/privgate"


class Digests(Frozen):
    """Digests of one thing by algorithm."""

    sha256: str = Field(pattern="^[0-9a-f]{64}$")


class Subject(Frozen):
    """A file that the statement is about."""

    name: str
    digest: Digests


class Resource(Frozen):
    """Something the verification rested on, named by its digest."""

    uri: str
    name: str | None = None
    digest: Digests


class Verifier(Frozen):
    """What judged."""

    id: str
    version: dict[str, str]


class Summary(Frozen):
    """What was judged, under which policy, and what came out."""

    verifier: Verifier
    time_verified: str = Field(alias="timeVerified")
    resource_uri: str = Field(alias="resourceUri")
    policy: Resource
    input_attestations: tuple[Resource, ...] = Field(alias="inputAttestations")
    verification_result: Literal["PASSED", "FAILED"] = Field(alias="verificationResult")
    verified_levels: tuple[str, ...] = Field(alias="verifiedLevels")


class Statement(Frozen):
    """Subjects and what is stated about them."""

    type_: Literal["https://in-toto.io/Statement/v1"] = Field(alias="_type")
    subject: tuple[Subject, ...] = Field(min_length=1)
    predicate_type: Literal["https://slsa.dev/verification_summary/v1"] = Field(
        alias="predicateType"
    )
    predicate: Summary

    @property
    def digests(self) -> dict[str, str]:
        """Return the SHA-256 of every subject by name."""
        return {subject.name: subject.digest.sha256 for subject in self.subject}


def state(
    manifest: Manifest, manifest_sha256: str, evidence: RunEvidence, verdict: Verdict
) -> Statement:
    """Return the statement about a folder: the same whoever makes it, and whenever.

    Subjects are the synthetic file, every file of the manifest and the manifest. Only *met* is
    PASSED; *not assessed* is FAILED like *violated*. ``timeVerified`` is the time of the run.
    """
    synthetic = evidence.release.tables["synthetic"]
    digests = {
        **manifest.files,
        MANIFEST: manifest_sha256,
        f"synthetic/{synthetic.file}": synthetic.sha256,
    }
    tool, _, version = evidence.run.tool.rpartition(" ")
    policy = verdict.policy
    content: dict[str, JsonValue] = {
        "_type": STATEMENT_TYPE,
        "subject": [_described(name, digest) for name, digest in sorted(digests.items())],
        "predicateType": SUMMARY_TYPE,
        "predicate": {
            "verifier": {"id": VERIFIER, "version": {tool or "privgate": version}},
            "timeVerified": evidence.run.created.isoformat().replace("+00:00", "Z"),
            "resourceUri": hash_uri(synthetic.sha256),
            "policy": _resource(f"{policy.id} {policy.version}", policy.sha256),
            "inputAttestations": [_resource("evidence.json", verdict.evidence_sha256)],
            "verificationResult": result_of(verdict),
            "verifiedLevels": [_level_of(verdict)],
        },
    }
    return Statement.model_validate(content)


def result_of(verdict: Verdict) -> Literal["PASSED", "FAILED"]:
    """Return PASSED for *met* and FAILED for everything else."""
    return "PASSED" if verdict.outcome is Outcome.MET else "FAILED"


def hash_uri(digest: str) -> str:
    """Return the URI that names content by its SHA-256 (RFC 6920).

    Examples
    --------
    >>> from hashlib import sha256
    >>> hash_uri(sha256(b"Hello World!").hexdigest())
    'ni:///sha-256;f4OxZX_x_FO5LcGBSKHWXfwtSx-j1ncoSt3SABJtkGk'
    """
    value = urlsafe_b64encode(bytes.fromhex(digest)).decode().rstrip("=")
    return f"ni:///sha-256;{value}"


def _level_of(verdict: Verdict) -> str:
    if result_of(verdict) == "FAILED":
        return "FAILED"
    return "PRIVGATE_POLICY_MET_WITH_WAIVERS" if verdict.waived else "PRIVGATE_POLICY_MET"


def _described(name: str, digest: str) -> JsonValue:
    return {"name": name, "digest": {"sha256": digest}}


def _resource(name: str, digest: str) -> JsonValue:
    return {"uri": hash_uri(digest), "name": name, "digest": {"sha256": digest}}
