"""Exact nearest neighbours, searched once per run and shared by all metrics."""

from privgate.neighbors.cells import Cells
from privgate.neighbors.groups import NearestGroups, search_groups, tied_nearest
from privgate.neighbors.lists import Nearest, NeighbourList
from privgate.neighbors.search import LIST_LENGTH, search_across, search_nearest, search_within
from privgate.neighbors.sets import Neighbours
from privgate.neighbors.shared import View, shared_neighbour
from privgate.neighbors.ties import from_tied_nearest

__all__ = [
    "LIST_LENGTH",
    "Cells",
    "Nearest",
    "NearestGroups",
    "NeighbourList",
    "Neighbours",
    "View",
    "from_tied_nearest",
    "search_across",
    "search_groups",
    "search_nearest",
    "search_within",
    "shared_neighbour",
    "tied_nearest",
]
