"""The check of the last release, to tell what changed since."""

from __future__ import annotations

from typing import TYPE_CHECKING

from privgate.evidence import canonical_bytes, digest
from privgate.policy import compare_policies
from privgate.report import BASELINE, baseline_facts

if TYPE_CHECKING:
    from privgate.attest import StoredCheck
    from privgate.evidence import RunEvidence
    from privgate.policy import BoundPolicy


def baseline_file(
    earlier: StoredCheck | None, policy: BoundPolicy, evidence: RunEvidence
) -> dict[str, bytes]:
    """Return baseline.json, if there is an earlier check: what it found, as far as may be shown."""
    if earlier is None:
        return {}
    facts = baseline_facts(
        earlier.evidence,
        earlier.verdict,
        compare_policies(earlier.policy, policy),
        digests=(earlier.evidence_sha256, earlier.verdict_sha256),
        of_evidence_sha256=digest(evidence),
    )
    return {BASELINE: canonical_bytes(facts)}
