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

from privgate.neighbors.engines.contract import Pairs

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from privgate.neighbors.engines.coordinates import Points

SAMPLE = 1024
UNIT = 2.0**-24
TINY = 1e-30  # far above what underflow can take away
FARTHEST = 1e15  # in units of a usual length; products of farther rows overflow in float32
BLOCK = 2**22  # numbers converted together
GROUP = 8  # points of which the nearest is looked at first
NOWHERE = 1e36


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

    def panel(self, columns: slice) -> Panel:
        """Return some points as the columns of a product."""
        right, square = self.right[columns], self.square[columns]
        groups = -(-len(right) // GROUP)
        padded = np.zeros((groups * GROUP, right.shape[1]), np.float32)
        padded[:, -2], padded[:, -1] = NOWHERE, 1
        padded[: len(right)] = right
        sizes = np.zeros(groups * GROUP)
        sizes[: len(right)] = square
        turned = padded.reshape(groups, GROUP, -1).swapaxes(0, 1).reshape(padded.shape)
        return Panel(
            turned,
            sizes.reshape(groups, GROUP).T.ravel(),
            sizes.reshape(groups, GROUP).max(axis=1),
            np.arange(len(sizes)).reshape(groups, GROUP).T.ravel() < len(right),
        )

    def strip(self, rows: slice | NDArray[np.int64], *, start: int) -> Strip:
        """Return some points as the rows of a product; ``start`` is the first one's number."""
        count = len(self.right[rows])
        left = np.zeros((-(-count // GROUP) * GROUP, self.right.shape[1]), np.float32)
        left[:count] = -self.right[rows]
        left[:, -2] = 1
        left[:count, -1], left[count:, -1] = self.right[rows, -2], NOWHERE
        square = np.zeros(len(left))
        square[:count], square[count:] = self.square[rows], self.square[rows][-1]
        return Strip(left, square, np.arange(len(left)) < count, start)


@dataclass(frozen=True)
class Panel:
    """Columns of a product in groups of points of nearly one length.

    Place p holds column ``group · (p mod g) + p // g`` of the g groups, so that the minimum over a
    group goes over long contiguous lines. Places behind the last column are nowhere near.
    """

    right: NDArray[np.float32]
    square: NDArray[np.float64]
    group_square: NDArray[np.float64]
    real: NDArray[np.bool_]
    group: int = GROUP

    def pairs(
        self,
        rows: NDArray[np.int32],
        places: NDArray[np.int32],
        queries: NDArray[np.int64],
        base: NDArray[np.int64],
    ) -> Pairs:
        """Return pairs of a row and a place by the rows that they are of."""
        turn, group = np.divmod(places, len(self.group_square))
        column = self.group * group + turn
        real = (column < len(base)) & (rows < len(queries))
        return Pairs(queries[rows[real]], base[column[real]])


@dataclass(frozen=True)
class Strip:
    """Rows of a product: (-q, 1, n(q)); rows behind the last one are nowhere near."""

    left: NDArray[np.float32]
    square: NDArray[np.float64]
    real: NDArray[np.bool_]
    start: int
