"""The verdict as OSCAL assessment results (NIST, version 1.2.1) in JSON.

A rule of the policy is a control under assessment: its figure an observation, its outcome a
finding, and what stops the release a risk. Identifiers follow from digests, so that the same report
gives the same bytes.
"""

from __future__ import annotations

import json
import re
from base64 import b64encode
from typing import TYPE_CHECKING, Any
from uuid import NAMESPACE_URL, UUID, uuid5

from privgate.policy.verdict import Outcome

if TYPE_CHECKING:
    from privgate.report.rule_view import RuleView
    from privgate.report.view import ReportView

OSCAL_VERSION = "1.2.1"
NAMESPACE = "urn:privgate:oscal"
_NO_TOKEN = re.compile(r"[^\w.-]", re.ASCII)


def render_oscal(view: ReportView) -> str:
    """Return the assessment results as indented JSON; only a rule that is met is satisfied."""
    made = _stamp(view)
    results = {
        "uuid": _identifier(view, "assessment-results"),
        "metadata": {
            "title": _line(view.words("oscal.title", release=view.release, policy=view.policy)),
            "last-modified": made,
            "version": view.report_id,
            "oscal-version": OSCAL_VERSION,
            "props": [_property("tool", view.tool)],
        },
        "import-ap": {"href": f"#{_identifier(view, 'policy')}"},
        "results": [_result(view, made)],
        "back-matter": {"resources": _resources(view)},
    }
    return json.dumps({"assessment-results": results}, ensure_ascii=False, indent=2) + "\n"


def _result(view: ReportView, made: str) -> dict[str, Any]:
    risks = [_risk(rule, view) for rule in view.rules if rule.stops or rule.is_let_stand]
    controls = [{"control-id": _control(rule)} for rule in view.rules]
    return {
        "uuid": _identifier(view, "result"),
        "title": _line(view.headline),
        "description": view.words("oscal.description", edition=view.edition),
        "start": made,
        "end": made,
        "props": [_property("outcome", view.outcome)],
        "reviewed-controls": {
            "description": view.words("oscal.controls"),
            "control-selections": [{"include-controls": controls}],
        },
        "observations": [_observation(rule, view, made) for rule in view.rules],
        **({"risks": risks} if risks else {}),
        "findings": [_finding(rule, view) for rule in view.rules],
        "remarks": "\n\n".join((view.gate, *view.reasons)),
    }


def _observation(rule: RuleView, view: ReportView, made: str) -> dict[str, Any]:
    words, verdict = view.words, rule.verdict
    facts = {
        "metric": verdict.metric,
        "figure": verdict.measure,
        "part": verdict.part or "",
        "measured": rule.measured,
        "interval": rule.interval,
        "judged": rule.judged,
    }
    measured = f"{rule.title}: {rule.measured} ({rule.interval})"
    return {
        "uuid": _identifier(view, "observation", verdict.id),
        "title": _line(rule.card.title),
        "description": "\n\n".join(text for text in (rule.card.question, measured) if text),
        "props": [_property(name, text) for name, text in facts.items() if text.strip()],
        "methods": ["TEST"],
        "collected": made,
        "remarks": words("oscal.method"),
    }


def _finding(rule: RuleView, view: ReportView) -> dict[str, Any]:
    verdict = rule.verdict
    is_met = verdict.outcome is Outcome.MET
    reason = {Outcome.MET: "pass", Outcome.VIOLATED: "fail"}.get(verdict.finding, "other")
    facts = {"outcome": verdict.outcome.value, "severity": verdict.severity, "limit": rule.limit}
    related = [{"observation-uuid": _identifier(view, "observation", verdict.id)}]
    found: dict[str, Any] = {
        "uuid": _identifier(view, "finding", verdict.id),
        "title": _line(f"{verdict.id}: {rule.title}"),
        "description": rule.reason,
        "props": [_property(name, text) for name, text in facts.items()],
        "target": {
            "type": "objective-id",
            "target-id": _control(rule),
            "description": rule.meaning or rule.title,
            "status": {"state": "satisfied" if is_met else "not-satisfied", "reason": reason},
        },
        "related-observations": related,
    }
    if rule.stops or rule.is_let_stand:
        found["related-risks"] = [{"risk-uuid": _identifier(view, "risk", verdict.id)}]
    return found


def _risk(rule: RuleView, view: ReportView) -> dict[str, Any]:
    verdict = rule.verdict
    risk: dict[str, Any] = {
        "uuid": _identifier(view, "risk", verdict.id),
        "title": _line(f"{verdict.id}: {rule.title}"),
        "description": view.words("oscal.risk"),
        "statement": rule.finding,
        "status": "open" if verdict.waiver is None else "deviation-approved",
    }
    if verdict.waiver is not None:
        risk["deadline"] = f"{verdict.waiver.expires.isoformat()}T23:59:59Z"
    related = [{"observation-uuid": _identifier(view, "observation", verdict.id)}]
    return {**risk, "related-observations": related}


def _resources(view: ReportView) -> list[dict[str, Any]]:
    """Return the policy, attached, and the tables and evidence, by their digests."""
    policy = {
        "uuid": _identifier(view, "policy"),
        "title": _line(view.policy),
        "description": view.words("oscal.plan"),
        "props": [_property("sha256-of-canonical-form", view.digests["policy"])],
        "base64": {
            "filename": "policy.yaml",
            "media-type": "application/yaml",
            "value": b64encode(view.policy_text.encode()).decode(),
        },
    }
    others = [
        {
            "uuid": _identifier(view, "resource", name),
            "title": name,
            "rlinks": [{"href": href, "hashes": [{"algorithm": "SHA-256", "value": digest}]}],
        }
        for name, (href, digest) in view.files.items()
    ]
    return [policy, *others]


def _identifier(view: ReportView, *names: str) -> str:
    """Return a UUID that follows from the digests of evidence and verdict, and the edition."""
    root = uuid5(NAMESPACE_URL, NAMESPACE)
    told = (view.digests["evidence"], view.digests["verdict"], view.audience, *names)
    found: UUID = uuid5(root, "\n".join(told))
    return str(found)


def _control(rule: RuleView) -> str:
    """Return a rule's id as an OSCAL token."""
    token = _NO_TOKEN.sub("_", rule.verdict.id)
    return token if token[:1].isalpha() else f"_{token}"


def _property(name: str, value: str) -> dict[str, str]:
    return {"name": name, "ns": NAMESPACE, "value": _line(value)}


def _line(text: str) -> str:
    return " ".join(text.split())


def _stamp(view: ReportView) -> str:
    return view.created.strftime("%Y-%m-%dT%H:%M:%SZ")
