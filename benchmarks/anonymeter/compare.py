"""Runs privgate's attacks and those of the package anonymeter on the same tables.

``python benchmarks/anonymeter/compare.py`` makes a virtual environment of its own with the package
from PyPI, runs both, and writes ``docs/anonymeter.md``.
"""

from __future__ import annotations

import json
import subprocess
import sys
import venv
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from privgate.data import release_from_frames
from privgate.metrics import Inputs, all_metrics
from privgate.testing.samples import SURVEY_COLUMNS, survey

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from privgate.evidence import Estimate

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
WORK = ROOT / "build" / "anonymeter"
PEER = "anonymeter==1.1.0"
CENSUS = ROOT.parent / "shared" / "data" / "mostlyai-qa"
FIGURES = ("train_rate", "holdout_rate", "excess", "baseline_rate")
MANY, FEW = 1000, 150
TOLERANCE = {"tolerance": 0.05, "error": "relative", "distance": "gower"}


@dataclass(frozen=True)
class Case:
    """Tables both programs attack: what they are, and the roles of their columns."""

    title: str
    frames: Mapping[str, pd.DataFrame]
    columns: Mapping[str, Mapping[str, Any]]
    first: tuple[str, ...]
    second: tuple[str, ...]

    def with_role(self, role: str) -> list[str]:
        """Return the columns of a role."""
        return [name for name, stated in self.columns.items() if stated["role"] == role]


def cases() -> Iterator[Case]:
    """Yield the invented survey, honest and leaking, and real people's data if it is there."""
    people, others, fresh = (complete_survey(seed) for seed in (1, 2, 3))
    leaky = pd.concat([people[:400], fresh[400:]], ignore_index=True)
    columns = {name: stated for name, stated in SURVEY_COLUMNS.items() if name != "since"}
    sets = ("age", "married", "region"), ("health", "income", "sex", "smoker")
    for title, synthetic in (
        ("invented survey, fresh sample", fresh),
        ("invented survey, one row in five is a train row", leaky),
    ):
        frames = {"train": people, "holdout": others, "synthetic": synthetic}
        yield Case(title, frames, columns, *sets)
    if CENSUS.is_dir():
        yield from census_cases()


def complete_survey(seed: int) -> pd.DataFrame:
    """Return 2,000 people without missing values and dates, which the package treats otherwise."""
    return survey(2400, seed).drop(columns="since").dropna()[:2000].reset_index(drop=True)


def census_cases() -> Iterator[Case]:
    """Yield census2k with an ordinary synthetic table and with a known leak."""
    numeric = {"age", "fnlwgt", "education_num", "capital_gain", "capital_loss", "hours_per_week"}
    roles = dict.fromkeys(("fnlwgt", "education_num", "capital_gain", "capital_loss"), "other")
    roles |= dict.fromkeys(("hours_per_week", "income"), "sensitive")
    tables = {
        name: pd.read_csv(CENSUS / f"census2k-{file}.csv.gz", keep_default_na=False)
        for name, file in (("train", "trn"), ("holdout", "hol"))
    }
    columns = {
        name: {
            "type": "numeric" if name in numeric else "categorical",
            "role": roles.get(name, "quasi_identifier"),
        }
        for name in tables["train"]
    }
    first = ("age", "education", "marital_status", "relationship", "sex", "race")
    second = ("workclass", "occupation", "hours_per_week", "capital_gain", "fnlwgt", "income")
    for title, file in (
        ("census2k, ordinary synthetic table", "syn_mostly"),
        ("census2k, train with 30 % of the values perturbed", "syn_flip30"),
    ):
        synthetic = pd.read_csv(CENSUS / f"census2k-{file}.csv.gz", keep_default_na=False)
        yield Case(title, {**tables, "synthetic": synthetic}, columns, first, second)


def jobs_of(case: Case, folder: Path) -> Iterator[dict[str, Any]]:
    """Yield what the package is asked to do; the tables are written to CSV files."""
    folder.mkdir(parents=True, exist_ok=True)
    tables = {}
    for name, frame in case.frames.items():
        frame.to_csv(folder / f"{name}.csv", index=False)
        tables[name] = str(folder / f"{name}.csv")
    shared = {"case": case.title, "tables": tables}
    for mode, attacks in (("univariate", MANY), ("multivariate", MANY), ("multivariate", FEW)):
        yield {**shared, "attack": "singling_out", "mode": mode, "attacks": attacks}
    everyone = {**shared, "attacks": min(map(len, case.frames.values()))}
    for k in (1, 5):
        sets = {"first_columns": list(case.first), "second_columns": list(case.second), "k": k}
        yield {**everyone, "attack": "linkability", **sets}
    for secret in case.with_role("sensitive"):
        yield {
            **everyone,
            "attack": "inference",
            "known": case.with_role("quasi_identifier"),
            "secret": secret,
            "regression": case.columns[secret]["type"] == "numeric",
        }


