"""Releases that the conformance of metrics is tried on: honest, copied, turned round, arrays."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from privgate.data import (
    Totals,
    published_from_frame,
    release_from_arrays,
    release_from_frames,
)
from privgate.testing.samples import SURVEY_COLUMNS, survey

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from privgate.data import Release

COLUMNS: Mapping[str, Mapping[str, Any]] = {
    **SURVEY_COLUMNS,
    "person": {"type": "categorical", "role": "identifier"},
}
ARRAY_DISTANCES = ("hamming", "euclidean", "cosine")
PUBLISHED = published_from_frame(
    pd.DataFrame({"sex": ["f", "m", "all"], "people": [40, 3, 43]}),
    counts=["people"],
    totals=Totals(of=("sex",), level="all"),
)
RARE_LEVEL = "Quirrenbach-7351"  # what a rare value looks like, and nothing else in evidence does


def frames(train: int = 220, holdout: int = 160) -> dict[str, pd.DataFrame]:
    """Return three surveys of one population; ``person`` says whom a synthetic row is made from.

    Examples
    --------
    >>> {name: len(table) for name, table in frames(30, 20).items()}
    {'train': 30, 'holdout': 20, 'synthetic': 30}
    """
    rows = {"train": train, "holdout": holdout, "synthetic": train}
    return {
        name: survey(count, seed).assign(person=[f"p{place}" for place in range(count)])
        for seed, (name, count) in enumerate(rows.items(), start=1)
    }


def table_release(
    tables: Mapping[str, pd.DataFrame], columns: Mapping[str, Mapping[str, Any]] = COLUMNS
) -> Release:
    """Return a release of surveys with a table of counts beside it, and rows that correspond."""
    release = release_from_frames(
        train=tables["train"],
        synthetic=tables["synthetic"],
        holdout=tables.get("holdout"),
        columns=columns,
    )
    facts = release.facts.model_copy(update={"correspondence": {"key": "person"}})
    return replace(release, facts=facts).accompanied_by((PUBLISHED,))


def copied(tables: Mapping[str, pd.DataFrame]) -> dict[str, pd.DataFrame]:
    """Return the tables with the train rows, shuffled, as the synthetic ones."""
    return {**tables, "synthetic": tables["train"].sample(frac=1, random_state=5)}


def shuffled(tables: Mapping[str, pd.DataFrame]) -> dict[str, pd.DataFrame]:
    """Return the tables with each synthetic column in an order of its own: no associations left."""
    rng = np.random.default_rng(11)
    table = tables["synthetic"]
    columns = {name: table[name].to_numpy()[rng.permutation(len(table))] for name in table}
    return {**tables, "synthetic": pd.DataFrame(columns)}


def turned_round(tables: Mapping[str, pd.DataFrame]) -> dict[str, pd.DataFrame]:
    """Return the same tables with rows and columns in other orders and values of other types."""
    turned = {}
    for seed, (name, table) in enumerate(tables.items()):
        other = table.sample(frac=1, random_state=seed)[sorted(table.columns, reverse=True)]
        other["age"] = other["age"].astype(str)
        other["married"] = other["married"].map({True: "True", False: "false"})
        other["since"] = other["since"].dt.strftime("%Y-%m-%d")
        turned[name] = other
    return turned


def with_a_rare_level(tables: Mapping[str, pd.DataFrame]) -> dict[str, pd.DataFrame]:
    """Return the tables with one person in train and one synthetic row of a level of their own."""
    rare = {name: table.copy() for name, table in tables.items()}
    for name in ("train", "synthetic"):
        for column in ("region", "smoker"):
            rare[name].loc[3, column] = RARE_LEVEL
    return rare


def constant_release() -> Release:
    """Return a release in which every record of every table is the same."""
    constant = pd.DataFrame({"a": ["x"] * 60, "b": [1.0] * 60})
    return release_from_frames(
        train=constant,
        synthetic=constant,
        columns={
            "a": {"type": "categorical", "role": "quasi_identifier"},
            "b": {"type": "numeric", "role": "sensitive"},
        },
    )


def matrices(distance: str, train: int = 150, holdout: int = 120) -> dict[str, NDArray[Any]]:
    """Return three draws from one population.

    For the Hamming distance these are 0/1 rows of three families, else points in six dimensions.
    """
    rng = np.random.default_rng(3)
    rows = {"train": train, "holdout": holdout, "synthetic": train}
    if distance == "hamming":
        families = rng.random((3, 1000))
        return {
            name: (rng.random((count, 1000)) < families[rng.integers(0, 3, count)]).astype(np.int8)
            for name, count in rows.items()
        }
    return {name: rng.normal(size=(count, 6)) + 0.5 for name, count in rows.items()}


def array_release(
    distance: str, tables: Mapping[str, NDArray[Any]], correspondence: str | None = "same_order"
) -> Release:
    """Return a release of arrays, with a table of counts beside it."""
    release = release_from_arrays(
        train=tables["train"],
        synthetic=tables["synthetic"],
        holdout=tables.get("holdout"),
        distance=distance,
    )
    facts = release.facts.model_copy(update={"correspondence": correspondence})
    return replace(release, facts=facts).accompanied_by((PUBLISHED,))
