"""How far the levels of pairs of kinds are apart, counted for many pairs in one machine word."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from privgate.neighbors.engines.gower_grid import words_of
from privgate.neighbors.tiles import blocks

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    Bits = NDArray[np.uint64]
    Found = tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]

WORD = 64
ALL = ~np.uint64(0)
BLOCK_BYTES = 2**17
"""Bits of some kinds, one for each base kind, that are added up together."""
TABLE_BYTES = 2**24
FEWEST_CODES = 32
"""Levels of a column that are told apart at least; so bits take no more memory than level codes."""
UNITS = 16
"""Units that a column counts on average, if columns differ in their steps."""


@dataclass(frozen=True)
class Unequal:
    """Kinds and base kinds, and which levels of these are unequal to which levels of those.

    Of each column ``bits`` has a row for each code, with one bit per base kind, and ``code`` is
    that of each kind. Bits behind the last base kind are set. In bits, unequal levels of a column
    count as whole ``units`` of ``unit`` steps, rounded down. ``here`` and ``there`` hold the levels
    of a kind and of a base kind, eight in a word, and ``sums`` the steps of all sets of eight.
    """

    here: NDArray[np.uint64]
    there: NDArray[np.uint64]
    sums: NDArray[np.int64]
    unit: int
    units: list[int]
    bits: list[Bits]
    code: list[NDArray[np.uint8]]

    @classmethod
    def of(
        cls, here: NDArray[np.uint8], there: NDArray[np.uint8], steps: NDArray[np.int64]
    ) -> Unequal:
        """Return kinds and base kinds with these levels, a row each for every column.

        Where bits would take much memory, codes are taken modulo a number that is less than 256:
        then some unequal levels count nothing in bits.
        """
        unit = max(1, int(np.gcd.reduce(steps, initial=0)))
        unit = max(unit, int(steps.sum()) // (UNITS * max(1, len(steps))))
        words = -(-there.shape[1] // WORD)
        most = max(FEWEST_CODES, TABLE_BYTES // (8 * words * max(1, len(steps))))
        modulus = np.uint16(min(most, 256))
        bits, code = [], []
        for mine, theirs in zip(here % modulus, there % modulus, strict=True):
            codes, place = np.unique(mine, return_inverse=True)
            bits.append(_bits_of_unequal(codes, theirs))
            code.append(place.astype(np.uint8))
        sets = np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1, bitorder="little")
        eights = np.pad(steps, (0, -len(steps) % 8)).reshape(-1, 8)
        return cls(
            _words(here),
            _words(there),
            eights @ sets.T.astype(np.int64),
            unit,
            (steps // unit).tolist(),
            bits,
            code,
        )

    @property
    def base_kinds(self) -> int:
        """Return the number of base kinds."""
        return int(self.there.shape[1])

    @property
    def words(self) -> int:
        """Return how many words hold one bit per base kind."""
        return -(-self.base_kinds // WORD)

    @property
    def places(self) -> int:
        """Return how many binary places the sum of all units has."""
        return sum(self.units).bit_length()

    @property
    def bytes_each(self) -> int:
        """Return the bytes that the sums of one kind take, and the nearest base kinds."""
        return 8 * self.words * (self.places + 1)

    def steps(self, kind: NDArray[np.integer], base_kind: NDArray[np.integer]) -> NDArray[np.int64]:
        """Return the steps between the levels of pairs."""
        total = np.zeros(len(kind), np.int64)
        for mine, theirs, sums in zip(self.here, self.there, self.sums, strict=True):
            unequal = (mine.take(kind) ^ theirs.take(base_kind)).view(np.uint8) != 0
            total += sums.take(np.packbits(unequal, bitorder="little"))
        return total

    def summed(self, kinds: slice) -> list[Bits]:
        """Return the binary places of the sums of units, the lowest first."""
        pending: list[list[Bits]] = [[] for _ in range(self.places + 1)]
        for bits, code, units in zip(self.bits, self.code, self.units, strict=True):
            unequal = bits.take(code[kinds], axis=0)
            for place in _places(units):
                _add(pending, place, unequal)
        for place, waiting in enumerate(pending[:-1]):
            while len(waiting) > 1:
                one, other = waiting.pop(), waiting.pop()
                waiting.append(one ^ other)
                pending[place + 1].append(one & other)
            if not waiting:
                waiting.append(np.zeros_like(unequal))
        return [waiting[0] for waiting in pending[:-1]]


def _words(levels: NDArray[np.uint8]) -> NDArray[np.uint64]:
    """Return the levels of each kind, eight in a word; a row of the result for each word."""
    columns, kinds = levels.shape
    padded = np.zeros((kinds, columns + -columns % 8), np.uint8)
    padded[:, :columns] = levels.T
    return words_of(padded)


def _bits_of_unequal(codes: NDArray[np.integer], levels: NDArray[np.integer]) -> Bits:
    """Return for each code which levels are unequal to it; behind the last all bits are set."""
    table = np.full((len(codes), 8 * -(-len(levels) // WORD)), 0xFF, np.uint8)
    last = -(-len(levels) // 8)
    for row, code in zip(table, codes, strict=True):
        row[:last] = np.packbits(levels != code, bitorder="little")
    table[:, last - 1] |= 0xFF << (len(levels) - 1) % 8 + 1 & 0xFF
    return table.view(np.uint64)


def _places(units: int) -> Iterator[int]:
    """Yield the places of the ones of a binary number."""
    return (place for place in range(units.bit_length()) if units >> place & 1)


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
    """How far some kinds are from all base kinds: of each sum of units a bit in each plane.

    The lowest plane is first. ``near`` marks base kinds whose sums are at most ``most``, a number
    for each kind that at least as many base kinds as wanted are within.
    """

    unequal: Unequal
    kinds: slice
    planes: Bits
    near: Bits
    most: NDArray[np.int64]

    @classmethod
    def of(cls, unequal: Unequal, kinds: slice, wanted: int) -> Apart:
        """Return the sums of kinds, and the wanted number of nearest base kinds of each.

        Examples
        --------
        >>> levels = np.array([[1, 1, 0], [0, 1, 1]], np.uint8)
        >>> apart = Apart.of(Unequal.of(levels, levels, np.array([1, 1])), slice(0, 2), 2)
        >>> apart.most.tolist(), [found.tolist() for found in apart.nearest()]
        ([1, 1], [[0, 0, 1, 1, 1], [0, 1, 0, 1, 2], [0, 1, 1, 0, 1]])
        """
        count = kinds.stop - kinds.start
        planes = np.empty((unequal.places, count, unequal.words), np.uint64)
        near, most = np.empty((count, unequal.words), np.uint64), np.empty(count, np.int64)
        for rows in blocks(0, count, max(1, BLOCK_BYTES // (8 * unequal.words))):
            summed = unequal.summed(slice(kinds.start + rows.start, kinds.start + rows.stop))
            for plane, bits in zip(planes, summed, strict=True):
                plane[rows] = bits
            near[rows], most[rows] = _nearest(planes[:, rows], wanted)
        return cls(unequal, kinds, planes, near, most)

    def nearest(self) -> Found:
        """Return rows, in order, base kinds whose sums are at most ``most``, and their steps."""
        return self._marked(self.near)

    def at_most(self, steps: NDArray[np.int64]) -> Found:
        """Return rows, in order, the base kinds up to so many steps from each, and their steps."""
        most = np.minimum(steps // self.unequal.unit, (1 << len(self.planes)) - 1)
        near = self.near.copy()
        near[most < 0] = 0
        other = np.flatnonzero((most >= 0) & (most != self.most))
        for some in blocks(0, len(other), max(1, BLOCK_BYTES // (8 * self.unequal.words))):
            rows = other[some]
            near[rows] = _within(self.planes[:, rows], most[rows])
        row, base_kind, found = self._marked(near)
        within = np.flatnonzero(found <= steps[row])
        return row.take(within), base_kind.take(within), found.take(within)

    def _marked(self, bits: Bits) -> Found:
        word = np.flatnonzero(bits)
        bytes_of = bits.ravel().take(word).view(np.uint8)
        marked = np.flatnonzero(np.unpackbits(bytes_of, bitorder="little").view(np.bool_))
        row, place = np.divmod(word.take(marked // WORD), self.unequal.words)
        base_kind = place * WORD + marked % WORD
        if base_kind.max(initial=0) >= self.unequal.base_kinds:
            real = np.flatnonzero(base_kind < self.unequal.base_kinds)
            row, base_kind = row.take(real), base_kind.take(real)
        return row, base_kind, self.unequal.steps(row + self.kinds.start, base_kind)


def _nearest(planes: Bits, wanted: int) -> tuple[Bits, NDArray[np.int64]]:
    """Return which sums of each row are at most its k-th least, and that one.

    From the highest place on, the sums that may be the k-th are divided into those with a 0 there
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
    """Return which sums of each row are at most that of the row."""
    within = np.full(planes.shape[1:], ALL)
    for place, plane in enumerate(planes):
        allowed = np.where(most >> place & 1, ALL, np.uint64(0))[:, None]
        either = within | allowed
        within &= allowed
        within |= either & ~plane
    return within
