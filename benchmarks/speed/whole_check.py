"""Runs ``privgate check`` as a user does and prints what it took.

``python benchmarks/speed/whole_check.py`` judges invented people with the columns of Adult under
``public-release-strict``, 30,000 in train and synthetic table, half of that in the holdout.
``--points 1000000`` takes as many points near 4 dimensions of 10, or of ``--columns``, instead, all
three tables of one size, under a policy of distances and copies; ``--cluster local`` computes in
two worker processes. Processor time is that of all threads and processes. Memory is the peak of the
largest process, the tables and the libraries included; of points the three tables in float64, 8
bytes a number, are subtracted as well. The digest is that of ``evidence.json``: the same whatever
computed it. Results are kept for the page that ``compare.py --page`` writes.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import resource
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from compare import Results
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


def points(folder: Path, rows: int, columns: int) -> Path:
    """Write tables of points near 4 dimensions and the release file, and return the policy."""
    folder.mkdir(parents=True, exist_ok=True)
    names = [f"x{place}" for place in range(columns)]
    turned = np.random.default_rng(0).normal(size=(4, columns))
    lines = ["privgate: release/v1", "name: points", "unit: point", "data:"]
    for seed, table in enumerate(TABLES):
        rng = np.random.default_rng([1, seed])
        found = rng.normal(size=(rows, 4)) @ turned + 1e-3 * rng.normal(size=(rows, columns))
        pd.DataFrame(found, columns=names).to_parquet(folder / f"{table}.parquet")
        lines.append(f"  {table}: {{path: {table}.parquet}}")
    lines += ["columns:", *(f"  {name}: {{type: numeric, role: other}}" for name in names)]
    (folder / "release.yaml").write_text("\n".join(lines) + "\n", encoding="utf-8")
    rules = "".join(RULE.format(metric=metric) for metric in ("dcr", "nndr", "crp"))
    policy = folder / "policy.yaml"
    policy.write_text(POLICY + rules, encoding="utf-8")
    return policy


def checked(folder: Path, policy: str, more: list[str], tables: float) -> dict[str, Any]:
    """Run the check and return what it took; the clock of reports stands still.

    ``tables`` are the bytes that the tables take, which are subtracted from the memory.
    """
    out = folder / "out"
    told = ["check", folder / "release.yaml", "--policy", policy, "--out", out, "--no-cache", *more]
    environment = {"PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1", "SOURCE_DATE_EPOCH": "0"}
    start = time.perf_counter()
    ended = subprocess.run(
        [sys.executable, "-c", COMMAND, *told], env={**os.environ, **environment}, check=False
    )
    wall, used = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    memory = used.ru_maxrss * (1 if sys.platform == "darwin" else 2**10)
    evidence = out / "evidence.json"
    return {
        "code": ended.returncode,
        "cpu": used.ru_utime + used.ru_stime,
        "wall": wall,
        "memory": memory,
        "evidence": hashlib.sha256(evidence.read_bytes()).hexdigest(),
        **({"beyond": memory - tables} if tables else {}),
    }


def main() -> int:
    """Make the tables, run the check and keep what it took."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--rows", type=int, default=30_000, help="people in train and synthetic")
    parser.add_argument("--points", type=int, default=0, help="points in each table instead")
    parser.add_argument("--columns", type=int, default=10, help="numbers of a point")
    parser.add_argument("--cluster", help="'local', or the address of a scheduler")
    given = parser.parse_args()
    if given.points:
        name = f"points {given.points} {given.columns}"
        policy = str(points(WORK / name, given.points, given.columns))
    else:
        name, policy = f"people {given.rows}", "public-release-strict"
        sizes = (given.rows, given.rows // 2, given.rows)
        write(WORK / name, dict(zip(TABLES, sizes, strict=True)))
    more = ["--cluster", given.cluster] if given.cluster else []
    tables = len(TABLES) * 8 * given.points * given.columns
    taken = checked(WORK / name, policy, more, tables)
    where = " ".join(["check", name, *more[1:]])
    Results(ROOT / "build" / "speed" / "results.json").keep(where, taken)
    return 0


if __name__ == "__main__":
    sys.exit(main())
