"""Measures privgate beside other packages on the same tables, and how it grows with the rows.

``python benchmarks/speed/compare.py`` makes environments of their own for SDMetrics, Anonymeter,
SynthEval and mostlyai-qa, runs both sides in turns, and writes ``docs/performance.md``. What was
measured before is kept in ``build/speed/results.json`` and not measured again; ``--only WORD`` adds
what has the word in its name, ``--page`` writes the page of what there is. A run takes the time of
a few hours of one core, mostly that of the others. Needs Linux or macOS.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import venv
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

from page import page
from people import TABLES, write

from privgate.metrics import all_metrics

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
WORK = ROOT / "build" / "speed"
PAGE = ROOT / "docs" / "performance.md"
PEERS = {
    "sdmetrics": "sdmetrics==0.32.0",
    "anonymeter": "anonymeter==1.1.0",
    "syntheval": "syntheval==1.7.3",
    "mostlyai-qa": "mostlyai-qa==1.10.11",
}
SIZES = (1000, 3000, 10_000, 30_000)
GROWTH = (3000, 10_000, 30_000)
SMALL = 300
MOST_SECONDS, MOST_MEMORY = 200, 8 * 2**30
EVERY = 10**9
QUICK = 5  # seconds; what takes less is measured three times
ENVIRONMENT = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS"), "1")


@dataclass(frozen=True)
class Comparison:
    """A task of another package, and the metrics of privgate that answer its question.

    ``attacks`` are those asked for of each table, at most one for each row; each is made for every
    one of the ``secrets``. privgate attacks every row, or makes as many ``predicates``.
    """

    peer: str
    task: str
    metrics: tuple[str, ...]
    params: Mapping[str, Any] = field(default_factory=dict)
    attacks: int = 0
    secrets: int = 1
    predicates: bool = False
    largest: int = SIZES[-1]
    most_seconds: int = MOST_SECONDS

    @property
    def every(self) -> bool:
        """Return whether every row is attacked on both sides."""
        return self.attacks == EVERY

    @property
    def label(self) -> str:
        """Return the name of the task, and of how many rows if it is done twice."""
        return f"{self.task}, every row" if self.every else self.task

    def own(self) -> dict[str, Any]:
        """Return privgate's job."""
        return {"metrics": self.metrics, "params": self.params, "most_seconds": self.most_seconds}

    def their(self) -> dict[str, Any]:
        """Return the job of the other package."""
        job = {"peer": self.peer, "task": self.task, "attacks": self.attacks}
        return {**job, "most_seconds": self.most_seconds}


def singling_out(kind: str) -> Comparison:
    """Return 500 predicates of one kind."""
    params = {"kinds": [kind], "columns": 3, "attacks": 500}
    return Comparison("anonymeter", kind, ("singling_out",), params, attacks=500, predicates=True)


def by_gower(task: str, attacks: int, **more: int) -> Comparison:
    """Return an attack by the nearest record under Gower's distance."""
    return Comparison("anonymeter", task, (task,), {"distance": "gower"}, attacks=attacks, **more)


COMPARISONS = (
    Comparison("sdmetrics", "DCRBaselineProtection", ("dcr",), largest=3000),
    Comparison("sdmetrics", "DCROverfittingProtection", ("dcr",), largest=3000),
    Comparison("sdmetrics", "NewRowSynthesis", ("hit_rate",), largest=3000),
    singling_out("univariate"),
    singling_out("multivariate"),
    by_gower("linkability", 2000),
    by_gower("inference", 1000, secrets=2),
    by_gower("linkability", EVERY, most_seconds=1000),
    by_gower("inference", EVERY, secrets=2, most_seconds=1000),
    Comparison("syntheval", "dcr", ("dcr",), largest=10_000),
    Comparison("syntheval", "nndr", ("nndr",), largest=10_000),
    Comparison("syntheval", "eps_risk", ("identifiability",), largest=10_000),
    Comparison("syntheval", "hit_rate", ("hit_rate",), largest=10_000),
    Comparison("mostlyai-qa", "report", (), largest=10_000),
)


class Server:
    """A process that measures one job after the other."""

    def __init__(self, *command: str | Path) -> None:
        environment = {**os.environ, **ENVIRONMENT, "PYTHONPATH": str(ROOT)}
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment
        )

    def measured(self, job: dict[str, Any], rows: int) -> dict[str, Any]:
        """Return what a job takes on tables of so many rows each."""
        limits = {"most_seconds": MOST_SECONDS, "most_memory": MOST_MEMORY}
        job = {**limits, **job}
        folders = {"folder": str(tables(rows)), "small": str(tables(SMALL))}
        asking, answering = self.process.stdin, self.process.stdout
        if asking is None or answering is None:
            raise RuntimeError("the process was started without pipes")
        print(json.dumps({**job, **folders}), file=asking, flush=True)
        found: dict[str, Any] = json.loads(answering.readline())
        return found

    def stop(self) -> None:
        """Let the process end."""
        self.process.communicate()


