"""Markdown tables, and the page of results that the scripts of this folder write."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

PAGE = Path(__file__).parents[2] / "docs" / "reproductions.md"
PICTURES = "reproductions"
ROUNDING = 1e-9


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a Markdown table."""
    lines = [head, ["--"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines) + "\n"


def number(value: float | None, digits: int = 3) -> str:
    """Return a number with so many decimals; a dash where there is none."""
    if value is None or np.isnan(value):
        return "–"
    text = f"{value:.{digits}f}"
    return text.replace("-", "\N{MINUS SIGN}") if float(text) else text.removeprefix("-")


def within(value: float, published: float, band: float) -> str:
    """Return whether a value lies within a band around the published one."""
    return inside(value, published - band - ROUNDING, published + band + ROUNDING)


def inside(value: float, low: float, high: float) -> str:
    """Return whether a value lies in a range; what is not known does not."""
    return "yes" if low <= value <= high else "**no**"


def publish(name: str, text: str, *, write: bool, page: Path = PAGE) -> None:
    """Print a section; with ``write`` also put it between its marks on the page of results.

    Raises
    ------
    ValueError
        If the page has no marks of this name.
    """
    print(text)
    if not write:
        return
    begin, end = f"<!-- {name}: generated -->\n", f"<!-- end of {name} -->"
    before, found, rest = page.read_text(encoding="utf-8").partition(begin)
    _, closed, after = rest.partition(end)
    if not found or not closed:
        raise ValueError(f"{page.name} has no section {name}; add its two marks")
    page.write_text(f"{before}{begin}{text.strip()}\n{end}{after}", encoding="utf-8")
    sys.stderr.write(f"wrote the section {name} of {page}\n")


def require(file: Path, source: str) -> None:
    """Leave with exit code 2, saying where to get the data, if the file is not there."""
    if file.is_file():
        return
    sys.stderr.write(f"{file} is not there. {source}\n")
    raise SystemExit(2)
