"""A synthesiser of sequential trees for tables with numbers and categories.

The first column is a bootstrap sample. For every further column a tree learns it from the columns
before; a new record falls into a leaf and gets the value of a real person who fell there too. This
is what the R package synthpop does by default (Nowok, Raab and Dibben 2016, doi
10.18637/jss.v074.i11).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

if TYPE_CHECKING:
    from numpy.typing import NDArray

SMALLEST_LEAF = 5


def synthesised(
    train: pd.DataFrame, rng: np.random.Generator, *, rows: int | None = None
) -> pd.DataFrame:
    """Return a synthetic table, drawn column by column in the order of the table's columns.

    It has as many rows as ``train`` unless ``rows`` says otherwise. Missing values are values like
    any other.
    """
    first, *others = train.columns
    size = len(train) if rows is None else rows
    made = {first: train[first].to_numpy()[rng.integers(len(train), size=size)]}
    for place, name in enumerate(others, start=1):
        known = train[train.columns[:place]]
        made[name] = drawn(train[name], known, pd.DataFrame(made), rng)
    return pd.DataFrame(made)


def drawn(
    target: pd.Series, known: pd.DataFrame, new: pd.DataFrame, rng: np.random.Generator
) -> NDArray[np.generic]:
    """Return for each new record the value of a real person in the same leaf."""
    seed = int(rng.integers(2**31))
    if is_number(target):
        tree = DecisionTreeRegressor(min_samples_leaf=SMALLEST_LEAF, random_state=seed)
        values = target.fillna(target.median())
    else:
        tree = DecisionTreeClassifier(min_samples_leaf=SMALLEST_LEAF, random_state=seed)
        values = texts(target)
    tree.fit(features(known, known), values)
    leaf = tree.apply(features(known, known))
    sizes = np.bincount(leaf, minlength=tree.tree_.node_count)
    starts = np.cumsum(sizes) - sizes
    landed = tree.apply(features(new, known))
    people = np.argsort(leaf, kind="stable")
    return target.to_numpy()[people[starts[landed] + rng.integers(sizes[landed])]]


def features(table: pd.DataFrame, known: pd.DataFrame) -> NDArray[np.float64]:
    """Return numbers as they are, a missing one as the median, and 0/1 for each known category."""
    found = []
    for name in known:
        if is_number(known[name]):
            found.append(table[name].fillna(known[name].median()).to_numpy(np.float64))
        else:
            own = texts(table[name])
            found += [(own == level).astype(np.float64) for level in np.unique(texts(known[name]))]
    return np.column_stack(found)


def texts(column: pd.Series) -> NDArray[np.str_]:
    """Return categories as text; a missing one is empty."""
    return column.astype("object").where(column.notna(), "").to_numpy().astype(np.str_)


def is_number(column: pd.Series) -> bool:
    """Return whether a column holds numbers."""
    return bool(pd.api.types.is_numeric_dtype(column) and not pd.api.types.is_bool_dtype(column))
