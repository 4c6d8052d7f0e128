"""Ways to find the rows that may be nearest, none of which can miss one."""

from privgate.neighbors.engines.brute import Brute
from privgate.neighbors.engines.choice import FEWEST_PAIRS, engine_for
from privgate.neighbors.engines.contract import Candidates, Engine, Pairs, Question
from privgate.neighbors.engines.gower import GowerScreen
from privgate.neighbors.engines.hamming import HammingTiles
from privgate.neighbors.engines.screen import Screen
from privgate.neighbors.engines.tree import Tree

__all__ = [
    "FEWEST_PAIRS",
    "Brute",
    "Candidates",
    "Engine",
    "GowerScreen",
    "HammingTiles",
    "Pairs",
    "Question",
    "Screen",
    "Tree",
    "engine_for",
]
