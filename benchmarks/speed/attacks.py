"""What one attack takes: Anonymeter was asked for some, privgate makes one on every row."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

TITLES = (
    "| attack | rows | attacks of Anonymeter | CPU ms each | attacks of privgate | CPU ms each "
    "| times less |"
)


def attacks(found: Mapping[str, Any], comparisons: Iterable[Any]) -> str:
    """Return the table of what one attack takes on either side; nothing if none was measured."""
    lines = [
        f"| {one.label} | {rows:,} | {their:,} | {_ms(cpu[0], their)} | {own:,} "
        f"| {_ms(cpu[1], own)} | {times:.0f} |"
        for one, rows, their, own, cpu, times in _each(found, comparisons)
    ]
    text = """## One attack

Attacks on train and on the holdout are counted, for each secret; those of the baseline come on top
on both sides. Of singling out the number is that of the predicates asked for, with at most 50
candidates tried for each on either side."""
    return "\n".join([text, "", TITLES, "|--|--:|--:|--:|--:|--:|--:|", *lines]) if lines else ""


def times_less(found: Mapping[str, Any], comparisons: Iterable[Any], rows: int) -> dict[str, float]:
    """Return how many times less an attack takes, by its name, on tables of so many rows."""
    each = _each(found, comparisons)
    return {one.label: times for one, size, _, _, _, times in each if size == rows}


def _each(
    found: Mapping[str, Any], comparisons: Iterable[Any]
) -> Iterator[tuple[Any, int, int, int, tuple[float, float], float]]:
    for one in comparisons:
        start = f"{one.peer} {one.label} "
        sizes = (int(name.removeprefix(start)) for name in found if name.startswith(start))
        for rows in sorted(sizes) if one.attacks else ():
            taken = found[f"{start}{rows}"]
            if "cpu" in taken["peer"] and "cpu" in taken["own"]:
                asked = min(one.attacks, rows)
                made = one.attacks if one.predicates else rows
                their, own = (2 * one.secrets * number for number in (asked, made))
                cpu = taken["peer"]["cpu"], taken["own"]["cpu"]
                yield one, rows, their, own, cpu, (cpu[0] / their) / (cpu[1] / own)


def _ms(cpu: float, number: int) -> str:
    return f"{1000 * cpu / number:.2g}"
