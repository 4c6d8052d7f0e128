"""How rows are divided, so that a table of distances can be held at one time."""

from __future__ import annotations

TILE_BYTES = 32 * 2**20


def row_blocks(queries: int, base: int) -> list[slice]:
    """Return the queries in blocks whose distances to all base rows fit in one tile.

    Examples
    --------
    >>> [block.stop - block.start for block in row_blocks(10, 2**20)]
    [4, 4, 2]
    """
    step = max(1, TILE_BYTES // (8 * max(1, base)))
    return blocks(0, queries, step)


def blocks(start: int, stop: int, step: int) -> list[slice]:
    """Return what lies from ``start`` up to ``stop`` in blocks of at most ``step``."""
    return [slice(at, min(at + step, stop)) for at in range(start, stop, step)]
