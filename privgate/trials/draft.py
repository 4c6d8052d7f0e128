"""A policy draft from a calibration: the proposed limits, each saying where it comes from."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any

from ruamel.yaml import YAML

from privgate.policy.model import Policy

if TYPE_CHECKING:
    from privgate.evidence import CalibrationStudy, RuleCalibration
    from privgate.policy import BoundPolicy

_HEAD = """\
# Draft from `privgate calibrate`. The limits fit one release: decide whether its data are typical,
# read every rationale, and give the draft an id, version and owner of your own before use.
"""


def policy_draft(policy: BoundPolicy, study: CalibrationStudy) -> str:
    """Return the policy as YAML with the proposed limits; rules without a proposal keep theirs.

    The draft is a policy of its own: it can be opened, linted and used.

    Raises
    ------
    pydantic.ValidationError
        If the proposals do not make a valid policy.
    """
    content = policy.policy.model_dump(mode="json", exclude_defaults=True)
    calibrated = {rule.id: rule for rule in study.rules}
    for rule in content["rules"]:
        if calibrated[rule["id"]].proposed is not None:
            rule.update(_changes(calibrated[rule["id"]], study))
    draft = {
        "privgate": policy.policy.privgate,
        **content,
        "id": f"{policy.policy.id}-calibrated",
        "version": "0.1.0",
        "title": f"{policy.policy.title} (calibrated draft)",
    }
    Policy.model_validate(draft)
    text = io.StringIO()
    writer = YAML()
    writer.width = 100
    writer.dump(draft, text)
    return _HEAD + text.getvalue()


def _changes(found: RuleCalibration, study: CalibrationStudy) -> dict[str, Any]:
    limits = found.proposed or {}
    origin = (
        f"calibration of {study.policy} {study.policy_version} on {study.release} "
        f"(synthetic content {study.tables['synthetic'][:12]}), seed {study.seed}"
    )
    return {
        "require": {
            name: int(number) if found.kind == "count" and number.is_integer() else number
            for name, number in limits.items()
        },
        "source": {"kind": "house", "ref": origin},
        "rationale": f"{found.reason} Accepted share of false alarms: {study.false_alarms:g}.",
    }
