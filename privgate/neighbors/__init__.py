"""Exact nearest neighbours, searched once per run and shared by all metrics."""

from privgate.neighbors.lists import Nearest, NeighbourList
from privgate.neighbors.search import LIST_LENGTH, search_across, search_within
from privgate.neighbors.sets import Neighbours
from privgate.neighbors.shared import View, shared_neighbour
from privgate.neighbors.ties import NearestGroups, search_groups

__all__ = [
    "LIST_LENGTH",
    "Nearest",
    "NearestGroups",
    "NeighbourList",
    "Neighbours",
    "View",
    "search_across",
    "search_groups",
    "search_within",
    "shared_neighbour",
]
