"""What reading needed is returned before a search needs it."""

import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

SCRIPT = """
import sys
from pathlib import Path
from privgate.data import load_release
from privgate.data.memory import return_unused

def resident():
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096 / 2**20

release = load_release(Path(sys.argv[1]))
before = resident()
return_unused()
print(before - resident())
"""


@pytest.mark.skipif(sys.platform != "linux", reason="asks Linux what a process holds")
def test_a_release_that_was_read_leaves_nothing_unused(tmp_path):
    names = [f"x{place}" for place in range(10)]
    lines = ["privgate: release/v1", "name: points", "unit: point", "data:"]
    for seed, table in enumerate(("train", "holdout", "synthetic")):
        numbers = np.random.default_rng(seed).normal(size=(150_000, 10))
        pd.DataFrame(numbers, columns=names).to_parquet(tmp_path / f"{table}.parquet")
        lines.append(f"  {table}: {{path: {table}.parquet}}")
    lines += ["columns:", *(f"  {name}: {{type: numeric, role: other}}" for name in names)]
    (tmp_path / "release.yaml").write_text("\n".join(lines) + "\n", encoding="utf-8")
    unused = subprocess.run(
        [sys.executable, "-c", SCRIPT, tmp_path / "release.yaml"],
        capture_output=True,
        check=True,
        text=True,
    ).stdout
    assert float(unused) < 8  # MiB; without the return it was 146
