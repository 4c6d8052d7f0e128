"""Invented people with the columns of the census table Adult: 6 numbers, 9 columns of levels."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from numpy.typing import NDArray

LEVELS = {
    "workclass": 9,
    "education": 16,
    "marital_status": 7,
    "occupation": 15,
    "relationship": 6,
    "race": 5,
    "sex": 2,
    "native_country": 42,
    "income": 2,
}
NUMBERS = ("age", "fnlwgt", "education_num", "capital_gain", "capital_loss", "hours_per_week")
SENSITIVE = ("hours_per_week", "income")
OTHER = ("fnlwgt", "education_num", "capital_gain", "capital_loss")
NAMES = (
    "age",
    "workclass",
    "fnlwgt",
    "education",
    "education_num",
    "marital_status",
    "occupation",
    "relationship",
    "race",
    "sex",
    "capital_gain",
    "capital_loss",
    "hours_per_week",
    "native_country",
    "income",
)
TABLES = ("train", "holdout", "synthetic")
SORTS = 60


def role(name: str) -> str:
    """Return the role of a column."""
    if name in SENSITIVE:
        return "sensitive"
    return "other" if name in OTHER else "quasi_identifier"


COLUMNS: Mapping[str, Mapping[str, Any]] = {
    name: {"type": "numeric" if name in NUMBERS else "categorical", "role": role(name)}
    for name in NAMES
}


def people(rows: int, seed: int) -> pd.DataFrame:
    """Return people of 60 sorts, whose levels and numbers depend on the sort as a rule.

    What is usual for a sort is the same for every seed, so two seeds are two samples of one
    population.
    """
    usual = np.random.default_rng(0)
    rng = np.random.default_rng([1, seed])
    sort = rng.choice(SORTS, rows, p=usual.dirichlet(np.ones(SORTS)))
    columns = {name: _levels(usual, rng, sort, count, name[0]) for name, count in LEVELS.items()}
    age = usual.integers(22, 70, SORTS)[sort] + rng.normal(0, 8, rows)
    columns["age"] = np.clip(np.rint(age), 17, 90).astype(int)
    columns["fnlwgt"] = np.rint(np.exp(rng.normal(12, 0.55, rows))).astype(int)
    columns["education_num"] = pd.Series(columns["education"]).str[1:].astype(int).to_numpy()
    columns["capital_gain"] = _rare(rng, rows, share=0.08, middle=5000)
    columns["capital_loss"] = _rare(rng, rows, share=0.05, middle=1900)
    hours = usual.integers(20, 60, SORTS)[sort] + rng.normal(0, 6, rows)
    columns["hours_per_week"] = np.where(
        rng.random(rows) < 0.45, 40, np.clip(np.rint(hours), 1, 99)
    ).astype(int)
    return pd.DataFrame({name: columns[name] for name in NAMES})


def _levels(
    usual: np.random.Generator,
    rng: np.random.Generator,
    sort: NDArray[np.int64],
    count: int,
    letter: str,
) -> NDArray[np.str_]:
    frequency = usual.dirichlet(np.full(count, 0.6))
    own = usual.choice(count, SORTS, p=frequency)[sort]
    level = np.where(rng.random(len(sort)) < 0.7, own, rng.choice(count, len(sort), p=frequency))
    return np.char.add(letter, level.astype(str))


def _rare(rng: np.random.Generator, rows: int, *, share: float, middle: float) -> NDArray[np.int64]:
    """Return round amounts that few people have, 0 for the others."""
    amounts = np.rint(np.exp(rng.normal(np.log(middle), 0.5, rows)) / 50) * 50
    return np.where(rng.random(rows) < share, amounts, 0).astype(np.int64)


def write(folder: Path, sizes: Mapping[str, int]) -> None:
    """Write the tables as CSV files, and the release file that describes them."""
    folder.mkdir(parents=True, exist_ok=True)
    for seed, table in enumerate(TABLES):
        people(sizes[table], seed).to_csv(folder / f"{table}.csv", index=False)
    lines = ["privgate: release/v1", "name: adult-shaped", "unit: person", "data:"]
    lines += [f"  {table}: {{path: {table}.csv}}" for table in TABLES]
    lines += ["columns:"]
    lines += [
        f"  {name}: {{type: {stated['type']}, role: {stated['role']}}}"
        for name, stated in COLUMNS.items()
    ]
    (folder / "release.yaml").write_text("\n".join(lines) + "\n", encoding="utf-8")
