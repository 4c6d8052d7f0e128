"""Runs ``privgate check`` as a user does and prints what it took.

``python benchmarks/speed/whole_check.py`` judges invented people with the columns of Adult under
``public-release-strict``, 30,000 in train and synthetic table, half of that in the holdout.
``--points 1000000`` takes as many points near 4 dimensions of 10 instead, all three tables of one
size, under a policy of distances and copies. Processor time is that of all threads; memory is the
peak of the whole process, the tables and the libraries included.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pandas as pd
from people import TABLES, write

ROOT = Path(__file__).parents[2]
WORK = ROOT / "build" / "speed" / "whole-check"
COMMAND = "from privgate.cli.main import run; run()"
POLICY = """\
privgate: policy/v1
id: distances
version: 1.0.0
title: Distances and copies
owner: benchmark
review_by: 2099-01-01
rules:
"""
RULE = """\
  - id: {metric}
    metric: {metric}
    severity: blocking
    require: {{max: 0.99}}
    source: {{kind: house, ref: benchmark}}
    rationale: It is measured how long this takes.
"""


def points(folder: Path, rows: int) -> None:
    """Write tables of points near 4 dimensions, the release file and the policy."""
    folder.mkdir(parents=True, exist_ok=True)
    names = [f"x{place}" for place in range(10)]
    turned = np.random.default_rng(0).normal(size=(4, 10))
    lines = ["privgate: release/v1", "name: points", "unit: point", "data:"]
    for seed, table in enumerate(TABLES):
        rng = np.random.default_rng([1, seed])
        found = rng.normal(size=(rows, 4)) @ turned + 1e-3 * rng.normal(size=(rows, 10))
        pd.DataFrame(found, columns=names).to_parquet(folder / f"{table}.parquet")
        lines.append(f"  {table}: {{path: {table}.parquet}}")
    lines += ["columns:", *(f"  {name}: {{type: numeric, role: other}}" for name in names)]
    (folder / "release.yaml").write_text("\n".join(lines) + "\n", encoding="utf-8")
    rules = "".join(RULE.format(metric=metric) for metric in ("dcr", "nndr", "crp"))
    (folder / "policy.yaml").write_text(POLICY + rules, encoding="utf-8")


def main() -> int:
    """Make the tables and run the check."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--rows", type=int, default=30_000, help="people in train and synthetic")
    parser.add_argument("--points", type=int, default=0, help="points in each table instead")
    given = parser.parse_args()
    folder = WORK / f"{given.points or given.rows}"
    if given.points:
        points(folder, given.points)
        policy = str(folder / "policy.yaml")
    else:
        write(folder, dict(zip(TABLES, (given.rows, given.rows // 2, given.rows), strict=True)))
        policy = "public-release-strict"
    told = ["check", folder / "release.yaml", "--policy", policy, "--out", folder / "out"]
    start = time.perf_counter()
    ended = subprocess.run(
        [sys.executable, "-c", COMMAND, *told],
        env={**os.environ, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"},
        check=False,
    )
    wall, used = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    unit = 2**20 if sys.platform == "darwin" else 2**10
    print(
        f"exit code {ended.returncode}: {used.ru_utime + used.ru_stime:.0f} CPU s, "
        f"{wall:.0f} s, peak {used.ru_maxrss / unit:.0f} MiB"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
