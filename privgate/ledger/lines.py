"""The lines of a ledger: JSON, each with the digest of the line before and its own.

The last field is ``sha256``, the digest of the line's bytes as they would stand without it.
"""

from __future__ import annotations

from datetime import datetime
from hashlib import sha256
from typing import Annotated, Literal

from pydantic import Field, TypeAdapter

from privgate.evidence import TableName, canonical_bytes, document
from privgate.evidence.base import Frozen
from privgate.evidence.history import Judged

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
    sha256: Digest = "0" * 64  # put in when the line is sealed


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
_MARK = b',"sha256":"'
_ANY: TypeAdapter[AnyLine] = TypeAdapter(Annotated[AnyLine, Field(discriminator="kind")])


def sealed(line: Line) -> bytes:
    """Return the bytes of a line, its digest in the last field, its end of line included."""
    content = {name: it for name, it in document(line).items() if name != "sha256"}
    body = canonical_bytes(content).removesuffix(b"}")
    return body + _seal(body) + b"\n"


def opened(raw: bytes) -> AnyLine:
    """Return the line that was written as these bytes, without its end of line.

    The digest is taken of what stands there, so that lines of an older version, which may have
    fewer fields, keep theirs.

    Raises
    ------
    ValueError
        If this is not a line as it was written.
    """
    body, mark, end = raw.rpartition(_MARK)
    if mark + end != _seal(body):
        raise ValueError("another digest than that of its content")
    return _ANY.validate_json(raw)


def _seal(body: bytes) -> bytes:
    return _MARK + sha256(body + b"}").hexdigest().encode() + b'"}'
