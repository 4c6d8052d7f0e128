"""Writes the page "PRIVET where there is no leak", from releases of real people nobody copied.

``python benchmarks/privet_null.py --data FOLDER`` splits real data at random into train, holdout
and a table that is judged as if it were synthetic, and writes ``docs/privet-null.md``. The folder
holds ``kgp-805/haplotypes.npz``, ``kgp-chr20/haplotypes.npz`` and ``adult/adult.csv.xz``; the page
says where they come from. Data sets that are not there are left out; without any, nothing is
written.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from privgate.data import release_from_frames
from privgate.encoding import Distance, binary_space, space_of
from privgate.executors import Threads
from privgate.metrics.attacks.privet import PrivetParams, measure_privet
from privgate.neighbors import Neighbours
from privgate.stats.extremes import FitMode

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from numpy.random import Generator

    from privgate.evidence import Estimate

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "privet-null.md"
P_VALUES = ("p_pl", "p_npl", "p_exact")
ADULT_NUMBERS = ("age", "fnlwgt", "education_num", "capital_gain", "capital_loss", "hours_per_week")
FITS = (FitMode.CENSORED_MLE, FitMode.OLS_TAIL)
MOST_REJECTED = 0.12
CLEAN_SHARE = 28 / 30


@dataclass(frozen=True)
class Setting:
    """Real data to be split, and the function that makes one split of it."""

    title: str
    file: str
    distance: Distance
    split: Callable[[Path, Generator], Neighbours[Any]]
    bounded: bool = True


@dataclass(frozen=True)
class Null:
    """What PRIVET said of honest releases of one setting, one entry per release."""

    setting: Setting
    fit: FitMode
    figures: Sequence[dict[str, Estimate]]

    def values(self, figure: str) -> np.ndarray:
        """Return a figure of all releases; refuse a figure that is not known for each of them."""
        values = [one[figure].value for one in self.figures]
        if any(value is None for value in values):
            raise ValueError(f"{self.setting.title}: {figure} is not known for every release")
        return np.array(values, np.float64)

    @property
    def misses(self) -> list[str]:
        """Return which bounds are missed."""
        clean = (self.values("npl_decimated") == 0).mean()
        missed = [name for name in P_VALUES if self.rejected(name) > MOST_REJECTED]
        return missed + (["npl_decimated"] if clean < CLEAN_SHARE else [])

    def rejected(self, figure: str) -> float:
        """Return the share of releases with a p-value of at most 0.05."""
        return float((self.values(figure) <= 0.05).mean())


def haplotypes(size: int, rare: float) -> Callable[[Path, Generator], Neighbours[Any]]:
    """Return a split of a panel's haplotypes, without variants rarer than ``rare``."""

    def split(file: Path, rng: Generator) -> Neighbours[Any]:
        stored = np.load(file)
        matrix = np.unpackbits(stored["bits"], axis=1)[:, : int(stored["n_snps"])]
        frequency = matrix.mean(axis=0)
        matrix = matrix[:, np.minimum(frequency, 1 - frequency) >= rare]
        train, holdout, other = np.split(matrix[rng.permutation(len(matrix))[: 3 * size]], 3)
        return Neighbours(binary_space(train, other, holdout))

    return split


def adults(distance: Distance) -> Callable[[Path, Generator], Neighbours[Any]]:
    """Return a split of 2,400 adults."""

    def split(file: Path, rng: Generator) -> Neighbours[Any]:
        people = pd.read_csv(file, na_values="?").drop_duplicates()
        columns = {
            name: {
                "type": "numeric" if name in ADULT_NUMBERS else "categorical",
                "role": "quasi_identifier",
            }
            for name in people
        }
        drawn = people.iloc[rng.permutation(len(people))[:2400]]
        parts = [drawn.iloc[start : start + 800].reset_index(drop=True) for start in (0, 800, 1600)]
        release = release_from_frames(
            train=parts[0], holdout=parts[1], synthetic=parts[2], columns=columns
        )
        return Neighbours(space_of(release, distance))

    return split


SETTINGS = (
    Setting(
        "kgp-805, 320 haplotypes each",
        "kgp-805/haplotypes.npz",
        Distance.HAMMING,
        haplotypes(320, 0.0),
    ),
    Setting("Adult, 800 people each", "adult/adult.csv.xz", Distance.GOWER, adults(Distance.GOWER)),
    Setting(
        "Adult, 800 people each",
        "adult/adult.csv.xz",
        Distance.EUCLIDEAN,
        adults(Distance.EUCLIDEAN),
    ),
    Setting(
        "kgp-chr20, 200 haplotypes each",
        "kgp-chr20/haplotypes.npz",
        Distance.HAMMING,
        haplotypes(200, 0.01),
        bounded=False,
    ),
)

INTRODUCTION = """\
# PRIVET where there is no leak

Written by `python benchmarks/privet_null.py`; do not edit.

Real people are split at random into three parts of equal size: train, holdout, and a third part
that is judged as if it were the release. Nobody in it is in train, so what PRIVET finds is chance.
{splits} splits per line, {permutations} random relabellings each.

A test at 5 % should reject about 1 in 20 honest releases, and `npl_decimated` should be 0. The
bounds set beforehand: at most 12 % rejected by each test, `npl_decimated` 0 in at least 28 of 30.
The published count `npl` has no bound. It is not 0 for honest releases, so a policy should judge
the tests and the decimated count instead.
"""

