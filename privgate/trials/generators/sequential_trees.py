"""Sequential trees: one decision tree per column, and real values drawn from its leaves.

The first column is a bootstrap sample. Every further column is predicted by a tree from the columns
before it; a new record falls into a leaf and gets the value of a real person who fell there too.
Tree synthesisers commonly work this way by default. It follows the data closely, and that is its
fault: a leaf may hold as few as five people, and a chain of leaves may lead back to one of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

if TYPE_CHECKING:
    from numpy.typing import NDArray

SMALLEST_LEAF = 5


@dataclass(frozen=True)
class Leaves:
    """A fitted tree for one column with the real values in each of its leaves.

    ``values`` lists the real values leaf by leaf; leaf number ``k`` owns the ``sizes[k]`` values
    that begin at ``starts[k]``.
    """

    tree: DecisionTreeClassifier | DecisionTreeRegressor
    values: NDArray[np.generic]
    starts: NDArray[np.int64]
    sizes: NDArray[np.int64]

    def draw(self, known: NDArray[np.float64], rng: np.random.Generator) -> NDArray[np.generic]:
        """Return, for each record, the value of a random real person in the same leaf."""
        leaf: NDArray[np.int64] = self.tree.apply(known)
        chosen: NDArray[np.int64] = self.starts[leaf] + rng.integers(self.sizes[leaf])
        return self.values[chosen]


@dataclass(frozen=True)
class SequentialTrees:
    """What the generator remembers: the first column and a tree with leaves for each other one."""

    names: tuple[str, ...]
    first: NDArray[np.generic]
    others: tuple[Leaves, ...]

    def sample(self, rows: int, rng: np.random.Generator) -> pd.DataFrame:
        """Return ``rows`` new records, drawn column by column."""
        columns = [rng.choice(self.first, size=rows)]
        for leaves in self.others:
            known = np.column_stack(columns).astype(np.float64)
            columns.append(leaves.draw(known, rng))
        return pd.DataFrame(dict(zip(self.names, columns, strict=True)))


def fit_sequential_trees(
    train: pd.DataFrame, *, smallest_leaf: int = SMALLEST_LEAF
) -> SequentialTrees:
    """Return the chain of trees, in the order of the table's columns."""
    names = tuple(str(name) for name in train.columns)
    table = train.to_numpy(dtype=np.float64)
    others = tuple(
        fit_leaves(table[:, :position], train[name].to_numpy(), smallest_leaf=smallest_leaf)
        for position, name in enumerate(names)
        if position > 0
    )
    return SequentialTrees(names, train[names[0]].to_numpy(), others)


def fit_leaves(
    known: NDArray[np.float64], values: NDArray[np.generic], *, smallest_leaf: int = SMALLEST_LEAF
) -> Leaves:
    """Return a tree that predicts ``values`` from the columns before, with its leaves filled."""
    kind = DecisionTreeClassifier if len(np.unique(values)) == 2 else DecisionTreeRegressor
    tree = kind(min_samples_leaf=smallest_leaf, random_state=0).fit(known, values)
    leaf = tree.apply(known)
    sizes = np.bincount(leaf, minlength=tree.tree_.node_count)
    return Leaves(
        tree=tree,
        values=values[np.argsort(leaf, kind="stable")],
        starts=np.cumsum(sizes) - sizes,
        sizes=sizes,
    )
