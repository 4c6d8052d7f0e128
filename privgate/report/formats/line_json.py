"""The verdict as one line of JSON, for programs that read stdout."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from privgate.policy.verdict import Outcome
from privgate.report.formats.cases import cases

if TYPE_CHECKING:
    from privgate.report.view import ReportView


def render_line_json(view: ReportView) -> str:
    """Return one line of ASCII that tells outcome, reasons, rules and demands.

    Figures are worded as in the report; ``evidence.json`` has the exact ones.
    """
    verdict, *others = cases(view)
    told = {
        "schema": "privgate/line/v1",
        "outcome": view.outcome,
        "exit_code": int(Outcome(view.outcome).exit_code),
        "release": view.release,
        "policy": {"id": view.policy_id, "version": view.policy_version},
        "report": view.report_id,
        "sha256": dict(view.digests),
        "tool": view.tool,
        "headline": verdict.title,
        "reasons": list(view.reasons),
        "cases": [
            {
                "id": case.id,
                "title": case.title,
                "standing": case.standing.value,
                "message": case.message,
                **dict(case.figures),
            }
            for case in others
        ],
    }
    return json.dumps(told, ensure_ascii=True) + "\n"
