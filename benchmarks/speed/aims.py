"""What was aimed at, what was measured, and whether that is met."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

from attacks import times_less

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

HERE = Path(__file__).parent
MIB = 2**20
MOST_MEMORY = 2**31  # beyond the tables
MOST_SECONDS = 79  # what SDMetrics takes for one metric at 3,000 rows
TIMES_LESS = 10
QUADRATIC = 2.0
SIZE, GROWN = 10_000, (3000, 30_000)
STRICT = (
    "`check` with `public-release-strict`, 30,000 people in train and release, 15,000 in the "
    f"holdout, report included: at most {MOST_SECONDS} CPU s"
)
MILLION = (
    "a million points of 10 numbers in each table through `check`, distance and copy metrics: at "
    f"most {MOST_MEMORY // MIB:,} MiB beyond the tables"
)


def aims(found: Mapping[str, Any], comparisons: Iterable[Any]) -> str:
    """Return the section of aims; one that was not measured says so and is not met."""
    lines = [f"| {what} | {said} | {_word(met)} |" for what, said, met in _aims(found, comparisons)]
    text = (HERE / "acceptance.md").read_text(encoding="utf-8").rstrip()
    return "\n".join(["## Aims", "", "| aim | measured | |", "|--|--|--|", *lines, "", text])


def _word(met: bool | None) -> str:  # noqa: FBT001 - one value of three
    return "not measured" if met is None else "met" if met else "**missed**"


def _aims(
    found: Mapping[str, Any], comparisons: Iterable[Any]
) -> Iterator[tuple[str, str, bool | None]]:
    strict = found.get("check people 30000")
    yield STRICT, *_check(strict, lambda taken: taken["cpu"] <= MOST_SECONDS)
    yield f"all metrics at {SIZE:,} rows: less CPU than the report of mostlyai-qa", *_report(found)
    times = times_less(found, comparisons, 30_000)
    for label in sorted(times):
        what = f"{label}, 30,000 rows: at least {TIMES_LESS} times less CPU an attack"
        yield what, f"{times[label]:.3g} times", times[label] >= TIMES_LESS
    million = found.get("check points 1000000 10")
    yield MILLION, *_check(million, lambda taken: taken["beyond"] <= MOST_MEMORY)
    yield "200,000 points of 20 numbers through `check --cluster local`", *_cluster(found)
    yield "no metric grows faster than quadratically", *_growth(found)


def _check(taken: Mapping[str, Any] | None, met: Any) -> tuple[str, bool | None]:
    if taken is None:
        return "–", None
    beyond = taken.get("beyond")
    more = "" if beyond is None else f", {beyond / MIB:,.0f} MiB beyond the tables"
    said = (
        f"{taken['cpu']:.0f} CPU s, {taken['wall']:.0f} s, "
        f"peak {taken['memory'] / MIB:,.0f} MiB{more}"
    )
    return said, taken["code"] in {0, 1, 3} and bool(met(taken))  # a verdict was reached


def _report(found: Mapping[str, Any]) -> tuple[str, bool | None]:
    taken = found.get(f"mostlyai-qa report {SIZE}")
    if taken is None or "cpu" not in taken["own"]:
        return "–", None
    own, their = taken["own"]["cpu"], taken["peer"].get("cpu")
    if their is None:
        return f"{own:.0f} CPU s; the report could not be made", None
    return f"{own:.0f} against {their:.0f} CPU s", own < their


def _cluster(found: Mapping[str, Any]) -> tuple[str, bool | None]:
    large = found.get("check points 200000 20 local")
    small = [found.get(f"check points 20000 20{where}") for where in ("", " local")]
    if large is None or None in small:
        return "–", None
    alike = len({taken["evidence"] for taken in small if taken}) == 1
    said, ended = _check(large, lambda _: True)
    what = "the same evidence" if alike else "**another** evidence"
    return f"{said}; at 20,000 points {what} as without a cluster", bool(ended) and alike


def _growth(found: Mapping[str, Any]) -> tuple[str, bool | None]:
    first, last = (
        {
            name.removeprefix("growth ").removesuffix(f" {rows}"): taken["cpu"]
            for name, taken in found.items()
            if name.startswith("growth ") and name.endswith(f" {rows}") and "cpu" in taken
        }
        for rows in GROWN
    )
    asked = {name.split(" ")[1] for name in found if name.startswith("growth ")}
    if not asked or asked != set(first) & set(last):
        return f"{len(set(first) & set(last))} of {len(asked)} metrics were measured", None
    steps = math.log(GROWN[1] / GROWN[0])
    exponents = {name: math.log(last[name] / first[name]) / steps for name in asked}
    most = max(exponents, key=lambda name: exponents[name])
    return f"at most {exponents[most]:.2f} ({most})", exponents[most] <= QUADRATIC
