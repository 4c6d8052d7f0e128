"""The PDF of a check with a signature inside it, beside the one that was drawn."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from privgate.attest.pades import drawn_part, sign_pdf, verify_pdf_signature
from privgate.attest.verify import REPORT, SIGNED_REPORT, verify_folder
from privgate.errors import InputError, IntegrityError, Problem

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime
    from pathlib import Path

    from privgate.attest.certificates import Identity, Trust
    from privgate.attest.pades.signature import PdfSignature
    from privgate.metrics import Metric


def signed_report(
    folder: Path, identity: Identity, metrics: Mapping[str, Metric[Any]], *, moment: datetime
) -> bytes:
    """Return the PDF report of a folder with a signature inside it.

    The folder is verified first: nobody signs what does not hold.

    Parameters
    ----------
    moment
        The time that the signature claims.

    Raises
    ------
    InputError
        If the folder has no PDF report, or pyHanko is missing.
    IntegrityError
        If the folder does not hold.
    """
    if REPORT not in verify_folder(folder, metrics).files:
        remedy = "draw one with `privgate render`"
        raise InputError(Problem(f"there is no {REPORT} to sign", file=str(folder), remedy=remedy))
    return sign_pdf((folder / REPORT).read_bytes(), identity, moment=moment)


def verify_signed_report(folder: Path, *, trust: Trust | None) -> PdfSignature | None:
    """Return the signature inside the PDF of a verified folder; ``None`` if there is none.

    Parameters
    ----------
    trust
        Who must vouch for the signature; without it, one that is there must be intact.

    Raises
    ------
    InputError
        If there is a signature, and pyHanko is missing.
    IntegrityError
        If the signature does not hold, is on another report, or is missing though it must be
        trusted.
    """
    file = folder / SIGNED_REPORT
    if not file.is_file():
        if trust is not None:
            raise IntegrityError(Problem(f"there is no {SIGNED_REPORT}", file=str(folder)))
        return None
    raw, name = file.read_bytes(), str(file)
    report = folder / REPORT
    if not report.is_file() or drawn_part(raw, name=name) != report.read_bytes():
        raise IntegrityError(Problem(f"what was signed is not the {REPORT} beside it", file=name))
    return verify_pdf_signature(raw, name=name, trust=trust)
