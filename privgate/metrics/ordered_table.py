"""Tables whose rows are known in the order of each column."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Self

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

LANDMARKS = 64


@dataclass(frozen=True)
class _Sorted:
    """The rows in the order of one column.

    ``landmarks[i]`` marks the first ``i * step`` of them, as bits in the order of the table.
    """

    values: NDArray[np.float64]
    order: NDArray[np.int32]
    step: int
    landmarks: NDArray[np.uint8]

    @classmethod
    def of(cls, values: NDArray[np.float64]) -> _Sorted:
        order = np.argsort(values).astype(np.int32)
        place = np.empty(len(order), np.int32)
        place[order] = np.arange(len(order), dtype=np.int32)
        step = max(1, -(-len(order) // LANDMARKS))
        ends = range(0, len(order) + step, step)
        landmarks = np.stack([np.packbits(place < end) for end in ends])
        return cls(values[order], order, step, landmarks)

    def first(self, places: NDArray[np.int64]) -> NDArray[np.uint8]:
        """Return as bits which rows are the first so many in this order, for each number."""
        before, more = np.divmod(places, self.step)
        bits = self.landmarks[before]
        owner = np.repeat(np.arange(len(places)), more)
        behind = np.arange(len(owner)) - np.repeat(np.cumsum(more) - more, more)
        row = self.order[before[owner] * self.step + behind].astype(np.int64)
        one = (128 >> (row & 7)).astype(np.uint8)
        np.bitwise_or.at(bits.reshape(-1), owner * bits.shape[1] + (row >> 3), one)
        return bits


@dataclass(frozen=True)
class OrderedTable:
    """Numbers, one row of people a row, with the rows sorted by a column as soon as one asks.

    Among sorted rows an interval of values is a range of places. So it is never compared with all
    rows: those up to an end are those up to a landmark, and a few more.
    """

    matrix: NDArray[np.float64]
    _sorted: dict[int, _Sorted] = field(default_factory=dict, init=False, repr=False, compare=False)

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(self.matrix)

    def take(self, rows: NDArray[np.bool_]) -> Self:
        """Return the table of some rows."""
        return type(self)(self.matrix[rows])

    @property
    def everybody(self) -> NDArray[np.uint8]:
        """Return all rows as bits."""
        return np.packbits(np.ones(len(self), bool))

    def within(
        self, column: int, low: NDArray[np.float64], high: NDArray[np.float64]
    ) -> NDArray[np.uint8]:
        """Return as bits which rows have a value in each interval, its ends included.

        Examples
        --------
        >>> table = OrderedTable(np.array([[3.0], [1.0], [2.0], [1.0]]))
        >>> bits = table.within(0, np.array([1.0, 2.0, 5.0]), np.array([1.0, 9.0, 4.0]))
        >>> np.unpackbits(bits, axis=1, count=4).tolist()
        [[0, 1, 0, 1], [1, 0, 1, 0], [0, 0, 0, 0]]
        """
        if column not in self._sorted:
            self._sorted[column] = _Sorted.of(self.matrix[:, column])
        known = self._sorted[column]
        start = np.searchsorted(known.values, low, side="left")
        end = np.maximum(np.searchsorted(known.values, high, side="right"), start)
        places, where = np.unique([start, end], return_inverse=True)
        first = known.first(places.astype(np.int64))
        begun, ended = where.reshape(2, -1)
        return first[ended] ^ first[begun]
