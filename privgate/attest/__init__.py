"""The folder of a check as evidence: manifest and signatures, and whether they still hold."""

from privgate.attest.certificates import Trust, load_identity, load_roots, require_fit
from privgate.attest.envelope import ATTESTATION
from privgate.attest.keys import load_public_key, load_signer, new_key_pair
from privgate.attest.manifest import MANIFEST, Manifest, manifest_bytes, read_manifest
from privgate.attest.signed_report import signed_report, verify_signed_report
from privgate.attest.signing import (
    Signatures,
    attestation_of,
    verify_signatures,
    verify_signed_file,
)
from privgate.attest.stored import StoredCheck
from privgate.attest.verify import ADDED, SIGNED_REPORT, altered_files, open_folder, verify_folder

__all__ = [
    "ADDED",
    "ATTESTATION",
    "MANIFEST",
    "SIGNED_REPORT",
    "Manifest",
    "Signatures",
    "StoredCheck",
    "Trust",
    "altered_files",
    "attestation_of",
    "load_identity",
    "load_public_key",
    "load_roots",
    "load_signer",
    "manifest_bytes",
    "new_key_pair",
    "open_folder",
    "read_manifest",
    "require_fit",
    "signed_report",
    "verify_folder",
    "verify_signatures",
    "verify_signed_file",
    "verify_signed_report",
]
