"""Seeds and generators. Nothing in privgate draws from a global generator."""

from __future__ import annotations

from hashlib import sha256

import numpy as np


def derive_seed(*parts: str) -> int:
    """Return a seed below 2**53 that follows from the parts alone.

    Deriving the seed from what is judged leaves nobody a lucky seed to shop for.

    Examples
    --------
    >>> derive_seed("a", "b") == derive_seed("a", "b") != derive_seed("ab")
    True
    """
    packed = sha256()
    for part in parts:
        text = part.encode()
        packed.update(len(text).to_bytes(8, "big") + text)
    return int.from_bytes(packed.digest()[:8], "big") >> 11


def generator(seed: int, name: str) -> np.random.Generator:
    """Return the generator that belongs to one name in one run.

    Generators of different names are independent, so a further measurement changes no other.
    """
    words = np.frombuffer(sha256(name.encode()).digest(), dtype=">u4")
    return np.random.default_rng([seed & 0xFFFFFFFF, seed >> 32, *(int(word) for word in words)])


def derived_int(rng: np.random.Generator) -> int:
    """Return an integer seed for a library that takes no generator."""
    return int(rng.integers(2**31 - 1))
