"""Digests of a table's content that no storage detail can change."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import numpy as np

from privgate.data.digests import Digesting

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from privgate.data.canonical import CanonicalColumn
    from privgate.data.digests import Digests


def content_digest(columns: Mapping[str, CanonicalColumn], order: NDArray[np.int64]) -> Digests:
    """Return the digests of a table's canonical content, its rows taken in the given order.

    With the rows sorted by all columns they depend on nothing but names and values: not on
    file format, stored types, order of columns or rows, nor on the other tables of the release.
    """
    whole = Digesting(f"privgate content v1, {len(order)} rows\n".encode())
    for name in sorted(columns):
        column = columns[name]
        values, levels = column.values, None
        if column.levels is not None:
            values, levels = _used(values, column.levels)
        head = json.dumps([name, levels], ensure_ascii=True, separators=(",", ":"))
        whole.add(head.encode())
        kind = "<f8" if levels is None else "<i4"
        canonical = np.ascontiguousarray(values[order], dtype=kind)
        if levels is None:
            canonical[np.isnan(canonical)] = np.nan  # one bit pattern for all of them
        whole.add(canonical.tobytes())
    return whole.digests()


def _used(
    codes: NDArray[np.float64] | NDArray[np.int32], levels: tuple[str, ...]
) -> tuple[NDArray[np.int32], list[str]]:
    """Return codes into the levels that occur, sorted by text."""
    occurring = np.unique(codes[codes >= 0]).astype(np.int64)
    texts = sorted(levels[code] for code in occurring)
    rank = {text: place for place, text in enumerate(texts)}
    lookup = np.full(len(levels) + 1, -1, dtype=np.int32)
    lookup[occurring] = [rank[levels[code]] for code in occurring]
    return lookup[codes.astype(np.int64)], texts
