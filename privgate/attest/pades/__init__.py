"""PAdES signatures of PDF reports, baseline profile B-B: the one door to pyHanko.

A signature is appended to the PDF, which stays as drawn in front of it. It shows on no page.
Format: ETSI EN 319 142-1, sections 5 and 6; nothing is fetched from a network.
"""

from __future__ import annotations

import logging
from importlib import import_module
from typing import TYPE_CHECKING

from privgate.errors import InputError, Problem

if TYPE_CHECKING:
    from datetime import datetime

    from privgate.attest.certificates import Identity, Trust
    from privgate.attest.pades.signature import PdfSignature

__all__ = ["drawn_part", "require_pyhanko", "sign_pdf", "verify_pdf_signature"]


def require_pyhanko() -> None:
    """Return if PDF signatures can be made and verified on this machine.

    Raises
    ------
    InputError
        If pyHanko is missing; the message says how to get it.
    """
    try:
        import_module("pyhanko.sign")
    except ImportError:
        message = "signatures inside a PDF need pyHanko, which is not installed"
        raise InputError(Problem(message, remedy="pip install 'privgate[pades]'")) from None
    # It tells its loggers what is wrong with a file; here, exceptions do.
    for name in ("pyhanko", "pyhanko_certvalidator"):
        logging.getLogger(name).setLevel(logging.CRITICAL)


def sign_pdf(drawn: bytes, identity: Identity, *, moment: datetime) -> bytes:
    """Return a PDF with an invisible signature appended, whose claimed time is ``moment``.

    Raises
    ------
    InputError
        If pyHanko is missing.
    """
    require_pyhanko()
    from privgate.attest.pades.signing import appended_signature  # noqa: PLC0415 - an extra

    return appended_signature(drawn, identity, moment=moment)


def drawn_part(raw: bytes, *, name: str) -> bytes:
    """Return what a signed PDF was before it was signed.

    Raises
    ------
    InputError
        If pyHanko is missing.
    IntegrityError
        If the file is not a PDF with one signature appended to it, and nothing after that.
    """
    require_pyhanko()
    from privgate.attest.pades.update import drawn_before  # noqa: PLC0415 - an extra

    return drawn_before(raw, name=name)


def verify_pdf_signature(raw: bytes, *, name: str, trust: Trust | None) -> PdfSignature:
    """Return what the signature of a PDF shows, if it holds.

    Parameters
    ----------
    raw
        A PDF whose :func:`drawn_part` was verified.
    trust
        Who must vouch for the certificate; without it, nobody is asked.

    Raises
    ------
    InputError
        If pyHanko is missing.
    IntegrityError
        If the signature is broken, leaves out a part of the file, comes with anything else, or its
        certificate does not lead to one of those trusted.
    """
    require_pyhanko()
    from privgate.attest.pades.checking import checked_signature  # noqa: PLC0415 - an extra

    return checked_signature(raw, name=name, trust=trust)
