"""The lines of a ledger: canonical JSON, each with the digest of the line before and its own."""

from __future__ import annotations

import json
from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import Field, TypeAdapter

from privgate.evidence import TableName, canonical_bytes, digest, document
from privgate.evidence.base import Frozen
from privgate.evidence.history import Judged

if TYPE_CHECKING:
    from privgate.evidence import JsonValue

Digest = Annotated[str, Field(pattern="^[0-9a-f]{64}$")]


class TableDigests(Frozen):
    """What a table is known by: the digests of its file's bytes and of its content."""

    sha256: Digest
    content_sha256: Digest


class PolicyIdentity(Frozen):
    """Which policy judged."""

    id: str
    version: str
    sha256: Digest


class RuleResult(Frozen):
    """What became of a rule, with the figure that decided."""

    id: str
    metric: str
    measure: str
    severity: str
    outcome: str
    value: float | int | None
    low: float | None
    high: float | None
    judged: float | int | None


class Line(Frozen):
    """What every line has; ``n`` counts from 0."""

    n: int = Field(ge=0)
    previous: Digest | None  # of the first line there is none
    created: datetime
    sha256: Digest = "0" * 64  # of the line without this field


class Heading(Line):
    """The first line. The identifier is drawn, so that a ledger begun anew is another one."""

    kind: Literal["ledger"] = "ledger"
    schema_: Literal["privgate/ledger/v1"] = Field(default="privgate/ledger/v1", alias="schema")
    id: str


class Evaluation(Line):
    """One evaluation. It holds digests and aggregates, no value of a record."""

    kind: Literal["evaluation"] = "evaluation"
    tool: str
    release: str
    tables: dict[TableName, TableDigests]
    declaration_sha256: Digest
    policy: PolicyIdentity
    seed: int
    seed_source: Literal["derived", "given"]
    outcome: Judged
    rules: tuple[RuleResult, ...]
    evidence_sha256: Digest
    verdict_sha256: Digest


class Interrupted(Line):
    """A write that was cut short, with what had been written: an evaluation of unknown outcome."""

    kind: Literal["interrupted"] = "interrupted"
    fragment: str
    fragment_sha256: Digest  # of the bytes, also where they are not text


AnyLine = Heading | Evaluation | Interrupted
_ANY: TypeAdapter[AnyLine] = TypeAdapter(Annotated[AnyLine, Field(discriminator="kind")])


def sealed(line: Line) -> bytes:
    """Return the bytes of a line with its digest, its end of line included."""
    content = _unsealed(document(line))
    return canonical_bytes({**content, "sha256": digest(content)}) + b"\n"


def opened(raw: bytes) -> AnyLine:
    """Return the line that was written as these bytes, without its end of line.

    The digest is taken of what stands there, so that lines of an older version, which may have
    fewer fields, keep theirs.

    Raises
    ------
    ValueError
        If this is not a line as it was written.
    """
    content: JsonValue = json.loads(raw)
    if not isinstance(content, dict) or canonical_bytes(content) != raw:
        raise ValueError("no canonical JSON object")
    if content.get("sha256") != digest(_unsealed(content)):
        raise ValueError("another digest than that of its content")
    return _ANY.validate_python(content)


def _unsealed(content: dict[str, JsonValue]) -> dict[str, JsonValue]:
    return {name: value for name, value in content.items() if name != "sha256"}
