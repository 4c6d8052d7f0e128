"""What people should hear before a run, since it changes what its verdict is worth."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from privgate.engine.clock import now
from privgate.policy import Level, lint, lint_waivers

if TYPE_CHECKING:
    from collections.abc import Iterator

    from privgate.data import Release
    from privgate.policy import BoundPolicy, Waivers


def of_policy(policy: BoundPolicy) -> Iterator[str]:
    """Yield what makes a policy unfit to be relied on today, such as an overdue review."""
    for finding in lint(policy, now().date()):
        if finding.level is Level.ERROR:
            place = f"rule {finding.rule!r}: " if finding.rule else ""
            yield f"{place}{finding.message}; {finding.remedy}"


def of_waivers(waivers: Waivers, policy: BoundPolicy, release: Release) -> Iterator[str]:
    """Yield which waivers will not count for a release, and by which day they are judged."""
    today = now().date()
    if today != datetime.now(UTC).date():
        yield f"waivers are judged for {today}, the day of SOURCE_DATE_EPOCH"
    sha256 = release.facts.tables["synthetic"].sha256
    for finding in lint_waivers(waivers, today, policy=policy, synthetic_sha256=sha256):
        yield str(finding.problem)
