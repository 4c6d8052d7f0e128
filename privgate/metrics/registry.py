"""Which metrics there are."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from privgate.metrics.contract import Metric

if TYPE_CHECKING:
    from collections.abc import Mapping

FOLDERS = ("privgate.metrics.attacks", "privgate.metrics.screens", "privgate.metrics.utility")


@cache
def all_metrics() -> Mapping[str, Metric[Any]]:
    """Return every metric by name, in the order of the names.

    Raises
    ------
    RuntimeError
        If two metrics have one name, or a metric's file is not named after it.

    Examples
    --------
    >>> "rapid" in all_metrics()
    True
    """
    found: dict[str, Metric[Any]] = {}
    for folder in FOLDERS:
        for info in iter_modules(import_module(folder).__path__):
            if info.name.startswith("_"):
                continue
            module = import_module(f"{folder}.{info.name}")
            for value in vars(module).values():
                if isinstance(value, Metric):
                    _add(found, value, info.name)
    return MappingProxyType(dict(sorted(found.items())))


def _add(found: dict[str, Metric[Any]], metric: Metric[Any], file: str) -> None:
    if metric.name in found:
        raise RuntimeError(f"two metrics are called {metric.name!r}")
    if metric.name != file:
        raise RuntimeError(f"metric {metric.name!r} lives in a file called {file!r}")
    found[metric.name] = metric
