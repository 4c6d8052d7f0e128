"""Two small synthesisers for numbers: a modest one, and one that remembers single people."""

from privgate.trials.generators.gaussian_copula import GaussianCopula, fit_gaussian_copula
from privgate.trials.generators.sequential_trees import SequentialTrees, fit_sequential_trees

__all__ = ["GaussianCopula", "SequentialTrees", "fit_gaussian_copula", "fit_sequential_trees"]
