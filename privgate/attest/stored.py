"""Stored evidence and verdict, with what it takes to judge again."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from typing import TYPE_CHECKING, Any, TypeVar

from pydantic import BaseModel, ValidationError

from privgate.errors import IntegrityError, Problem
from privgate.evidence import RunEvidence
from privgate.policy.check import check
from privgate.policy.opening import reopen_policy
from privgate.policy.verdict import Verdict
from privgate.policy.waiving import stored_waivers

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from privgate.metrics import Metric
    from privgate.policy.bind import BoundPolicy

M = TypeVar("M", bound=BaseModel)


@dataclass(frozen=True, kw_only=True)
class StoredCheck:
    """What a check stored: evidence, verdict, and the policy in the verdict."""

    evidence: RunEvidence
    evidence_sha256: str
    verdict: Verdict
    verdict_sha256: str
    policy: BoundPolicy

    @cached_property
    def judged_again(self) -> Verdict:
        """Return what the policy makes of the evidence now, with the waivers, for its day.

        Raises
        ------
        PolicyError
            If the waivers cannot be read.
        """
        return check(
            self.policy,
            self.evidence,
            evidence_sha256=self.evidence_sha256,
            waivers=stored_waivers(self.verdict),
        )

    @cached_property
    def found_again(self) -> Verdict:
        """Return what the policy makes of the evidence now, without any waiver."""
        return check(self.policy, self.evidence, evidence_sha256=self.evidence_sha256)


def open_check(
    files: Mapping[str, bytes],
    metrics: Mapping[str, Metric[Any]],
    *,
    at: Callable[[str], Mapping[str, str]],
) -> StoredCheck:
    """Return what evidence.json and verdict.json hold.

    Parameters
    ----------
    at
        Where a file is, as the fields of a :class:`Problem`.

    Raises
    ------
    IntegrityError
        If one of them is not as privgate writes it.
    PolicyError
        If the policy in the verdict cannot be used, as when a metric is not there.
    """
    evidence = _read(files["evidence.json"], RunEvidence, at("evidence.json"))
    verdict = _read(files["verdict.json"], Verdict, at("verdict.json"))
    return StoredCheck(
        evidence=evidence,
        evidence_sha256=sha256(files["evidence.json"]).hexdigest(),
        verdict=verdict,
        verdict_sha256=sha256(files["verdict.json"]).hexdigest(),
        policy=reopen_policy(verdict.policy, metrics),
    )


def _read(content: bytes, model: type[M], at: Mapping[str, str]) -> M:
    try:
        return model.model_validate_json(content)
    except ValidationError as cause:
        message = "the file cannot be read as written"
        raise IntegrityError(Problem(message, file=at.get("file"), path=at.get("path"))) from cause
