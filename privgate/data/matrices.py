"""Matrices of records: packed if they hold 0 and 1, compared and digested by content."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from privgate.data.digests import Digesting

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from privgate.data.digests import Digests

BLOCK = 2**22  # numbers looked at together, so that wide arrays need little memory of their own


def packed_words(matrix: NDArray[np.number] | NDArray[np.bool_]) -> NDArray[np.uint64]:
    """Return the rows of a 0/1 matrix packed into 64-bit words, the last one filled up with 0.

    Examples
    --------
    >>> packed_words(np.zeros((2, 65), np.int8)).shape
    (2, 2)
    """
    packed = np.packbits(matrix != 0, axis=1)
    padded = np.zeros((len(packed), -(-packed.shape[1] // 8) * 8), np.uint8)
    padded[:, : packed.shape[1]] = packed
    return padded.view(np.uint64)


def unpacked(
    matrix: NDArray[np.float64] | NDArray[np.uint64], dimensions: int
) -> NDArray[np.float64]:
    """Return the numbers of rows that may be packed.

    Examples
    --------
    >>> unpacked(packed_words(np.array([[0, 1, 1]])), 3).tolist()
    [[0.0, 1.0, 1.0]]
    """
    if matrix.dtype.kind == "f":
        return matrix.astype(np.float64)
    bits = np.unpackbits(np.ascontiguousarray(matrix).view(np.uint8), axis=1)
    return bits[:, :dimensions].astype(np.float64)


def is_binary(matrix: NDArray[np.number] | NDArray[np.bool_]) -> bool:
    """Return whether a matrix holds nothing but 0 and 1."""
    return all(
        bool(((block == 0) | (block == 1)).all())
        for block in (matrix[rows] for rows in row_slices(matrix))
    )


def row_slices(matrix: NDArray[np.generic]) -> Iterator[slice]:
    """Yield slices that together hold all rows, each of at most about four million numbers."""
    step = max(1, BLOCK // max(1, matrix.shape[1]))
    for start in range(0, len(matrix), step):
        yield slice(start, start + step)


def matrix_ranks(matrix: NDArray[np.float64] | NDArray[np.uint64]) -> NDArray[np.int64]:
    """Return the dense rank of each row in an order by content; equal rows share a rank.

    Packed rows come in the order that the same 0/1 rows have as numbers. The rows hold no negative
    zero and no NaN.

    Examples
    --------
    >>> matrix_ranks(np.array([[1.0, 0.0], [0.0, 2.0], [1.0, 0.0]])).tolist()
    [1, 0, 1]
    """
    width = matrix.shape[1] * matrix.itemsize
    if matrix.dtype.kind == "f":  # most significant byte first on any machine
        matrix = matrix.astype(">f8")
    rows = np.ascontiguousarray(matrix).view(np.dtype((np.void, width)))[:, 0]
    return np.unique(rows, return_inverse=True)[1].astype(np.int64)


def matrix_content(
    matrix: NDArray[np.float64] | NDArray[np.uint64], *, dimensions: int
) -> tuple[NDArray[np.int64], Digests, int]:
    """Return the order of a matrix's rows by content, its digests and its number of distinct rows.

    The digests depend on nothing but the numbers: not on their stored type, the file
    format, the order of rows or the distance of the release.
    """
    ranks = matrix_ranks(matrix)
    order = np.argsort(ranks, kind="stable")
    return order, _digests(matrix, order, dimensions), int(ranks.max()) + 1


def _digests(
    matrix: NDArray[np.float64] | NDArray[np.uint64], order: NDArray[np.int64], dimensions: int
) -> Digests:
    if matrix.dtype.kind == "f" and is_binary(matrix):
        matrix = packed_words(matrix)
    kind = "numbers" if matrix.dtype.kind == "f" else "0/1"
    head = f"privgate content v1, array of {len(order)} rows, {dimensions} dimensions, {kind}\n"
    whole = Digesting(head.encode())
    for rows in row_slices(matrix):
        part = matrix[order[rows]]
        # Packed words are bytes in the order of the positions, numbers are little-endian.
        canonical = part.astype("<f8") if part.dtype.kind == "f" else part.view(np.uint8)
        whole.add(np.ascontiguousarray(canonical).tobytes())
    return whole.digests()
