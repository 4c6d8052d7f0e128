"""Serves jobs of other packages; runs in an environment that has one of them and not privgate."""

from __future__ import annotations

import importlib
import sys
import tempfile
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from measuring import serve

if TYPE_CHECKING:
    from collections.abc import Callable

TABLES = ("train", "holdout", "synthetic")
NUMBERS = ("age", "fnlwgt", "education_num", "capital_gain", "capital_loss", "hours_per_week")
SECRETS = {"hours_per_week": True, "income": False}  # true for a number
TRIES = 50  # candidates for each predicate, as privgate tries; ten million in all take hours
FIRST = ("age", "education", "marital_status", "relationship", "sex", "race")
SECOND = ("workclass", "occupation", "hours_per_week", "capital_gain", "fnlwgt", "income")


def sdmetrics(task: str, tables: dict[str, pd.DataFrame], _: dict[str, Any]) -> object:
    """Run a metric of SDMetrics."""
    metric = getattr(importlib.import_module("sdmetrics.single_table"), task)
    columns = {
        name: {"sdtype": "numerical" if name in NUMBERS else "categorical"}
        for name in tables["train"]
    }
    metadata = {"tables": {"people": {"columns": columns}}}
    train, holdout, synthetic = (tables[name] for name in TABLES)
    if task == "DCROverfittingProtection":
        return metric.compute(train, synthetic, holdout, metadata, "people")
    return metric.compute(train, synthetic, metadata, "people")


def anonymeter(task: str, tables: dict[str, pd.DataFrame], job: dict[str, Any]) -> object:
    """Run an attack of Anonymeter."""
    package = importlib.import_module("anonymeter.evaluators")
    given = {
        "ori": tables["train"],
        "syn": tables["synthetic"],
        "control": tables["holdout"],
        "n_attacks": min(job["attacks"], len(tables["train"])),
    }
    np.random.seed(1)  # noqa: NPY002 - the package draws from the global generator
    if task in {"univariate", "multivariate"}:
        attack = package.SinglingOutEvaluator(
            **given, n_cols=3, seed=1, max_attempts=TRIES * job["attacks"]
        )
        return attack.evaluate(mode=task).risk()
    if task == "linkability":
        attack = package.LinkabilityEvaluator(
            **given, aux_cols=(list(FIRST), list(SECOND)), n_neighbors=1
        )
        return attack.evaluate(n_jobs=1).risk()
    known = [name for name in tables["train"] if name not in SECRETS]
    return [
        package.InferenceEvaluator(**given, aux_cols=known, secret=secret, regression=number)
        .evaluate(n_jobs=1)
        .risk()
        for secret, number in SECRETS.items()
    ]


def syntheval(task: str, tables: dict[str, pd.DataFrame], _: dict[str, Any]) -> object:
    """Run a metric of SynthEval."""
    package = importlib.import_module("syntheval")
    levels = [name for name in tables["train"] if name not in NUMBERS]
    evaluation = package.SynthEval(
        tables["train"], holdout_dataframe=tables["holdout"], cat_cols=levels, verbose=False
    )
    return evaluation.evaluate(tables["synthetic"], "income", **{task: {}})


def mostlyai(_: str, tables: dict[str, pd.DataFrame], __: dict[str, Any]) -> object:
    """Write the whole report of mostlyai-qa."""
    package = importlib.import_module("mostlyai.qa")
    with tempfile.TemporaryDirectory() as folder:
        report = package.report(
            syn_tgt_data=tables["synthetic"],
            trn_tgt_data=tables["train"],
            hol_tgt_data=tables["holdout"],
            report_path=Path(folder) / "report.html",
        )
    # Its worker processes would wait for more, and what they took counts when they have ended.
    importlib.import_module("joblib.externals.loky").get_reusable_executor().shutdown(wait=True)
    return report


RUNS = {"sdmetrics": sdmetrics, "anonymeter": anonymeter, "syntheval": syntheval}
RUNS["mostlyai-qa"] = mostlyai
MODULES = {
    "sdmetrics": "sdmetrics.single_table",
    "anonymeter": "anonymeter.evaluators",
    "syntheval": "syntheval",
    "mostlyai-qa": "mostlyai.qa",
}


def prepared(job: dict[str, Any]) -> Callable[[], object]:
    """Return the run of a job, after one on a few rows that compiles and loads whatever it needs.

    The report of mostlyai-qa is a command of its own and is measured as a user meets it.
    """
    run = RUNS[job["peer"]]
    if job["peer"] != "mostlyai-qa":
        run(job["task"], tables_in(job["small"]), job)
    return partial(run, job["task"], tables_in(job["folder"]), job)


def tables_in(folder: str) -> dict[str, pd.DataFrame]:
    """Return the tables of a folder."""
    return {
        name: pd.read_csv(Path(folder) / f"{name}.csv", keep_default_na=False) for name in TABLES
    }


if __name__ == "__main__":
    importlib.import_module(MODULES[sys.argv[1]])  # once, before the forks
    serve(prepared)
