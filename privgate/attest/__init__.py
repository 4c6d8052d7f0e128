"""The folder of a check as evidence: its manifest, and whether it still holds."""

from privgate.attest.manifest import MANIFEST, Manifest, manifest_bytes, read_manifest
from privgate.attest.verify import altered_files, verify_folder

__all__ = [
    "MANIFEST",
    "Manifest",
    "altered_files",
    "manifest_bytes",
    "read_manifest",
    "verify_folder",
]