def tables(rows: int) -> Path:
    """Return the folder of three tables of so many rows each, made if need be."""
    folder = WORK / "tables" / str(rows)
    if not (folder / "release.yaml").exists():
        write(folder, dict.fromkeys(TABLES, rows))
    return folder


def peer_python(peer: str) -> Path:
    """Return the interpreter of a package's own environment, made if need be."""
    home = WORK / "environments" / peer
    python = home / "bin" / "python"
    if not python.exists():
        venv.create(home, with_pip=True)
        subprocess.run([python, "-m", "pip", "install", "--quiet", PEERS[peer]], check=True)
    return python


class Results:
    """What was measured, kept in a file."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self.found: dict[str, Any] = json.loads(file.read_text("utf-8")) if file.exists() else {}

    def keep(self, name: str, value: object) -> None:
        """Keep one result; another program may have kept others meanwhile."""
        self.found = Results(self.file).found | {name: value}
        self.file.parent.mkdir(parents=True, exist_ok=True)
        self.file.write_text(json.dumps(self.found, indent=1, sort_keys=True), "utf-8")
        print(name, value, flush=True)


def in_turns(sides: Mapping[str, tuple[Server, dict[str, Any]]], rows: int) -> dict[str, Any]:
    """Return what each side takes, the median of three turns where that is quick."""
    turns: list[dict[str, dict[str, Any]]] = []
    while len(turns) < (3 if turns and not _slow(turns[0]) else 1):
        turns.append({side: server.measured(job, rows) for side, (server, job) in sides.items()})
    return {side: _median([turn[side] for turn in turns]) for side in sides}


def _slow(turn: Mapping[str, dict[str, Any]]) -> bool:
    return any(found.get("cpu", QUICK) >= QUICK for found in turn.values())


def _median(found: list[dict[str, Any]]) -> dict[str, Any]:
    if any("stopped" in one for one in found):
        return next(one for one in found if "stopped" in one)
    return {name: median(one[name] for one in found) for name in ("cpu", "memory")}


def compared(results: Results, wanted: list[str]) -> None:
    """Measure the comparisons; larger tables only if the other package got through smaller ones."""
    own = Server(sys.executable, HERE / "own.py", *map(str, map(tables, (SMALL, *SIZES))))
    for peer in PEERS:
        rest = [one for one in COMPARISONS if one.peer == peer]
        missing = list(_missing(rest, results, wanted))
        other = Server(peer_python(peer), HERE / "peer.py", peer) if missing else None
        for name, one, rows in missing:
            smaller = [results.found.get(_name(one, size), {}) for size in SIZES if size < rows]
            if other and not any("stopped" in found.get("peer", {}) for found in smaller):
                sides = {"peer": (other, one.their()), "own": (own, one.own())}
                results.keep(name, in_turns(sides, rows))
        if other:
            other.stop()
    own.stop()


def _missing(
    comparisons: list[Comparison], results: Results, wanted: list[str]
) -> Iterator[tuple[str, Comparison, int]]:
    for rows in SIZES:
        for one in comparisons:
            name = _name(one, rows)
            if rows <= one.largest and name not in results.found and _asked(name, wanted):
                yield name, one, rows


def _name(one: Comparison, rows: int) -> str:
    return f"{one.peer} {one.label} {rows}"


def _asked(name: str, wanted: list[str]) -> bool:
    return not wanted or any(word in name for word in wanted)


def grown(results: Results, wanted: list[str]) -> None:
    """Measure every metric by itself at some sizes."""
    own = Server(sys.executable, HERE / "own.py", *map(str, map(tables, (SMALL, *GROWTH))))
    for rows in GROWTH:
        for metric in sorted(all_metrics()):
            name = f"growth {metric} {rows}"
            if name not in results.found and _asked(name, wanted):
                results.keep(name, own.measured({"metrics": [metric]}, rows))
    own.stop()


def main() -> int:
    """Measure what is missing and write the page."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--only", action="append", default=[], metavar="WORD")
    parser.add_argument("--page", action="store_true", help="measure nothing")
    given = parser.parse_args()
    results = Results(WORK / "results.json")
    if not given.page:
        compared(results, given.only)
        grown(results, given.only)
    PAGE.write_text(page(results.found, COMPARISONS), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
