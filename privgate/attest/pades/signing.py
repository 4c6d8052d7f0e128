"""Appending a PAdES signature to a PDF, by pyHanko."""

from __future__ import annotations

import asyncio
from io import BytesIO
from typing import TYPE_CHECKING

from asn1crypto.keys import PrivateKeyInfo
from asn1crypto.x509 import Certificate as Asn1Certificate
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from pyhanko.pdf_utils.incremental_writer import IncrementalPdfFileWriter
from pyhanko.sign.fields import InvisSigSettings, SigFieldSpec, SigSeedSubFilter
from pyhanko.sign.signers import SimpleSigner
from pyhanko.sign.signers.cms_embedder import PdfCMSEmbedder, SigIOSetup, SigObjSetup
from pyhanko.sign.signers.pdf_byterange import SignatureObject
from pyhanko_certvalidator.registry import SimpleCertificateStore

if TYPE_CHECKING:
    from datetime import datetime

    from cryptography.x509 import Certificate

    from privgate.attest.certificates import Identity

DIGEST = "sha256"
FIELD = "Signature"
TOOLTIP = "Digital signature on this report"  # what assistive technology reads out
_SPARE = 4096  # bytes for what a signature holds beside certificates


class _Update(IncrementalPdfFileWriter):
    """Appends the signature and leaves title, producer and dates as they were drawn."""

    def _update_meta(self) -> None:
        """Do nothing: pyHanko would write its name and the time of the machine into them."""


def appended_signature(drawn: bytes, identity: Identity, *, moment: datetime) -> bytes:
    """Return a PDF followed by an update that holds a signature on both."""
    # No size and far outside the page: what shows nowhere needs no look for PDF/A and no tag for
    # PDF/UA.
    field = SigFieldSpec(
        FIELD,
        readable_field_name=TOOLTIP,
        invis_sig_settings=InvisSigSettings(box_out_of_bounds=True),
    )
    steps = PdfCMSEmbedder(field).write_cms(FIELD, _Update(BytesIO(drawn)))
    next(steps)
    steps.send(
        SigObjSetup(
            SignatureObject(
                timestamp=moment, subfilter=SigSeedSubFilter.PADES, bytes_reserved=_room(identity)
            )
        )
    )
    prepared, output = steps.send(SigIOSetup(md_algorithm=DIGEST))
    cms = asyncio.run(
        _signer(identity).async_sign(prepared.document_digest, DIGEST, use_pades=True)
    )
    steps.send(cms)
    signed: bytes = output.getvalue()
    return signed


def _signer(identity: Identity) -> SimpleSigner:
    key = identity.key.private_bytes(Encoding.DER, PrivateFormat.PKCS8, NoEncryption())
    store = SimpleCertificateStore()
    store.register_multiple(asn1_of(it) for it in identity.above)
    return SimpleSigner(
        signing_cert=asn1_of(identity.certificate),
        signing_key=PrivateKeyInfo.load(key),
        cert_registry=store,
    )


def asn1_of(certificate: Certificate) -> Asn1Certificate:
    """Return a certificate as pyHanko wants it."""
    return Asn1Certificate.load(certificate.public_bytes(Encoding.DER))


def _room(identity: Identity) -> int:
    """Return how many hexadecimal digits to keep free for the signature."""
    certificates = (identity.certificate, *identity.above)
    return 2 * (_SPARE + sum(len(it.public_bytes(Encoding.DER)) for it in certificates))
