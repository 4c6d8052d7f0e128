"""What a run is known by: everything that could change a digit of what it measures."""

from __future__ import annotations

import platform
import sys
from functools import cache
from hashlib import sha256
from importlib.metadata import distributions
from typing import TYPE_CHECKING, Any

import numpy as np
from threadpoolctl import threadpool_info

from privgate.evidence import JsonValue, canonical_bytes
from privgate.resources import code_sha256

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from privgate.data import Column, Release
    from privgate.engine.plan import Planned
    from privgate.engine.run import Conditions


def run_identity(release: Release, conditions: Conditions) -> bytes:
    """Return a digest of all that the measurements of a run depend on, their parameters aside.

    Rows and their order, declarations, seed and confidence; the code of privgate, the versions of
    all packages, Python and the kind of machine. Threads are not among it: they change nothing.
    """
    whole = sha256(b"privgate run v1\n")
    whole.update(canonical_bytes([conditions.seed, conditions.confidence, *_surroundings()]))
    columns = [_declared(column) for column in (*release.columns, *release.identifiers)]
    whole.update(canonical_bytes([str(release.distance), *columns]))
    whole.update(canonical_bytes(release.facts))
    for name, table in sorted(release.tables.items()):
        arrays: list[tuple[str, NDArray[np.generic]]] = sorted(table.values.items())
        arrays.append(("positions", table.positions))
        if table.matrix is not None:
            arrays.append(("matrix", table.matrix))
        for part, array in arrays:
            whole.update(canonical_bytes([name, part, array.dtype.str, list(array.shape)]))
            whole.update(np.ascontiguousarray(array).data)
    return whole.digest()


def entry_identity(entry: Planned) -> bytes:
    """Return a digest of what is measured: the metric, its version and its parameters."""
    card = entry.metric.card
    content: list[JsonValue] = [entry.id, card.name, card.version]
    return sha256(canonical_bytes(content) + canonical_bytes(entry.params)).digest()


def _declared(column: Column) -> JsonValue:
    return [column.name, str(column.type), str(column.role), list(column.levels)]


@cache
def _surroundings() -> tuple[JsonValue, ...]:
    """Return code, packages and kind of machine; linear algebra differs by processor."""
    packages = sorted(f"{found.metadata['Name']} {found.version}" for found in distributions())
    algebra = sorted({str(pool["architecture"]) for pool in threadpool_info() if _is_blas(pool)})
    machine = [platform.system(), platform.machine(), sys.byteorder, platform.python_version()]
    return (code_sha256(), list(packages), list(algebra), list(machine))


def _is_blas(pool: dict[str, Any]) -> bool:
    return pool.get("user_api") == "blas" and bool(pool.get("architecture"))
