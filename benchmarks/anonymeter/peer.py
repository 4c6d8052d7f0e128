"""Runs the attacks of the package anonymeter; knows nothing of privgate.

``python peer.py JOBS.json RESULTS.json``, with an interpreter that has anonymeter. Each job names
three CSV files, an attack and its arguments; each result holds success counts and the package's own
rates and risk.
"""

from __future__ import annotations

import json
import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from anonymeter.evaluators import InferenceEvaluator, LinkabilityEvaluator, SinglingOutEvaluator

SEED = 1
TRIES = 50_000  # candidates looked at; the default of ten million takes hours on coarse columns


def evaluated(job: dict[str, Any]) -> Any:
    """Return the package's evaluator of one job, run."""
    tables = {name: pd.read_csv(path) for name, path in job["tables"].items()}
    given = {
        "ori": tables["train"],
        "syn": tables["synthetic"],
        "control": tables["holdout"],
        "n_attacks": job["attacks"],
    }
    if job["attack"] == "singling_out":
        evaluator = SinglingOutEvaluator(**given, n_cols=3, seed=SEED, max_attempts=TRIES)
        return evaluator.evaluate(mode=job["mode"])
    if job["attack"] == "linkability":
        sets = job["first_columns"], job["second_columns"]
        return LinkabilityEvaluator(**given, aux_cols=sets, n_neighbors=job["k"]).evaluate(n_jobs=1)
    return InferenceEvaluator(
        **given, aux_cols=job["known"], secret=job["secret"], regression=job["regression"]
    ).evaluate(n_jobs=1)


def result(job: dict[str, Any]) -> dict[str, Any]:
    """Return what the package says about one job."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        outcome = evaluated(job).results(confidence_level=0.95)
    rates = {
        "train_rate": outcome.attack_rate.to_risk(),
        "holdout_rate": outcome.control_rate.to_risk(),
        "baseline_rate": outcome.baseline_rate.to_risk(),
        "excess": outcome.risk(),
    }
    return {
        "figures": {name: [risk.value, *risk.ci] for name, risk in rates.items()},
        "counts": [int(outcome.n_success), float(outcome.n_control), int(outcome.n_baseline)],
        "warnings": sorted({str(w.message) for w in caught if issubclass(w.category, UserWarning)}),
    }


def main() -> None:
    """Run all jobs."""
    jobs, results = map(Path, sys.argv[1:3])
    np.random.seed(SEED)  # noqa: NPY002 - the package draws from the global generator
    found = [result(job) for job in json.loads(jobs.read_text(encoding="utf-8"))]
    results.write_text(json.dumps(found), encoding="utf-8")


if __name__ == "__main__":
    main()
