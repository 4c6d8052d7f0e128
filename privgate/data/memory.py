"""Memory that reading needed and measuring does not."""

from __future__ import annotations

import ctypes
import sys

import pyarrow as pa


def return_unused() -> None:
    """Return to the system what Arrow and the C library keep for later of memory that is free.

    Files are read into Arrow's memory and columns sorted in that of the C library. Neither can use
    what the other keeps, and a search puts its large arrays elsewhere again: after three tables of
    a million rows and ten numbers, 560 MiB lay unused. Where the C library has no such function,
    nothing happens.
    """
    pa.default_memory_pool().release_unused()
    if sys.platform == "linux":
        trim = getattr(ctypes.CDLL(None), "malloc_trim", None)  # glibc has it, musl has not
        if trim is not None:
            trim(0)
