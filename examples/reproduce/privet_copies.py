"""PRIVET's copy experiment with the measures it is compared with, on a panel of haplotypes.

``python privet_copies.py PATH --panel kgp-805`` (or ``kgp-chr20``) prints the tables and writes the
heat maps as SVG files into the folder ``--out``; ``--write`` puts both into
``docs/reproductions.md``. ``--study`` runs one part only. PATH is an ``.npz`` of ``bits``
(``numpy.packbits`` of the 0/1 matrix, one row per haplotype) and ``n_snps``; without the file the
script says where the haplotypes are from.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from copies import (
    PANELS,
    Leak,
    density_gaps,
    forced,
    haplotypes,
    measured,
    split,
    unequal,
    with_copies,
)
from copy_maps import MAPS, SLOW_MAPS, drawn, grid, listed, with_shares
from copy_tables import (
    COMPARED,
    FEW,
    NAMING,
    beside_table,
    front_table,
    most_table,
    published_table,
    shuffled_table,
    sizes_table,
)
from pages import PAGE, PICTURES, publish, require
from published import COPIES_BEFORE, FEW_BEFORE, FEW_ROWS, FRONT

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from copies import Bits, Figures, Panel, Parts
    from numpy.random import Generator

SOURCES = """
Haplotypes come as .npz with bits (numpy.packbits of the 0/1 matrix, a row each) and n_snps.
kgp-805: 961 haplotypes of the 1000 Genomes Project at 805 SNPs, from the public repository
  https://github.com/FBoyang/li-stephen-hmm-replication, file 805_SNP_1000G_real.hapt.test
