"""Whether the signature of a PDF holds, and who vouches for its certificate."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from datetime import UTC
from io import BytesIO
from typing import TYPE_CHECKING

from asn1crypto.cms import ContentInfo, SignedData
from cryptography.x509 import load_der_x509_certificate
from pyhanko.pdf_utils.reader import PdfFileReader
from pyhanko.sign.validation import EmbeddedPdfSignature, async_validate_pdf_signature
from pyhanko.sign.validation.settings import KeyUsageConstraints
from pyhanko_certvalidator import ValidationContext
from pyhanko_certvalidator.errors import ValidationError

from privgate.attest.certificates import MALFORMED, issuers, shown_name, unfitness, untimely
from privgate.attest.pades.signature import PdfSignature
from privgate.attest.pades.signing import asn1_of
from privgate.attest.pades.update import BROKEN, drawn_before, foreign_content
from privgate.errors import IntegrityError, Problem

if TYPE_CHECKING:
    from collections.abc import Iterator

    from asn1crypto.x509 import Certificate as Asn1Certificate
    from cryptography.x509 import Certificate
    from pyhanko.sign.validation.status import PdfSignatureStatus

    from privgate.attest.certificates import Trust

_SUBFILTER = "/ETSI.CAdES.detached"


def checked_signature(raw: bytes, *, name: str, trust: Trust | None) -> PdfSignature:
    """Return what the signature of a PDF shows, if it is all that was appended and holds.

    Raises
    ------
    IntegrityError
        With everything that is wrong.
    """
    drawn = drawn_before(raw, name=name)
    try:
        found = _read(raw, trust)
        problems = [*_flaws(found, raw, drawn), *(_distrust(found, trust) if trust else ())]
        claimed = found.embedded.self_reported_timestamp
    except (*BROKEN, *MALFORMED, ValidationError) as cause:
        message = "the PDF signature cannot be read: it was altered"
        raise IntegrityError(Problem(message, file=name)) from cause
    if claimed is None:
        problems.append("names no time")
    if problems or claimed is None:
        raise IntegrityError(Problem(f"the PDF signature {it}", file=name) for it in problems)
    root = shown_name(found.path[0]) if trust else None
    return PdfSignature(
        shown_name(found.certificate), f"{claimed.astimezone(UTC):%Y-%m-%d %H:%M} UTC", root
    )


@dataclass(frozen=True)
class _Found:
    """The one signature of a PDF, and what pyHanko makes of it; ``path`` begins with the root."""

    embedded: EmbeddedPdfSignature
    status: PdfSignatureStatus
    path: tuple[Certificate, ...]

    @property
    def certificate(self) -> Certificate:
        return _certificate_of(self.embedded.signer_cert)


def _read(raw: bytes, trust: Trust | None) -> _Found:
    (embedded,) = PdfFileReader(BytesIO(raw), strict=True).embedded_signatures
    context = ValidationContext(
        trust_roots=[asn1_of(root) for root in trust.roots] if trust else [],
        other_certs=embedded.other_embedded_certs,
        moment=trust.moment if trust else None,
        allow_fetching=False,
    )
    # What a certificate is for is judged below, as `sign` does; here it would have to be
    # non-repudiation, which seals of organisations often lack.
    status = asyncio.run(
        async_validate_pdf_signature(
            embedded, context, key_usage_settings=KeyUsageConstraints(key_usage=()), skip_diff=True
        )
    )
    path = status.validation_path
    return _Found(embedded, status, tuple(map(_certificate_of, path)) if path else ())


def _flaws(found: _Found, raw: bytes, drawn: bytes) -> Iterator[str]:
    embedded, status = found.embedded, found.status
    foreign = foreign_content(drawn, embedded.reader)
    if foreign:
        yield f"comes with more than a signature: {', '.join(foreign)}"
    if not _covers(embedded, raw, drawn):
        yield "does not cover the whole file"
    if not status.intact:
        yield "does not fit the file, which was changed after it was signed"
    elif not status.valid:
        yield "is broken: it is not by the certificate that it names"
    if not _is_baseline(embedded):
        yield "is not of the kind that privgate makes (PAdES B-B), or was altered"


def _covers(embedded: EmbeddedPdfSignature, raw: bytes, drawn: bytes) -> bool:
    """Return whether the signature leaves out itself and nothing else."""
    begin, first, second, rest = map(int, embedded.byte_range)
    gap = b"<" + embedded.pkcs7_content.hex().upper().encode() + b">"
    ends = (begin, second + rest) == (0, len(raw))
    return ends and len(drawn) < first and raw[first:second] == gap


def _is_baseline(embedded: EmbeddedPdfSignature) -> bool:
    """Return whether the signature is of the profile and has no part that nothing protects."""
    signer = embedded.signer_info
    kinds = {attribute["type"].native for attribute in signer["signed_attrs"]}
    certificates = embedded.signed_data["certificates"]
    again = ContentInfo(
        {
            "content_type": "signed_data",
            "content": SignedData(
                {
                    "version": "v1",
                    "digest_algorithms": [signer["digest_algorithm"]],
                    "encap_content_info": {"content_type": "data"},
                    "certificates": certificates,
                    "signer_infos": [signer],
                }
            ),
        }
    ).dump()
    own = _certificate_of(embedded.signer_cert)
    others = [_certificate_of(it) for it in embedded.other_embedded_certs]
    return bool(
        embedded.sig_object["/SubFilter"] == _SUBFILTER
        and {"content_type", "message_digest", "signing_certificate_v2"} == kinds
        and signer["version"].native == "v1"
        and not signer["unsigned_attrs"]
        and embedded.pkcs7_content.rstrip(b"\0") == again.rstrip(b"\0")
        and len(issuers(own, others)) == len(others) == len(certificates) - 1
        # Whole bytes: a signature on a certificate could claim another number of spare bits.
        and all(it["signature_value"].contents[0] == 0 for it in embedded.other_embedded_certs)
    )


def _distrust(found: _Found, trust: Trust) -> Iterator[str]:
    reason = unfitness(found.certificate, trust.moment)
    if reason is not None:
        yield f"is by a certificate that {reason}"
    elif not (found.status.trusted and found.path):
        yield "is by a certificate that leads to none of those given as --trust"
    for certificate in found.path[:-1]:
        late = untimely(certificate, trust.moment)
        if late is not None:
            yield f"rests on the certificate {shown_name(certificate)}, which {late}"


def _certificate_of(certificate: Asn1Certificate) -> Certificate:
    return load_der_x509_certificate(certificate.dump())
