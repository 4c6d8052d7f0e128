"""The verdict as a code quality report of GitLab, shown on merge requests."""

from __future__ import annotations

import json
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from privgate.report.formats.cases import Standing, cases, gravest_first
from privgate.report.formats.policy_place import policy_lines, policy_path

if TYPE_CHECKING:
    from privgate.report.formats.cases import Case
    from privgate.report.view import ReportView

_SEVERITIES = {
    Standing.VIOLATED: "blocker",
    Standing.NOT_ASSESSED: "critical",
    Standing.ADVISORY: "minor",
    Standing.WAIVED: "info",
}


def render_gitlab(view: ReportView) -> str:
    """Return an entry for all that is not met, the gravest first; met releases have an empty list.

    An entry is recognised again by release, policy and rule, so that a merge request shows what it
    brings and what it mends.
    """
    lines, path = policy_lines(view), policy_path(view)
    found = [case for case in gravest_first(cases(view)) if case.standing in _SEVERITIES]
    entries = [_entry(case, view, path=path, line=lines.get(case.id, 1)) for case in found]
    return json.dumps(entries, ensure_ascii=False, indent=2) + "\n"


def _entry(case: Case, view: ReportView, *, path: str, line: int) -> dict[str, Any]:
    known_by = f"{view.release}\n{view.policy_id}\n{case.id}"
    return {
        "description": f"{case.id}: {case.message}",
        "check_name": f"privgate/{case.id}",
        "fingerprint": sha256(known_by.encode()).hexdigest(),
        "severity": _SEVERITIES[case.standing],
        "location": {"path": path, "lines": {"begin": line}},
    }
