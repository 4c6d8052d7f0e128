"""Points as factors of a float32 product that bounds their distances.

Half the squared distance of two points is s = |q|²/2 + |x|²/2 - q·x. The product of the rows
(-q, 1, n(q)) and (x, n(x), 1), n(v) being (1/2 - 𝛾')|v|², is a lower bound L of it: what rounding
can change in the product is at most 𝛾(|q|² + |x|²) with 𝛾 < 𝛾'. An upper bound is
L + 2𝛾'(|q|² + |x|²). 𝛾 = tu/(1 - tu), u = 2⁻²⁴, for the t terms of a sum in any order; the factors'
own rounding adds a few units, for which t is taken larger.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from privgate.neighbors.engines.coordinates import Points

SAMPLE = 1024
UNIT = 2.0**-24
TINY = 1e-30  # far above what underflow can take away
FARTHEST = 1e15  # in units of a usual length; products of farther rows overflow in float32
BLOCK = 2**22  # numbers converted together


@dataclass(frozen=True)
class Frame:
    """What points are measured from, and in what unit; ``error`` is 𝛾'."""

    centre: NDArray[np.float64]
    scale: float
    error: float

    @classmethod
    def around(cls, base: Any, points: Points) -> Frame:
        """Return a frame in which a usual base row has a length of about 1."""
        sample = points.of(base.take(slice(None, None, max(1, len(base) // SAMPLE))))
        centre = np.median(sample, axis=0)
        lengths = np.sqrt(((sample - centre) ** 2).sum(axis=1))
        length = float(np.median(lengths[lengths > 0])) if lengths.any() else 1.0
        terms = (points.dimensions + 8) * UNIT
        # A power of two changes no digit.
        return cls(centre, float(2.0 ** -np.floor(np.log2(length))), 1.1 * terms / (1 - terms))

    def centred(self, points: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return points in this frame."""
        moved: NDArray[np.float64] = (points - self.centre) * self.scale
        return moved


@dataclass(frozen=True)
class Factors:
    """Points in the order of their lengths.

    ``right`` holds (x, n(x), 1); ``square`` is |x|²; ``row`` is the row of each point; ``far`` are
    the rows that float32 cannot hold, which have no factors.
    """

    right: NDArray[np.float32]
    square: NDArray[np.float64]
    row: NDArray[np.int64]
    far: NDArray[np.int64]

    @classmethod
    def of(cls, rows: Any, points: Points, frame: Frame) -> Factors:
        """Return the factors of rows."""
        step = max(1, BLOCK // points.dimensions)
        square = np.empty(len(rows))
        with np.errstate(over="ignore"):
            for start in range(0, len(rows), step):
                centred = frame.centred(points.of(rows.take(slice(start, start + step))))
                square[start : start + step] = np.einsum("ij,ij->i", centred, centred)
        order = np.argsort(square, kind="stable")
        near, far = np.split(order, [np.searchsorted(square[order], FARTHEST**2)])
        right = np.empty((len(near), points.dimensions + 2), np.float32)
        for start in range(0, len(near), step):
            right[start : start + step, :-2] = frame.centred(
                points.of(rows.take(near[start : start + step]))
            )
        right[:, -2] = square[near] * (0.5 - frame.error)
        right[:, -1] = 1
        return cls(right, square[near], near, far)

    def __len__(self) -> int:
        """Return the number of points that have factors."""
        return len(self.row)

    def left(self, rows: slice) -> NDArray[np.float32]:
        """Return the factors (-q, 1, n(q)) of some points."""
        factor = -self.right[rows]
        factor[:, -2] = 1
        factor[:, -1] = self.right[rows, -2]
        return factor