kgp-chr20: 600 haplotypes, chr20:1-4 Mb, from the Debian package shapeit4-example,
  file reference.vcf.gz"""
FRONT_STEPS = tuple(round(0.01 * step, 2) for step in range(1, 21))

STROKE = "After a stroke: another implementation."
REFUSED = (
    "*Applicable* is the share of splits that PRIVET judges here; in the others fewer than 10 "
    "distinct distances can be fitted, and the count is what it would say nevertheless. The paper "
    "shows 33 named rows where 40 % of them hold 20 % of the positions."
)

Cells = dict[Leak, "list[Figures]"]
Measure = Callable[["Parts", int, "Generator"], "Figures"]


class Runs:
    """Splits of one panel, with so many relabellings for each permutation test."""

    def __init__(self, matrix: Bits, panel: Panel, given: argparse.Namespace) -> None:
        self.matrix, self.panel, self.given = matrix, panel, given

    def cells(self, leaks: Iterable[Leak], measure: Measure, *, rows: int, splits: int) -> Cells:
        """Return what is measured for each leak and split, parts of ``rows`` rows."""
        found: Cells = {}
        for leak in leaks:
            found[leak] = []
            for seed in range(splits):
                rng = generator(seed, leak)
                parts = with_copies(split(self.matrix, (rows,) * 3, seed), leak, rng)
                found[leak].append(measure(parts, leak.rows(rows), rng))
        return found

    def everything(self, parts: Parts, copies: int, rng: Generator) -> Figures:
        """Return PRIVET and the quick comparators, counts as shares too."""
        figures = measured(parts, copies, permutations=self.given.permutations, rng=rng)
        return with_shares(figures, len(parts.synthetic))

    def slow(self, parts: Parts, _: int, rng: Generator) -> Figures:
        """Return the gaps of FLD and PQMass."""
        return density_gaps(parts, tessellations=self.given.tessellations, rng=rng)

    def table(self) -> str:
        """Return the tables of single leaks, beside published figures and earlier ones."""
        given, panel = self.given, self.panel
        earlier = COPIES_BEFORE[panel.name]
        leaks = [Leak(*pair) for pair in earlier]
        cells = self.cells(leaks, self.everything, rows=panel.rows, splits=given.splits)
        size = f"{given.splits} splits, {panel.rows} rows in each part"
        return "\n".join(
            [
                f"{size}, {given.permutations} relabellings. {STROKE}\n",
                beside_table(cells, earlier, COMPARED),
                "Whom PRIVET's other scores name, and what it shows without naming anybody:\n",
                beside_table(cells, earlier, NAMING),
                "PRIVET beside the paper, whose panel has 1,668 rows of 65,535 positions:\n",
                published_table(cells, panel.rows),
                "The rows that In-Auth names, and as many named at random:\n",
                shuffled_table(cells, panel.name),
            ]
        )

    def maps(self, folder: Path) -> str:
        """Write the heat maps into a folder; return the list of pictures."""
        given, panel = self.given, self.panel
        size = {"rows": panel.rows, "splits": given.splits}
        cells = self.cells(grid(given.steps), self.everything, **size)
        slow = self.cells(grid(3), self.slow, **size)
        folder.mkdir(parents=True, exist_ok=True)
        names = []
        for own, maps in ((cells, MAPS), (slow, SLOW_MAPS)):
            for one in maps:
                file = f"{panel.name}-{one.figure.replace('_', '-')}.svg"
                picture = drawn(own, one, panel=panel.name, splits=given.splits)
                (folder / file).write_text(picture + "\n", encoding="utf-8")
                names.append((file, one.title))
        means = f"Measures that name nobody, means of {given.splits} splits"
        return "\n".join(
            [
                f"{means}, PQMass with {given.tessellations} tessellations:\n",
                most_table(cells, slow),
                "Heat maps:\n",
                listed(names, PICTURES),
            ]
        )

    def few(self) -> str:
        """Return the low-sample regime: 66 rows in each part."""
        splits = 4 * self.given.splits
        size = {"rows": FEW_ROWS, "splits": splits}
        earlier = FEW_BEFORE[self.panel.name]
        cells = self.cells([Leak(*pair) for pair in earlier], few, **size)
        fronts = {
            fake: self.cells([Leak(fake, copy) for copy in FRONT_STEPS], few, **size)
            for fake in FRONT
        }
        return "\n".join(
            [
                f"Only {FEW_ROWS} rows in each part, {splits} splits. {STROKE} {REFUSED}\n",
                beside_table(cells, earlier, FEW),
                "The least share of positions at which most splits have an NPL of 1 or more:\n",
                front_table(fronts),
            ]
        )

    def sizes(self) -> str:
        """Return PL without a leak where train and holdout differ in size."""
        splits = 2 * self.given.splits
        found = {
            sizes: [
                unequal(
                    split(self.matrix, (*sizes, self.panel.records), seed),
                    permutations=self.given.permutations,
                    seed=seed,
                )
                for seed in range(splits)
            ]
            for sizes in self.panel.sizes
        }
        return f"Without a leak, train and holdout of unequal size, {splits} splits:\n\n" + (
            sizes_table(found)
        )


def stored(file: Path, panel: Panel) -> Bits:
    """Return the haplotypes of a panel; leave with exit code 2 if the file holds no such."""
    try:
        matrix = haplotypes(file, panel.rarest)
    except (KeyError, IndexError, ValueError):
        sys.stderr.write(f"{file} holds no haplotypes.{SOURCES}\n")
        raise SystemExit(2) from None
    if len(matrix) < panel.least:
        sys.stderr.write(
            f"{file} holds {len(matrix)} haplotypes, {panel.name} needs {panel.least}.{SOURCES}\n"
        )
        raise SystemExit(2)
    return matrix


def few(parts: Parts, copies: int, _: Generator) -> Figures:
    """Return the published count, however few the distances are."""
    return forced(parts, copies)


def generator(seed: int, leak: Leak) -> Generator:
    """Return the generator of one split with one leak, whatever else is run."""
    return np.random.default_rng([seed, *(round(10_000 * share) for share in leak)])


def main(arguments: Sequence[str]) -> int:
    """Run the studies of one panel."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("path", type=Path, help="the haplotypes, .npz")
    parser.add_argument("--panel", choices=sorted(PANELS), default="kgp-805")
    parser.add_argument("--study", choices=("all", "table", "maps", "few", "sizes"), default="all")
    parser.add_argument("--splits", type=int, default=6)
    parser.add_argument("--steps", type=int, default=7, help="of the heat maps' grid, each way")
    parser.add_argument("--permutations", type=int, default=99, help="0 leaves out the tests")
    parser.add_argument("--tessellations", type=int, default=100)
    parser.add_argument("--out", type=Path, default=Path(PICTURES), help="folder of the heat maps")
    parser.add_argument("--write", action="store_true", help="put all into the page of results")
    given = parser.parse_args(arguments)
    if given.write and given.study != "all":
        parser.error("--write needs all studies")
    if given.splits < 1 or given.steps < 2:
        parser.error("there must be a split and two steps of the grid at least")
    require(given.path, SOURCES)
    panel = PANELS[given.panel]
    runs = Runs(stored(given.path, panel), panel, given)
    folder = PAGE.parent / PICTURES if given.write else given.out
    studies = {
        "table": runs.table,
        "few": runs.few,
        "sizes": runs.sizes,
        "maps": lambda: runs.maps(folder),
    }
    asked = [name for name in studies if given.study in {"all", name}]
    sections = []
    for name in asked:
        sys.stderr.write(f"{panel.name}: {name}\n")
        sections.append(studies[name]())
    publish(f"privet-{panel.name}", "\n".join(sections), write=given.write)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
