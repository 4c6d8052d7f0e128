"""What a signature inside a PDF shows, in words."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class PdfSignature:
    """An intact signature on all of a PDF: whose certificate, and which root vouches for it.

    ``root`` is ``None`` if no root was given: then ``signer`` is what the signature says of itself.
    """

    signer: str
    claimed: str
    root: str | None

    @property
    def sentences(self) -> tuple[str, ...]:
        """Return what was found, and what it does not show.

        Examples
        --------
        >>> for sentence in PdfSignature("CN=Anna", "2026-01-01 00:00 UTC", None).sentences:
        ...     print(sentence)
        PDF signature: intact, covers the whole file, by a certificate that names CN=Anna
        PDF signature: made on 2026-01-01 00:00 UTC by the signer's clock, which nothing confirms
        PDF signature: certificate not checked against a root; give one as --trust
        """
        by, chain = self.signer, f"certificate trusted by {self.root}; revocation was not looked up"
        if self.root is None:
            by = f"a certificate that names {self.signer}"
            chain = "certificate not checked against a root; give one as --trust"
        found = (
            f"intact, covers the whole file, by {by}",
            f"made on {self.claimed} by the signer's clock, which nothing confirms",
            chain,
        )
        return tuple(f"PDF signature: {sentence}" for sentence in found)
