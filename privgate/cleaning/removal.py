"""Which records are to go, and who named them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from privgate.errors import InputError, Problem

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from numpy.typing import NDArray

    from privgate.data import Release
    from privgate.metrics import Records
    from privgate.policy import BoundPolicy

LISTED = "list of rows"
SHOWN_PROBLEMS = 20


@dataclass(frozen=True)
class Removal:
    """Which of the ``rows`` synthetic records are to go: positions in the file by who named them.

    The names are ids of rules, or ``LISTED``.
    """

    rows: int
    named: Mapping[str, NDArray[np.int64]]

    @property
    def positions(self) -> NDArray[np.int64]:
        """Return the positions of all rows that are named, each once, sorted."""
        every = [np.empty(0, np.int64), *self.named.values()]
        return np.unique(np.concatenate(every))

    @property
    def counts(self) -> str:
        """Return how many records each rule named, in words."""
        return ", ".join(f"{name} {len(rows)}" for name, rows in self.named.items() if len(rows))

    @property
    def by_rules(self) -> tuple[str, ...]:
        """Return the rules that named a record."""
        return tuple(name for name, rows in self.named.items() if len(rows) and name != LISTED)


def named_by_rules(
    records: Mapping[str, tuple[Records, ...]], policy: BoundPolicy, release: Release
) -> Removal:
    """Return the synthetic rows that the measurements of a policy's rules name.

    Every rule counts, kept or broken, blocking or advisory: a record that is a copy is one whatever
    the limit on their number.
    """
    named = {}
    for rule in policy.rules:
        marks = [
            entry.named
            for entry in records.get(rule.measurement_id, ())
            if entry.table == "synthetic" and entry.named is not None
        ]
        if marks:
            rows = release.synthetic.positions[np.logical_or.reduce(marks)]
            named[rule.rule.id] = np.sort(rows)
    return Removal(release.synthetic.rows, named)


def listed_rows(path: Path, release: Release) -> Removal:
    """Return the synthetic rows whose numbers, counted from 1, a file lists one a line.

    Raises
    ------
    InputError
        If the file cannot be read, lists nothing, or with the lines that are no row's number, or
        one listed before.
    """
    rows = release.synthetic.rows
    try:
        lines = path.read_text("utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as cause:
        reason = "it is not text" if isinstance(cause, UnicodeDecodeError) else cause.strerror
        message = f"the list of rows cannot be read ({reason})"
        raise InputError(Problem(message, file=str(path))) from None
    first: dict[int, int] = {}
    problems = []
    for number, line in enumerate(lines, start=1):
        if line.strip():
            wrong = _listed(line.strip(), number, rows, first)
            if wrong:
                remedy = "give the number of one data row a line, counted from 1 without the header"
                problems.append(Problem(wrong, file=str(path), line=number, remedy=remedy))
    if not first and not problems:
        problems = [Problem("the file lists no row", file=str(path))]
    if len(problems) > SHOWN_PROBLEMS:
        more = Problem(f"{len(problems) - SHOWN_PROBLEMS} more lines are wrong", file=str(path))
        problems = [*problems[:SHOWN_PROBLEMS], more]
    if problems:
        raise InputError(problems)
    return Removal(rows, {LISTED: np.array(sorted(first), np.int64)})


def _listed(text: str, line: int, rows: int, first: dict[int, int]) -> str | None:
    """Return what is wrong with a listed number, never the text: it may be a record."""
    if not (text.isascii() and text.isdigit() and len(text) < 16):
        return "this is no row number"
    row = int(text)
    if not 1 <= row <= rows:
        return f"there is no such row; the synthetic table has {rows}"
    if first.setdefault(row, line) != line:
        return f"the row is listed twice, first on line {first[row]}"
    return None
