"""Hamming neighbours of packed 0/1 rows: unequal bits are counted a machine word at a time.

Where many rows share whole pieces, as relatives share stretches of DNA, only different pieces are
compared. Counts are whole numbers, so the engine itself decides by (distance, index): both are held
in one integer, and the k least integers are the k nearest rows.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from privgate.neighbors.engines.contract import Candidates, Pairs, Question
from privgate.neighbors.engines.pieces import Pieces

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from privgate.encoding import BinaryRows

TILE = (64, 512)
"""Rows and base rows compared together: their words fill 256 KB, part of a core's cache."""
IN_BYTE = 3
"""Words whose unequal bits, at most 64 each, are added up in a byte."""
IN_SHORT = 1020
"""Words whose unequal bits are added up in 16 bits; a multiple of ``IN_BYTE``."""
PLACE_BITS = 12
BLOCK = 2**PLACE_BITS
"""Rows, and base rows, whose distances are held at a time."""
INDEX_BITS = np.uint64(32)
MOST_BLOCKS = 4
ROWS_FOR_ONE = 16
"""A block has so many rows for each that is asked for, for in each block as many are found."""


@dataclass(frozen=True)
class HammingTiles:
    """Counts unequal bits of all pairs of rows; every tile serves both directions.

    ``here`` and ``there`` are the words of queries and base rows, a row for each word.
    """

    here: NDArray[np.uint64]
    there: NDArray[np.uint64]
    k: int
    k_back: int
    within: bool
    pieces: Pieces | None

    @classmethod
    def of(cls, question: Question[BinaryRows]) -> HammingTiles:
        """Return the engine for a question."""
        here, there = (
            np.ascontiguousarray(rows.words.T) for rows in (question.queries, question.base)
        )
        pieces = Pieces.of(question.queries.words, question.base.words)
        return cls(here, there, question.k, question.k_back, question.within, pieces)

    def parts(self) -> list[slice]:
        """Return blocks of queries; within one table each is compared with itself and those after.

        Small tables that ask for long lists have few blocks.
        """
        rows = self.here.shape[1]
        back = self.k if self.within else self.k_back
        blocks = min(MOST_BLOCKS, rows // (ROWS_FOR_ONE * back)) if back else MOST_BLOCKS
        step = min(BLOCK, -(-rows // max(1, blocks)))
        return [slice(start, min(start + step, rows)) for start in range(0, rows, step)]

    def candidates(self, part: slice) -> Candidates:
        """Return exactly the nearest pairs of a block of queries."""
        forward = np.empty((part.stop - part.start, 0), np.uint64)
        backward = [Pairs.none()]
        for columns in self._columns(part):
            unequal = self._unequal(part, columns)
            near = _nearest(unequal, columns.start, self.k + self.within)
            forward = _least(np.concatenate([forward, near], axis=1), self.k + self.within)
            k_back = self.k if self.within and columns.start >= part.stop else self.k_back
            if k_back:
                back = _pairs(_nearest(unequal.T, part.start, k_back), columns.start)
                backward.append(Pairs(back.base, back.query))
        return Candidates(
            _pairs(forward, part.start),
            Pairs(
                np.concatenate([pairs.query for pairs in backward]),
                np.concatenate([pairs.base for pairs in backward]),
            ),
        )

    def _columns(self, part: slice) -> list[slice]:
        """Return the blocks of base rows that a block of queries is compared with."""
        stop = self.there.shape[1]
        first = [part] if self.within else []
        starts = range(part.stop if self.within else 0, stop, BLOCK)
        return first + [slice(start, min(start + BLOCK, stop)) for start in starts]

    def _unequal(self, rows: slice, columns: slice) -> NDArray[np.uint32]:
        """Return the number of unequal bits of all pairs of two blocks."""
        here, there = self.here[:, rows], self.there[:, columns]
        if self.pieces is None:
            return _compared(here, there)
        found = np.zeros((here.shape[1], there.shape[1]), np.uint32)
        total, held = np.zeros(found.shape, np.uint16), 0
        kinds = zip(self.pieces.here[:, rows], self.pieces.there[:, columns], strict=True)
        for words, (mine, theirs) in zip(self.pieces.words, kinds, strict=True):
            held += words.stop - words.start
            if held > IN_SHORT:
                found += total
                total[:], held = 0, words.stop - words.start
            _add_pieces(total, (here[words], there[words]), (mine, theirs))
        found += total
        return found


def _add_pieces(
    total: NDArray[np.uint16],
    words: tuple[NDArray[np.uint64], NDArray[np.uint64]],
    kinds: tuple[NDArray[np.int32], NDArray[np.int32]],
) -> None:
    """Add the unequal bits of one piece of all pairs, each two kinds of it compared once."""
    (first, row), (other, column) = (_numbered(kind) for kind in kinds)
    table = _compared(words[0][:, first], words[1][:, other]).astype(np.uint16)
    across = table[:, column]
    for start in range(0, len(row), TILE[0]):
        total[start : start + TILE[0]] += across[row[start : start + TILE[0]]]


def _numbered(kinds: NDArray[np.int32]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return where each kind that is present has a row, and the number of each row's kind.

    Examples
    --------
    >>> [found.tolist() for found in _numbered(np.array([4, 2, 2], np.int32))]
    [[2, 0], [1, 0, 0]]
    """
    place = np.full(int(kinds.max()) + 1, -1)
    place[kinds] = np.arange(len(kinds))
    number = np.cumsum(place >= 0) - 1
    return place[place >= 0], number[kinds]


def _compared(here: NDArray[np.uint64], there: NDArray[np.uint64]) -> NDArray[np.uint32]:
    """Return the number of unequal bits of all pairs of columns."""
    found = np.zeros((here.shape[1], there.shape[1]), np.uint32)
    for row in range(0, here.shape[1], TILE[0]):
        mine = here[:, row : row + TILE[0], None]
        for column in range(0, there.shape[1], TILE[1]):
            theirs = there[:, None, column : column + TILE[1]]
            tile = found[row : row + TILE[0], column : column + TILE[1]]
            for word in range(0, len(mine), IN_SHORT):
                some = slice(word, word + IN_SHORT)
                tile += _unequal_bits(mine[some], theirs[some])
    return found


def _unequal_bits(here: NDArray[np.uint64], there: NDArray[np.uint64]) -> NDArray[np.uint16]:
    """Return the number of unequal bits of at most ``IN_SHORT`` words, the first axis."""
    shape = np.broadcast_shapes(here.shape[1:], there.shape[1:])
    unequal, total = np.empty(shape, np.uint64), np.zeros(shape, np.uint16)
    count, few = np.empty(shape, np.uint8), np.empty(shape, np.uint8)
    for start in range(0, len(here), IN_BYTE):
        few.fill(0)
        for word in range(start, min(start + IN_BYTE, len(here))):
            np.bitwise_xor(here[word], there[word], out=unequal)
            np.bitwise_count(unequal, out=count)
            np.add(few, count, out=few)
        total += few
    return total


def _nearest(unequal: NDArray[np.uint32], first: int, k: int) -> NDArray[np.uint64]:
    """Return the k least keys of each row: the distance above, the index of the column below."""
    wide = np.uint64 if unequal.max() >= 2 ** (32 - PLACE_BITS) else np.uint32
    keys: NDArray[Any] = unequal.astype(wide, order="C")
    keys <<= wide(PLACE_BITS)
    keys |= np.arange(unequal.shape[1], dtype=wide)
    nearest = _least(keys, k).astype(np.uint64)
    place = nearest & np.uint64(BLOCK - 1)
    return ((nearest >> np.uint64(PLACE_BITS)) << INDEX_BITS) + (place + np.uint64(first))


def _least(keys: NDArray[Any], k: int) -> NDArray[Any]:
    """Return the k least of each row, in any order."""
    if k == 1:
        return np.asarray(keys.min(axis=1, keepdims=True))
    if k == 0 or k >= keys.shape[1]:
        return keys[:, :k]
    return np.partition(keys, k - 1, axis=1)[:, :k]


def _pairs(keys: NDArray[np.uint64], first: int) -> Pairs:
    """Return the pairs that keys of some rows stand for."""
    rows, k = keys.shape
    row = np.repeat(np.arange(first, first + rows), k)
    return Pairs(row, (keys.ravel() & np.uint64(2**32 - 1)).astype(np.int64))
