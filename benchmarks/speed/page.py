"""The page "Speed and size" from what was measured."""

from __future__ import annotations

import math
import os
import platform
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from aims import aims
from attacks import attacks

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

HERE = Path(__file__).parent
PACKAGES = ("numpy", "scipy", "pandas", "scikit-learn", "lightgbm")
MIB = 2**20


def page(found: Mapping[str, Any], comparisons: Iterable[Any]) -> str:
    """Return the page; what was not measured is left out."""
    introduction = (HERE / "introduction.md").read_text(encoding="utf-8").rstrip()
    comparisons = tuple(comparisons)
    parts = [introduction.format(machine=machine()), *side_by_side(found, comparisons)]
    parts += [attacks(found, comparisons), growth(found), aims(found, comparisons)]
    return "\n\n".join(part for part in parts if part) + "\n"


def machine() -> str:
    """Return the processor and the versions of what computes."""
    packages = ", ".join(f"{name} {version(name)}" for name in PACKAGES)
    return f"{_processor()}, {os.cpu_count()} cores; Python {platform.python_version()}, {packages}"


def _processor() -> str:
    file = Path("/proc/cpuinfo")
    lines = file.read_text(encoding="utf-8").splitlines() if file.exists() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()


def side_by_side(found: Mapping[str, Any], comparisons: Iterable[Any]) -> Iterator[str]:
    """Yield a table for each size."""
    rows: dict[int, list[str]] = {}
    for one in comparisons:
        start = f"{one.peer} {one.label} "
        for name in (name for name in found if name.startswith(start)):
            size = int(name.removeprefix(start))
            rows.setdefault(size, []).append(_line(one, found[name]))
    for size in sorted(rows):
        head = f"### {size:,} rows in each table"
        titles = "| asked | of | CPU s | privgate | CPU s | ratio | MiB | privgate, MiB |"
        yield "\n".join([head, "", titles, "|--|--|--:|--|--:|--:|--:|--:|", *rows[size]])


def _line(one: Any, taken: Mapping[str, Any]) -> str:
    their, own = taken["peer"], taken["own"]
    metrics = ", ".join(one.metrics) or "all metrics"
    known = "cpu" in their and "cpu" in own
    ratio = f"{own['cpu'] / their['cpu']:.2g}" if known else "–"
    cells = [one.label, one.peer, _cpu(their), metrics, _cpu(own), ratio, _mib(their), _mib(own)]
    return f"| {' | '.join(cells)} |"


def _cpu(taken: Mapping[str, Any]) -> str:
    if "cpu" in taken:
        return f"{taken['cpu']:.2g}" if taken["cpu"] < 10 else f"{taken['cpu']:.0f}"
    if taken["stopped"] == "cpu":
        return f"> {taken['most']}"
    return "out of memory" if taken["stopped"] == "memory" else "failed"


def _mib(taken: Mapping[str, Any]) -> str:
    return f"{taken['memory'] / MIB:.0f}" if "memory" in taken else "–"


def growth(found: Mapping[str, Any]) -> str:
    """Return the table of how each metric grows, and what grows most."""
    measured: dict[str, dict[int, Mapping[str, Any]]] = {}
    for name, taken in found.items():
        kind, _, rest = name.partition(" ")
        if kind == "growth" and "cpu" in taken:
            metric, _, rows = rest.partition(" ")
            measured.setdefault(metric, {})[int(rows)] = taken
    sizes = sorted({size for taken in measured.values() for size in taken})
    if not sizes:
        return "## Growth\n\nNot measured yet."
    titles = " | ".join(f"{size:,}, CPU s" for size in sizes)
    lines = [f"| metric | {titles} | exponent | MiB at {sizes[-1]:,} |"]
    lines += ["|--|" + "--:|" * (len(sizes) + 2)]
    lines += [_grown(metric, measured[metric], sizes) for metric in sorted(measured)]
    return "\n".join(
        ["## Growth", "", (HERE / "growth.md").read_text("utf-8").rstrip(), "", *lines]
    )


def _grown(metric: str, taken: Mapping[int, Mapping[str, Any]], sizes: list[int]) -> str:
    cells = [_cpu(taken[size]) if size in taken else "–" for size in sizes]
    memory = _mib(taken.get(sizes[-1], {}))
    return f"| {metric} | {' | '.join(cells)} | {exponent(taken, sizes)} | {memory} |"


def exponent(taken: Mapping[int, Mapping[str, Any]], sizes: list[int]) -> str:
    """Return the exponent of the rows in the time between the least and the largest size.

    Examples
    --------
    >>> exponent({10: {"cpu": 1}, 100: {"cpu": 100}}, [10, 100])
    '2.0'
    """
    first, last = sizes[0], sizes[-1]
    if first == last or first not in taken or last not in taken:
        return "–"
    ratio = taken[last]["cpu"] / taken[first]["cpu"]
    return f"{math.log(ratio) / math.log(last / first):.1f}"
