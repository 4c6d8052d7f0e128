"""The kind and size of a planted leak."""

from __future__ import annotations

import math
from dataclasses import dataclass


@dataclass(frozen=True, order=True)
class Leak:
    """A leak of ``share`` of the published records, each with ``fields`` of its fields copied."""

    share: float
    fields: float = 1.0
    perturbed: bool = False

    def records(self, synthetic: int) -> int:
        """Return the number of leaked records among so many published ones, at least one."""
        return max(1, math.ceil(self.share * synthetic - 1e-9))
