"""Two digests of one content: one to be published, one that never is."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256


@dataclass(frozen=True)
class Digests:
    """What a content is known by, and a number that only its owner can compute.

    ``salt`` goes into evidence and verdict, so that nobody can find withheld figures by trying out
    which of them give the published digest of the whole.
    """

    content: str
    salt: str


class Digesting:
    """Takes a content piece by piece.

    Examples
    --------
    >>> whole = Digesting(b"one table")
    >>> whole.add(b"and its rows")
    >>> whole.digests().content == sha256(b"one tableand its rows").hexdigest()
    True
    """

    def __init__(self, head: bytes) -> None:
        self._content = sha256(head)
        self._salt = sha256(b"privgate salt v1\n" + head)

    def add(self, piece: bytes) -> None:
        """Take the next piece."""
        self._content.update(piece)
        self._salt.update(piece)

    def digests(self) -> Digests:
        """Return the digests of all that was taken."""
        return Digests(self._content.hexdigest(), self._salt.hexdigest())
