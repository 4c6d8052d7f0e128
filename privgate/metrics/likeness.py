"""Figures of how alike two tables are, and which of several columns is least alike."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from privgate.evidence import FigureSpec, SafeSide

if TYPE_CHECKING:
    from privgate.evidence import Estimate, FigurePart


def similarity(title: str, meaning: str, *, part: FigurePart | None = None) -> FigureSpec:
    """Return a figure that is 1 for like tables and 0 for those with nothing in common."""
    return FigureSpec.score(
        title, meaning, safe_side=SafeSide.HIGH, minimum=0, maximum=1, part=part
    )


def least_first(figure: Estimate) -> float:
    """Return a key that sorts the least figure first, and one without a value last."""
    return math.inf if figure.value is None else float(figure.value)
