"""Files that a PDF carries along: what the report was made from, as far as its readers may see."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING, Literal

from pydantic import Field

from privgate.evidence import Frozen, canonical_bytes, document
from privgate.report.baseline import BASELINE
from privgate.report.redact import Audience, redact_evidence, redact_verdict

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from privgate.evidence import JsonValue, RunEvidence
    from privgate.policy.verdict import Verdict
    from privgate.report.view import ReportView

CONTENTS = "attachments.json"
POWER = "power.json"
_RELATIONSHIPS: dict[str, Literal["Source", "Supplement"]] = {
    "evidence.json": "Source",
    "verdict.json": "Source",
    "policy.yaml": "Source",
    CONTENTS: "Supplement",
}
_CSV, _JSON, _YAML = "text/csv", "application/json", "application/yaml"


@dataclass(frozen=True, kw_only=True)
class AttachedFile:
    """A file inside a PDF.

    ``relationship`` is that of ISO 32000-2, 7.11.3: the source of the report, data it shows, or a
    supplement to it.
    """

    name: str
    content: bytes
    media_type: str
    description: str
    relationship: Literal["Source", "Data", "Supplement"]


class AttachmentsContents(Frozen):
    """What a PDF carries, and for whom: ``attachments.json``.

    ``evidence_sha256`` and ``verdict_sha256`` digest the files of the check, from which the report
    id follows. ``files`` holds the digests of the attached ones. Those of the internal edition are
    the files of the check; in the shareable edition ``withheld`` names, as JSON pointers into an
    attached file, every value that was left out or replaced because it may not be published.
    """

    schema_: Literal["privgate/attachments/v1"] = Field(
        default="privgate/attachments/v1", alias="schema"
    )
    edition: Audience
    report_id: str
    evidence_sha256: str
    verdict_sha256: str
    policy_sha256: str
    files: dict[str, str]
    withheld: dict[str, tuple[str, ...]]


def attached_files(
    view: ReportView,
    evidence: RunEvidence,
    verdict: Verdict,
    *,
    originals: tuple[bytes, bytes],
    power: bytes | None = None,
    baseline: bytes | None = None,
) -> tuple[AttachedFile, ...]:
    """Return what the PDF of a report carries: evidence, verdict, policy, tables, and their list.

    Parameters
    ----------
    view
        The report, in the extent in which it will be drawn.
    evidence, verdict
        What the report was made from, nothing withheld.
    originals
        The bytes of ``evidence.json`` and ``verdict.json``. They are attached as they are to the
        internal edition; the shareable one gets redacted forms, or none where a verdict of an
        earlier version has no salt.
    power
        The bytes of ``power.json``, if the report tells of a canary test.
    baseline
        The bytes of ``baseline.json``, if it tells of an earlier check.
    """
    sources: tuple[bytes, ...] = originals
    withheld: tuple[tuple[str, ...], ...] = ((), ())
    if view.audience is Audience.SHAREABLE:
        sources, withheld = _redacted(evidence, verdict, view)
    names: tuple[str, ...] = ("evidence.json", "verdict.json")
    if any(withheld) and verdict.salt is None:
        # Their digests are printed: who had all but the withheld figures could try those out.
        sources, names = (), ()
    files = [
        *(_file(name, content, _JSON, view) for name, content in zip(names, sources, strict=True)),
        _file("policy.yaml", verdict.policy.text.encode(), _YAML, view),
        *(_file(name, content, _CSV, view) for name, content in sorted(view.tables.items())),
        *(() if power is None else (_file(POWER, power, _JSON, view),)),
        *(() if baseline is None else (_file(BASELINE, baseline, _JSON, view),)),
    ]
    contents = AttachmentsContents(
        edition=view.audience,
        report_id=view.report_id,
        evidence_sha256=sha256(originals[0]).hexdigest(),
        verdict_sha256=sha256(originals[1]).hexdigest(),
        policy_sha256=verdict.policy.sha256,
        files={file.name: sha256(file.content).hexdigest() for file in files},
        withheld={name: told for name, told in zip(names, withheld, strict=False) if told},
    )
    return (*files, _file(CONTENTS, canonical_bytes(contents), _JSON, view))


def attached_again(view: ReportView, files: Mapping[str, bytes]) -> tuple[AttachedFile, ...]:
    """Return files taken out of a PDF as they are attached to it, with tables as drawn anew."""
    kept = {name: content for name, content in files.items() if _media_type(name) != _CSV}
    return tuple(
        _file(name, content, _media_type(name), view)
        for name, content in (kept | dict(view.tables)).items()
    )


def _media_type(name: str) -> str:
    return {"csv": _CSV, "yaml": _YAML}.get(name.rpartition(".")[2], _JSON)


def _redacted(
    evidence: RunEvidence, verdict: Verdict, view: ReportView
) -> tuple[tuple[bytes, bytes], tuple[tuple[str, ...], tuple[str, ...]]]:
    """Return evidence and verdict for publication, and where they differ from the originals."""
    public = redact_evidence(evidence)
    judged = redact_verdict(verdict, public, view.words)
    if judged.waivers_file is not None:
        # Its comments are no part of the report; the waivers themselves are.
        silent = judged.waivers_file.model_copy(update={"text": ""})
        judged = judged.model_copy(update={"waivers_file": silent})
    pairs = ((evidence, public), (verdict, judged))
    told = tuple(tuple(_differences(document(a), document(b))) for a, b in pairs)
    return (canonical_bytes(public), canonical_bytes(judged)), (told[0], told[1])


def _differences(before: JsonValue, after: JsonValue, pointer: str = "") -> Iterator[str]:
    """Yield JSON pointers (RFC 6901) to the outermost values that differ."""
    if isinstance(before, dict) and isinstance(after, dict) and before.keys() == after.keys():
        for name, value in before.items():
            step = name.replace("~", "~0").replace("/", "~1")
            yield from _differences(value, after[name], f"{pointer}/{step}")
    elif isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        for place, (one, other) in enumerate(zip(before, after, strict=True)):
            yield from _differences(one, other, f"{pointer}/{place}")
    elif before != after:
        yield pointer


def _file(name: str, content: bytes, media_type: str, view: ReportView) -> AttachedFile:
    key = "table" if media_type == _CSV else name.partition(".")[0]
    return AttachedFile(
        name=name,
        content=content,
        media_type=media_type,
        description=f"{view.words(f'attached.{key}')} {view.edition}",
        relationship=_RELATIONSHIPS.get(name, "Data"),
    )
