"""Which engine answers a question: a fixed rule over the data, never over the clock."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from privgate.neighbors.engines.brute import Brute

if TYPE_CHECKING:
    from privgate.neighbors.engines.contract import Engine, Question

FEWEST_PAIRS = 10**6
"""With fewer pairs than this all of them are measured."""


def engine_for(question: Question[Any]) -> Engine:
    """Return the engine for a question."""
    return Brute(question)
