"""Exact nearest neighbours, searched once per run and shared by all metrics."""

from privgate.neighbors.lists import Nearest, NeighbourList
from privgate.neighbors.search import LIST_LENGTH, search_across, search_within
from privgate.neighbors.sets import Neighbours
from privgate.neighbors.ties import from_tied_nearest

__all__ = [
    "LIST_LENGTH",
    "Nearest",
    "NeighbourList",
    "Neighbours",
    "from_tied_nearest",
    "search_across",
    "search_within",
]
