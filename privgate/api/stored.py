"""Finished checks, as a result in hand or as the folder that holds one, and their formats."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from privgate.attest import StoredCheck, open_folder
from privgate.dossier import known_formats
from privgate.errors import InputError, Problem
from privgate.evidence import digest
from privgate.metrics import all_metrics
from privgate.policy import reopen_policy

if TYPE_CHECKING:
    from collections.abc import Collection

    from privgate.dossier import Format
    from privgate.evidence import RunEvidence
    from privgate.policy import Verdict


def as_stored(evidence: RunEvidence, verdict: Verdict) -> StoredCheck:
    """Return evidence and verdict as they are when they have been stored."""
    return StoredCheck(
        evidence=evidence,
        evidence_sha256=digest(evidence),
        verdict=verdict,
        verdict_sha256=digest(verdict),
        policy=reopen_policy(verdict.policy, all_metrics()),
    )


def opened(folder: object, *, path: str) -> StoredCheck:
    """Return the check in a folder, verified; ``path`` is what a message calls it.

    Raises
    ------
    InputError
        If it is no folder of a check.
    IntegrityError
        If it was altered.
    """
    if isinstance(folder, str | os.PathLike):
        return open_folder(Path(folder), all_metrics())
    message = f"a {type(folder).__name__} is no check"
    remedy = "give the result of privgate.check, or the output folder of `privgate check`"
    raise InputError(Problem(message, path=path, remedy=remedy))


def given_formats(
    formats: str | Collection[str] | None, *, but: Collection[Format] = frozenset()
) -> frozenset[Format] | None:
    """Return the formats that a call lists, as a text or one by one; ``None`` if it names none.

    Raises
    ------
    InputError
        If one is unknown or not offered.
    RenderError
        If PDF is among them and cannot be drawn on this machine.
    """
    if formats is None:
        return None
    listed = formats.split(",") if isinstance(formats, str) else formats
    return known_formats(map(str, listed), path="formats", but=but)