def peer_results(jobs: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return what the package says, run in an environment of its own."""
    home = WORK / "venv"
    python = home / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
    if not python.exists():
        venv.create(home, with_pip=True)
        subprocess.run([python, "-m", "pip", "install", "--quiet", PEER], check=True)
    asked, answered = WORK / "jobs.json", WORK / "results.json"
    asked.write_text(json.dumps(jobs), encoding="utf-8")
    subprocess.run([python, HERE / "peer.py", asked, answered], check=True)
    found: list[dict[str, Any]] = json.loads(answered.read_text(encoding="utf-8"))
    return found


def own_figures(job: dict[str, Any], inputs: Inputs) -> Mapping[str, Estimate]:
    """Return privgate's figures for what the package was asked."""
    metric = all_metrics()[job["attack"]]
    if job["attack"] == "singling_out":
        params: dict[str, Any] = {"kinds": [job["mode"]], "columns": 3, "attacks": job["attacks"]}
    elif job["attack"] == "linkability":
        names = ("first_columns", "second_columns", "k")
        params = {name: job[name] for name in names} | {"distance": "gower"}
    else:
        params = TOLERANCE
    found = metric.measure(inputs, metric.params(**params), np.random.default_rng(1))
    parts = {part.of: part.figures for part in found.parts}
    return parts[job["secret"]] if parts else found.figures


def interval(value: float, low: float, high: float) -> str:
    """Return a figure with its interval; the package states no risk below 0, so nor is ours."""
    return f"{value:.3f} ({max(low, 0):.3f} to {max(high, 0):.3f})".replace("-0.000", "0.000")


def overlap(own: tuple[float, float], other: tuple[float, float]) -> bool:
    """Return whether two intervals have a point in common, both cut at 0."""
    (low, high), (low_too, high_too) = ([max(end, 0.0) for end in ends] for ends in (own, other))
    return low <= high_too and low_too <= high


def rows_of(job: dict[str, Any], own: Mapping[str, Estimate], peer: dict[str, Any]) -> list[str]:
    """Return the lines of the table about one job."""
    detail = job.get("secret") or (f"k = {job['k']}" if "k" in job else "")
    detail = detail or f"{job['mode']}, {job['attacks']} asked for"
    lines = []
    for name in FIGURES:
        figure, other = own[name], peer["figures"][name]
        if figure.value is None:
            stated, agree = "–", f"– ({figure.reason})"
        else:
            ends = [figure.value if end is None else end for end in (figure.low, figure.high)]
            stated = interval(max(figure.value, 0.0), *ends)
            agree = "yes" if overlap((ends[0], ends[1]), other[1:]) else "**no**"
        lines.append(
            f"| {job['attack']}, {detail} | {name} | {stated} | {interval(*other)} | {agree} |"
        )
    return lines


def report(jobs: list[dict[str, Any]], peers: list[dict[str, Any]], own: list[Any]) -> str:
    """Return the page."""
    lines = [(HERE / "introduction.md").read_text(encoding="utf-8").rstrip()]
    title = ""
    for job, peer, figures in zip(jobs, peers, own, strict=True):
        if job["case"] != title:
            title = job["case"]
            lines += ["", f"## {title[0].upper()}{title[1:]}", ""]
            lines += ["| attack | figure | privgate | anonymeter | overlap |", "|--|--|--|--|--|"]
        lines += rows_of(job, figures, peer)
    told = [line for line in lines if "| excess |" in line]
    agreeing = sum(line.endswith("| yes |") for line in told)
    lines.insert(1, f"\nIntervals of the residual risk that overlap: {agreeing} of {len(told)}.")
    return "\n".join(lines) + "\n"


def main() -> None:
    """Run both programs and write the page."""
    jobs, inputs = [], []
    for number, case in enumerate(cases()):
        release = release_from_frames(**case.frames, columns=case.columns)
        shared = Inputs(release=release)
        for job in jobs_of(case, WORK / f"case-{number}"):
            jobs.append(job)
            inputs.append(shared)
    own = [own_figures(job, given) for job, given in zip(jobs, inputs, strict=True)]
    peers = peer_results(jobs)
    page = ROOT / "docs" / "anonymeter.md"
    page.write_text(report(jobs, peers, own), encoding="utf-8")
    for job, peer in zip(jobs, peers, strict=True):
        print(job["case"], job["attack"], peer["counts"], peer["warnings"])


if __name__ == "__main__":
    main()