READING = """\
## What to read from it

- The tests keep their level with every distance and fit, also where the published count is far
  from 0. Where nobody equals anybody by chance, `p_exact` is 1.
- Adult holds some rows twice, sampling weight included; they were dropped first, since one person
  in train and in the release is no honest release. With them kept, up to 3 of 30 releases had
  records accused, most of them equal to a train row: that is what a copy looks like, and no count
  can tell the two apart. A rule that asks for 0 stops such a release; the remedy is to drop the
  record and judge again.
- In kgp-chr20 the accused haplotypes, probably of relatives, are less than half as far from a train
  haplotype as any two haplotypes of that train table are from each other.
"""

SOURCES = """\
## Data

- *kgp-805*: 961 haplotypes of the 1000 Genomes Project (phase 3) at the 805 SNPs of Yelmen et al.
  2021, doi 10.1371/journal.pgen.1009303; file `805_SNP_1000G_real.hapt.test` of the public
  repository FBoyang/li-stephen-hmm-replication.
- *kgp-chr20*: 600 haplotypes of 300 people, chr20:1-4 Mb, from the example of SHAPEIT4 (Debian
  package `shapeit4-example`), variants with a minor allele frequency of at least 1 %. People of one
  ancestry and one region share long stretches, so the law fits badly: a hard case without bounds.
- *Adult*: UCI Machine Learning Repository, doi 10.24432/C5XW20, the 32,561 rows of `adult.data`,
  repeated ones dropped.

Haplotypes are stored as `bits` (`numpy.packbits` of the 0/1 matrix along its rows) and `n_snps`;
Adult as CSV with a header, `?` for missing values.
"""


def measured(setting: Setting, file: Path, *, splits: int, permutations: int) -> list[Null]:
    """Return what PRIVET says of random splits, for each way of fitting."""
    found: dict[FitMode, list[dict[str, Estimate]]] = {fit: [] for fit in FITS}
    for seed in range(splits):
        sys.stderr.write(f"{setting.title}, {setting.distance}: split {seed + 1} of {splits}\n")
        neighbours = setting.split(file, np.random.default_rng(seed))
        for fit, figures in found.items():
            params = PrivetParams(fit=fit, permutations=permutations)
            rng = np.random.default_rng([seed, 1])
            figures.append(
                dict(measure_privet(neighbours, params, rng, executor=Threads(2)).figures)
            )
    return [Null(setting, fit, figures) for fit, figures in found.items()]


def row(null: Null) -> str:
    """Return the line of one setting and fit."""
    npl, loss = null.values("npl"), null.values("pl")
    clean = int((null.values("npl_decimated") == 0).sum())
    return line(
        [
            null.setting.title,
            null.setting.distance,
            f"`{null.fit}`",
            *(f"{null.rejected(name):.0%}" for name in P_VALUES),
            f"{clean} of {len(npl)}",
            f"{null.values('npl_decimated').sum():.0f}; {null.values('exact_matches').sum():.0f}",
            f"{npl.mean():.1f}; {npl.max():.0f}",
            f"{(npl > 0).mean():.0%}",
            f"{loss.mean():+.2f} ({loss.min():+.2f} … {loss.max():+.2f})",
            verdict(null),
        ]
    )


def verdict(null: Null) -> str:
    """Return whether the bounds hold."""
    if not null.setting.bounded:
        return "no bounds"
    return f"**missed: {', '.join(null.misses)}**" if null.misses else "hold"


def line(cells: Iterable[str]) -> str:
    """Return a line of a table."""
    return f"| {' | '.join(cells)} |"


def page(nulls: Sequence[Null], *, splits: int, permutations: int) -> str:
    """Return the page in Markdown."""
    header = [
        "data",
        "distance",
        "fit",
        *(f"`{name}` ≤ 0.05" for name in P_VALUES),
        "`npl_decimated` = 0",
        "records accused; equal to a train row",
        "`npl` mean; max",
        "`npl` > 0",
        "`pl` mean (range)",
        "bounds",
    ]
    table = "\n".join([line(header), line("--" for _ in header), *map(row, nulls)])
    introduction = INTRODUCTION.format(splits=splits, permutations=permutations)
    return f"{introduction}\n{table}\n\n{READING}\n{SOURCES}"


def main(arguments: Sequence[str]) -> int:
    """Measure all settings and write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=ROOT.parent / "shared" / "data")
    parser.add_argument("--splits", type=int, default=30)
    parser.add_argument("--permutations", type=int, default=199)
    parser.add_argument("--out", type=Path, default=PAGE)
    given = parser.parse_args(arguments)
    nulls: list[Null] = []
    for setting in SETTINGS:
        file = given.data / setting.file
        if file.is_file():
            nulls += measured(setting, file, splits=given.splits, permutations=given.permutations)
        else:
            sys.stderr.write(f"{file} is not there: left out\n")
    if not nulls:
        sys.stderr.write("no data, nothing written\n")
        return 0
    text = page(nulls, splits=given.splits, permutations=given.permutations)
    given.out.write_text(text, encoding="utf-8")
    sys.stderr.write(f"wrote {given.out}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
