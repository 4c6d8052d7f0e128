"""Counts of unequal levels of pairs of kinds, many pairs in one machine word."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    Bits = NDArray[np.uint64]

WORD = 64
ALL = ~np.uint64(0)
BLOCK_BYTES = 2**17
"""Bits of some kinds, one for each base kind, that are added up together."""
TABLE_BYTES = 2**24
FEWEST_CODES = 32
"""Levels of a column that are told apart at least; so bits take no more memory than level codes."""


@dataclass(frozen=True)
class Unequal:
    """Which levels of base kinds are unequal to which levels of kinds.

    Of each column ``bits`` has a row for each code, with one bit per base kind; ``code`` is that of
    each kind. Bits behind the last base kind are set.
    """

    bits: list[Bits]
    code: list[NDArray[np.intp]]
    steps: list[int]
    base_kinds: int

    @classmethod
    def of(
        cls, here: NDArray[np.uint8], there: NDArray[np.uint8], steps: NDArray[np.int64]
    ) -> Unequal:
        """Return the bits for levels of kinds and of base kinds, a row each for every column.

        Where that would take much memory, codes are taken modulo a number that is less than 256:
        then some unequal levels seem equal.
        """
        base_kinds = there.shape[1]
        words = -(-base_kinds // WORD)
        most = max(FEWEST_CODES, TABLE_BYTES // (8 * words * max(1, len(steps))))
        modulus = np.uint16(min(most, 256))
        bits, code = [], []
        for mine, theirs in zip(here % modulus, there % modulus, strict=True):
            codes, place = np.unique(mine, return_inverse=True)
            table = np.full((len(codes), 8 * words), 0xFF, np.uint8)
            for row, own in zip(table, codes, strict=True):
                packed = np.packbits(theirs != own, bitorder="little")
                row[: len(packed)] = packed
                row[len(packed) - 1] |= 0xFF << (base_kinds - 1) % 8 + 1 & 0xFF
            bits.append(table.view(np.uint64))
            code.append(place)
        return cls(bits, code, steps.tolist(), base_kinds)

    @property
    def places(self) -> int:
        """Return how many binary places the sum of all steps has."""
        return sum(self.steps).bit_length()

    @property
    def bytes_each(self) -> int:
        """Return the bytes that all counts of one kind take, and the nearest base kinds."""
        return 8 * -(-self.base_kinds // WORD) * (self.places + 1)

    def counted(self, kinds: slice) -> list[Bits]:
        """Return the binary places of the sums of steps, the lowest first."""
        pending: list[list[Bits]] = [[] for _ in range(self.places + 1)]
        for bits, code, step in zip(self.bits, self.code, self.steps, strict=True):
            unequal = bits.take(code[kinds], axis=0)
            for place in _places(step):
                _add(pending, place, unequal)
        for place, waiting in enumerate(pending[:-1]):
            while len(waiting) > 1:
                one, other = waiting.pop(), waiting.pop()
                waiting.append(one ^ other)
                pending[place + 1].append(one & other)
            if not waiting:
                waiting.append(np.zeros_like(unequal))
        return [waiting[0] for waiting in pending[:-1]]


def _places(step: int) -> Iterator[int]:
    """Yield the places of the ones of a binary number."""
    return (place for place in range(step.bit_length()) if step >> place & 1)


def _add(pending: list[list[Bits]], place: int, bits: Bits) -> None:
    """Add bits at a place; where three are waiting they become one, and one at the next place."""
    pending[place].append(bits)
    if len(pending[place]) < 3:
        return
    one, other, third = pending[place]
    half = one ^ other
    pending[place] = [half ^ third]
    half &= third
    half |= one & other
    _add(pending, place + 1, half)


@dataclass(frozen=True)
class Apart:
    """Counts of some kinds with all base kinds: a bit in each plane, the lowest plane first.

    ``near`` are bits of the base kinds whose counts are at most ``most``, a number for each kind
    that at least as many as wanted are within.
    """

    planes: Bits
    near: Bits
    most: NDArray[np.int64]
    base_kinds: int

    @classmethod
    def of(cls, unequal: Unequal, kinds: slice, wanted: int) -> Apart:
        """Return the counts of kinds, and the wanted number of nearest base kinds of each.

        Examples
        --------
        >>> levels = np.array([[1, 1, 0], [0, 1, 1]], np.uint8)
        >>> apart = Apart.of(Unequal.of(levels, levels, np.array([1, 1])), slice(0, 2), 2)
        >>> apart.most.tolist(), [found.tolist() for found in apart.nearest()]
        ([1, 1], [[0, 0, 1, 1, 1], [0, 1, 0, 1, 2], [0, 1, 1, 0, 1]])
        """
        words = -(-unequal.base_kinds // WORD)
        count = kinds.stop - kinds.start
        planes = np.empty((unequal.places, count, words), np.uint64)
        near, most = np.empty((count, words), np.uint64), np.empty(count, np.int64)
        step = max(1, BLOCK_BYTES // (8 * words))
        for start in range(0, count, step):
            some = slice(start, min(start + step, count))
            for plane, bits in zip(
                planes,
                unequal.counted(slice(kinds.start + start, kinds.start + some.stop)),
                strict=True,
            ):
                plane[some] = bits
            near[some], most[some] = _nearest(planes[:, some], wanted)
        return cls(planes, near, most, unequal.base_kinds)

    def nearest(self) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        """Return rows, in order, and columns of the counts up to ``most``, and these counts."""
        return self._marked(self.near)

    def at_most(
        self, most: NDArray[np.int64]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        """Return rows, in order, and columns of the counts up to that of their row, and these."""
        near = self.near.copy()
        near[most < 0] = 0
        most = np.minimum(most, (1 << len(self.planes)) - 1)
        other = np.flatnonzero((most >= 0) & (most != self.most))
        step = max(1, BLOCK_BYTES // (8 * near.shape[1]))
        for start in range(0, len(other), step):
            rows = other[start : start + step]
            near[rows] = _within(self.planes[:, rows], most[rows])
        return self._marked(near)

    def _marked(self, bits: Bits) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        word = np.flatnonzero(bits)
        bytes_of = bits.ravel().take(word).view(np.uint8)
        set_bits = np.flatnonzero(np.unpackbits(bytes_of, bitorder="little").view(np.bool_))
        flat = word.take(set_bits // WORD) * WORD + set_bits % WORD
        row, column = np.divmod(flat, WORD * bits.shape[1])
        if column.max(initial=0) >= self.base_kinds:
            real = np.flatnonzero(column < self.base_kinds)
            row, column, flat = (found.take(real) for found in (row, column, flat))
        count = np.zeros(len(flat), np.int64)
        byte, bit = flat // 8, (flat % 8).astype(np.uint8)
        for place, plane in enumerate(self.planes):
            found = plane.ravel().view(np.uint8).take(byte) >> bit & 1
            count += found.astype(np.int64) << place
        return row, column, count


def _nearest(planes: Bits, wanted: int) -> tuple[Bits, NDArray[np.int64]]:
    """Return which counts of each row are at most its k-th least, and that one.

    From the highest place on, the counts that may be the k-th are divided into those with a 0 there
    and those with a 1.
    """
    candidates = np.full(planes.shape[1:], ALL)
    near = np.zeros_like(candidates)
    most, left = np.zeros(len(near), np.int64), np.full(len(near), wanted)
    for place in reversed(range(len(planes))):
        ones = candidates & planes[place]
        candidates ^= ones
        count = np.bitwise_count(candidates).sum(axis=1, dtype=np.int64)
        high = np.flatnonzero(count < left)
        most[high] |= 1 << place
        left[high] -= count[high]
        near[high] |= candidates[high]
        candidates[high] = ones[high]
    near |= candidates
    return near, most


def _within(planes: Bits, most: NDArray[np.int64]) -> Bits:
    """Return which counts of each row are at most that of the row."""
    within = np.full(planes.shape[1:], ALL)
    for place, plane in enumerate(planes):
        allowed = np.where(most >> place & 1, ALL, np.uint64(0))[:, None]
        either = within | allowed
        within &= allowed
        within |= either & ~plane
    return within
