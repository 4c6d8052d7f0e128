"""Metrics of ACME for privgate."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from privgate.metrics import Metric


def metrics() -> Iterable[Metric[Any]]:
    """Return the metrics of this distribution: what the entry point names."""
    from acme_metrics.k_map import k_map  # noqa: PLC0415 - only when a policy asks for it

    return (k_map,)
