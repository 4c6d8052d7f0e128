"""Cells as clean text."""

from __future__ import annotations

from typing import TYPE_CHECKING
from unicodedata import normalize

import pyarrow as pa
import pyarrow.compute as pc

if TYPE_CHECKING:
    from collections.abc import Collection

    import numpy as np
    from numpy.typing import NDArray


class UnreadableCells(Exception):  # noqa: N818 - what was found, not a fault of the program
    """Some or all cells of a column cannot be read as declared.

    ``bad`` marks the rows, or is ``None`` when the column as a whole cannot be read.
    """

    def __init__(self, message: str, remedy: str, bad: NDArray[np.bool_] | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.remedy = remedy
        self.bad = bad


def is_text(kind: pa.DataType) -> bool:
    """Return whether cells of an Arrow type are text."""
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind) or _is_string_view(kind))


def _is_string_view(kind: pa.DataType) -> bool:
    return bool(pa.types.is_string_view(kind))


def plain(column: pa.ChunkedArray) -> pa.Array:
    """Return a column as one array without dictionary or run-length encoding."""
    array = pa.chunked_array(column).combine_chunks() if column.num_chunks != 1 else column.chunk(0)
    if isinstance(array, pa.ChunkedArray):  # nothing to combine, or too long for one text array
        wide = pa.large_string() if is_text(array.type) else array.type
        array = pa.concat_arrays(
            [chunk.cast(wide) for chunk in array.chunks] or [pa.array([], wide)]
        )
    if pa.types.is_dictionary(array.type):
        array = array.dictionary_decode()
    if pa.types.is_run_end_encoded(array.type):
        array = pc.run_end_decode(array)
    return array


def clean(array: pa.Array, missing: Collection[str]) -> pa.Array:
    """Return text cells without surrounding white space, in Unicode normal form C.

    Cells that mean a missing value are null.

    Examples
    --------
    >>> clean(pa.array([" a ", "NA", None]), {"NA"}).to_pylist()
    ['a', None, None]
    """
    text = _composed(pc.utf8_trim_whitespace(_wide(array)))
    tokens = pa.array(sorted(missing), pa.large_string())
    absent = pc.is_in(text, value_set=tokens)
    return pc.if_else(absent, pa.scalar(None, pa.large_string()), text)


def _wide(array: pa.Array) -> pa.Array:
    if _is_string_view(array.type):  # Arrow casts these in its later versions only
        return pa.array(array.to_pylist(), pa.large_string())
    return array.cast(pa.large_string())


def _composed(text: pa.Array) -> pa.Array:
    """Return text in normal form C by Python's tables: those of early Arrow versions differ."""
    if pc.all(pc.string_is_ascii(text)).as_py() is not False:
        return text
    encoded = pc.dictionary_encode(text)
    forms = [normalize("NFC", value) for value in encoded.dictionary.to_pylist()]
    return pa.array(forms, pa.large_string()).take(encoded.indices)


def flags(array: pa.Array) -> NDArray[np.bool_]:
    """Return truth values as a NumPy array; null is false."""
    found: NDArray[np.bool_] = pc.fill_null(array, pa.scalar(value=False)).to_numpy(
        zero_copy_only=False
    )
    return found
