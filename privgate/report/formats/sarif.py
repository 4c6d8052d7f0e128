"""The verdict as SARIF 2.1.0, which code scanning shows as alerts.

A rule of the policy is a rule of the tool. What is not met is a result of the kind ``fail``, also
where nothing could be assessed: viewers pass over every other kind, and unknown is never a pass.
Results point to the rule in the text of the policy, which the file holds.
"""

from __future__ import annotations

import json
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from privgate.policy.verdict import Outcome
from privgate.report.formats.cases import Standing, approval, cases
from privgate.report.formats.markdown_text import plain_markdown
from privgate.report.formats.policy_place import policy_lines, policy_path

if TYPE_CHECKING:
    from privgate.report.formats.cases import Case
    from privgate.report.view import ReportView

SCHEMA = (
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)
_LEVELS = {
    Standing.VIOLATED: "error",
    Standing.NOT_ASSESSED: "error",
    Standing.ADVISORY: "warning",
    Standing.WAIVED: "note",
}


def render_sarif(view: ReportView) -> str:
    """Return a log of one run: every rule with its help, and a result for all that is not met."""
    found = cases(view)
    name, _, version = view.tool.partition(" ")
    driver = {
        "name": name,
        **({"version": version} if version else {}),
        "rules": [_rule(case) for case in found],
    }
    run = {
        "tool": {"driver": driver},
        "automationDetails": {"id": f"privgate/{view.policy_id}/{_key(view.release)[:16]}/"},
        "invocations": [_invocation(view)],
        "artifacts": [_policy(view)],
        "results": _results(view, found),
        "language": view.words("document.language"),
        "properties": {
            "release": view.release,
            "report": view.report_id,
            "edition": view.edition,
            "outcome": view.outcome,
            "sha256": dict(view.digests),
        },
    }
    log = {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}
    return json.dumps(log, ensure_ascii=False, indent=2) + "\n"


def _rule(case: Case) -> dict[str, Any]:
    level = "warning" if dict(case.figures).get("severity") == "advisory" else "error"
    return {
        "id": case.id,
        "shortDescription": {"text": _text(case.title)},
        "fullDescription": {"text": _text(case.about)},
        "help": {
            "text": _text(case.text),
            "markdown": _braces("\n".join(f"- {plain_markdown(line)}" for line in case.lines)),
        },
        "defaultConfiguration": {"level": level},
        "properties": {"tags": ["privacy"], **dict(case.figures)},
    }


def _results(view: ReportView, found: tuple[Case, ...]) -> list[dict[str, Any]]:
    lines, approvals = policy_lines(view), _approvals(view)
    return [
        {
            "ruleId": case.id,
            "ruleIndex": index,
            "kind": "fail",
            "level": _LEVELS[case.standing],
            "message": {"text": _text(case.message)},
            "locations": [_location(view, lines.get(case.id, 1))],
            "partialFingerprints": {
                "primaryLocationLineHash": _key(view.release, view.policy_id, case.id)
            },
            **_suppressions(approvals.get(case.id)),
            "properties": {"standing": case.standing.value},
        }
        for index, case in enumerate(found)
        if case.standing in _LEVELS
    ]


def _approvals(view: ReportView) -> dict[str, str]:
    told = {rule.verdict.id: approval(rule, view.words) for rule in view.rules}
    return {name: text for name, text in told.items() if text}


def _suppressions(approved: str | None) -> dict[str, Any]:
    if approved is None:
        return {}
    accepted = {"kind": "external", "status": "accepted", "justification": approved}
    return {"suppressions": [accepted]}


def _location(view: ReportView, line: int) -> dict[str, Any]:
    place = {
        "artifactLocation": {"uri": policy_path(view), "index": 0},
        "region": {"startLine": line},
    }
    return {"physicalLocation": place}


def _policy(view: ReportView) -> dict[str, Any]:
    text = view.policy_text
    return {
        "location": {"uri": policy_path(view)},
        "mimeType": "application/yaml",
        "contents": {"text": text},
        "hashes": {"sha-256": sha256(text.encode()).hexdigest()},
    }


def _invocation(view: ReportView) -> dict[str, Any]:
    return {
        "executionSuccessful": True,
        "exitCode": int(Outcome(view.outcome).exit_code),
        "exitCodeDescription": view.headline,
    }


def _key(*names: str) -> str:
    return sha256("\n".join(names).encode()).hexdigest()


def _text(text: str) -> str:
    r"""Return a message in which nothing is a link or a gap to be filled in.

    Examples
    --------
    >>> print(_text("[a](b) {0}"))
    \[a\](b) {{0}}
    """
    for sign in "\\[]":
        text = text.replace(sign, f"\\{sign}")
    return _braces(text)


def _braces(text: str) -> str:
    return text.replace("{", "{{").replace("}", "}}")
