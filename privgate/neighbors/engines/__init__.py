"""Ways to find the rows that may be nearest, none of which can miss one."""

from privgate.neighbors.engines.brute import Brute
from privgate.neighbors.engines.choice import engine_for
from privgate.neighbors.engines.contract import Candidates, Engine, Pairs, Question

__all__ = ["Brute", "Candidates", "Engine", "Pairs", "Question", "engine_for"]
