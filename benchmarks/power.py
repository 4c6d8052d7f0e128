"""Writes the page "What public-release-strict catches", from canary tests on real data.

``python benchmarks/power.py --data FOLDER`` publishes real people whom train does not hold as if
they were synthetic, plants leaks of known size, and writes ``docs/power.md``. The folder holds
``kgp-805/haplotypes.npz`` and ``adult/adult.csv.xz``; the page says where they come from. Data sets
that are not there are left out; without any, nothing is written.
"""

from __future__ import annotations

import argparse
import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from privgate.data import release_from_arrays, release_from_frames
from privgate.metrics import all_metrics
from privgate.policy import open_policy
from privgate.trials import PowerPlan, measure_power

if TYPE_CHECKING:
    from collections.abc import Callable

    from privgate.data import Release
    from privgate.evidence import PowerStudy

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "power.md"
POLICY = "public-release-strict"
ADULT_NUMBERS = {"age", "education_num", "capital_gain", "capital_loss", "hours_per_week"}
SEED = 805

INTRODUCTION = """\
# What a policy catches

Leaks of known size were planted into releases that hold none, and `{policy}` {version}
judged each of them: what [`privgate power`](cli.md#privgate-power-releaseyaml) does with any
release and policy. A table holds the number of trials, of {trials}, in which the policy or the
rule was violated; "not assessed" does not count. The synthetic tables are real people
(haplotypes) whom train does not hold, so the column *none* counts false alarms. Written by
`python benchmarks/power.py`.

- **Adult**: UCI Machine Learning Repository, Adult (Census Income), `adult.data`, without
  `fnlwgt` and `education`; three tables of 4,000 people each, income sensitive.
- **kgp-805**: 1000 Genomes Project, phase 3, haplotypes at the 805 positions of the panel of
  Yelmen et al. 2021; three parts of 320, Hamming distance. The policy asks for 1,000 train rows
  and a sensitive column, so it never says *met* here; it can be violated all the same.
"""


@dataclass(frozen=True)
class Setting:
    """Real data, and the function that makes a clean release of them."""

    title: str
    file: str
    release: Callable[[Path], Release]


def adults(file: Path) -> Release:
    """Return a release of 4,000 adults made of 4,000 others, with as many for a holdout."""
    people = pd.read_csv(file, na_values="?").drop(columns=["fnlwgt", "education"])
    columns = {
        name: {
            "type": "numeric" if name in ADULT_NUMBERS else "categorical",
            "role": "sensitive" if name == "income" else "quasi_identifier",
        }
        for name in people
    }
    order = np.random.default_rng(SEED).permutation(len(people))[:12_000]
    train, holdout, synthetic = (people.iloc[part] for part in np.split(order, 3))
    return release_from_frames(
        train=train, holdout=holdout, synthetic=synthetic, columns=columns, name="adult"
    )


def haplotypes(file: Path) -> Release:
    """Return a release of 320 haplotypes made of 320 others, with as many for a holdout."""
    stored = np.load(file)
    matrix = np.unpackbits(stored["bits"], axis=1)[:, : int(stored["n_snps"])]
    order = np.random.default_rng(SEED).permutation(len(matrix))[:960]
    train, holdout, synthetic = np.split(matrix[order], 3)
    return release_from_arrays(
        train=train, holdout=holdout, synthetic=synthetic, distance="hamming", name="kgp-805"
    )


SETTINGS = (
    Setting("Adult, 4,000 people each", "adult/adult.csv.xz", adults),
    Setting("kgp-805, 320 haplotypes each", "kgp-805/haplotypes.npz", haplotypes),
)


def section(title: str, study: PowerStudy) -> str:
    """Return a study as headed tables, one for each kind of leak."""
    parts = [f"## {title}"]
    subjects: list[str | None] = [None, *study.rules]
    for kind in study.kinds():
        leaks = (study.unplanted, *study.of_kind(kind))
        names = ["none", *(f"{100 * leak.share:g} % ({leak.records})" for leak in leaks[1:])]
        rows = [
            [
                "**the whole policy**" if rule is None else f"`{rule}`",
                *(str(leak.stopped if rule is None else leak.caught[rule]) for leak in leaks),
            ]
            for rule in subjects
        ]
        parts.append(f"{described(kind)}:\n\n{table(['leaking records', *names], rows)}")
    return "\n\n".join(parts)


def described(kind: tuple[float, bool]) -> str:
    """Return what was copied.

    >>> described((0.5, False))
    '50 % of the fields copied'
    """
    fields, perturbed = kind
    if perturbed:
        return (
            "All fields copied, numbers moved by 1 % of their spread (1 % of 0/1 positions flipped)"
        )
    return "Copied verbatim" if fields == 1 else f"{100 * fields:g} % of the fields copied"


def table(head: list[str], rows: list[list[str]]) -> str:
    """Return a Markdown table, numbers to the right."""
    rule = ["--", *("--:" for _ in head[1:])]
    return "\n".join("| " + " | ".join(line) + " |" for line in (head, rule, *rows))


def main() -> None:
    """Read the command line and write the page."""
    parser = argparse.ArgumentParser(description="What public-release-strict catches.")
    parser.add_argument("--data", type=Path, default=ROOT.parent / "shared" / "data")
    parser.add_argument("--trials", type=int, default=20)
    parser.add_argument("--out", type=Path, default=PAGE)
    arguments = parser.parse_args()
    plan = PowerPlan(shares=(0.005, 0.01, 0.05), fields=(0.5, 1.0), trials=arguments.trials)
    policy = open_policy(POLICY, all_metrics())
    pages = []
    for setting in SETTINGS:
        file = arguments.data / setting.file
        if not file.is_file():
            print(f"{setting.title}: {file} is not there, left out", file=sys.stderr)
            continue
        release = setting.release(file)
        study = measure_power(release, policy, plan, seed=SEED, jobs=os.cpu_count() or 1)
        pages.append(section(setting.title, study))
        print(pages[-1], flush=True)
    if not pages:
        sys.exit("no data, nothing written")
    head = INTRODUCTION.format(
        policy=POLICY, version=policy.policy.version, trials=arguments.trials
    )
    arguments.out.write_text("\n\n".join([head.rstrip(), *pages]) + "\n", encoding="utf-8")
    print(f"wrote {arguments.out}")


if __name__ == "__main__":
    main()
