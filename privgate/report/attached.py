"""Files that a PDF carries along."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, kw_only=True)
class AttachedFile:
    """A file inside a PDF: what the report was made from, or what it shows in part.

    ``relationship`` is that of ISO 32000-2, 7.11.3: the source of the report, data it shows, or a
    supplement to it.
    """

    name: str
    content: bytes
    media_type: str
    description: str
    relationship: Literal["Source", "Data", "Supplement"]
