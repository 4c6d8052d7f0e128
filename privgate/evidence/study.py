"""What the stored form of every study of a policy on a release begins with."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from privgate.evidence.base import Frozen


class PolicyStudy(Frozen):
    """The release and the policy under study; ``tables`` are the content digests of the former."""

    release: str
    tables: dict[str, str]
    policy: str
    policy_version: str
    policy_sha256: str
    seed: int = Field(ge=0, lt=2**53)
    seed_source: Literal["derived", "given"]
    tool: str
