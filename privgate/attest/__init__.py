"""The folder of a check as evidence: manifest and signatures, and whether they still hold."""

from privgate.attest.envelope import ATTESTATION
from privgate.attest.keys import load_public_key, load_signer, new_key_pair
from privgate.attest.manifest import MANIFEST, Manifest, manifest_bytes, read_manifest
from privgate.attest.signing import (
    Signatures,
    attestation_of,
    verify_signatures,
    verify_signed_file,
)
from privgate.attest.verify import altered_files, verify_folder

__all__ = [
    "ATTESTATION",
    "MANIFEST",
    "Manifest",
    "Signatures",
    "altered_files",
    "attestation_of",
    "load_public_key",
    "load_signer",
    "manifest_bytes",
    "new_key_pair",
    "read_manifest",
    "verify_folder",
    "verify_signatures",
    "verify_signed_file",
]
