"""Whether the lines of a ledger are all there, unaltered and in order."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from privgate.ledger.lines import Evaluation, Heading, Interrupted, opened

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from privgate.ledger.lines import AnyLine


@dataclass(frozen=True)
class Head:
    """The last line of a ledger, as noted apart from it."""

    n: int
    sha256: str


@dataclass(frozen=True)
class Fault:
    """What is wrong with a ledger, and at which line of the file, counted from 1."""

    message: str
    line: int | None = None


@dataclass(frozen=True)
class Chain:
    """The lines that were read. Only without ``faults`` do they tell the whole history.

    ``fragment`` is what follows the last end of line: a write that was cut short.
    """

    lines: tuple[AnyLine, ...]
    faults: tuple[Fault, ...]
    fragment: bytes = b""

    @property
    def head(self) -> Head:
        """Return the last line of a chain that has one."""
        return head_of(self.lines[-1])

    @property
    def evaluations(self) -> tuple[Evaluation, ...]:
        """Return the evaluations in the order in which they were written."""
        return tuple(line for line in self.lines if isinstance(line, Evaluation))

    @property
    def interrupted(self) -> int:
        """Return how many writes were cut short."""
        return sum(isinstance(line, Interrupted) for line in self.lines)

    def number_of(self, sha256: str) -> int | None:
        """Return the number of the line with a digest, or ``None`` if there is none."""
        return next((line.n for line in self.lines if line.sha256 == sha256), None)


def head_of(line: AnyLine) -> Head:
    """Return what is noted of a line when it is the last."""
    return Head(line.n, line.sha256)


def read_chain(content: bytes, noted: Head | None) -> Chain:
    """Return the lines of a ledger with everything that is not as it was written.

    Parameters
    ----------
    noted
        The head that was noted apart. It must be one of the lines; without it, a ledger of more
        than its first line could have been cut short unseen.
    """
    *raw, fragment = content.split(b"\n")
    found = [_opened(line) for line in raw]
    faults = [*_altered(found), *_out_of_place(found), *_unlinked(found)]
    lines = tuple(line for line in found if line is not None)
    if not faults:
        faults = [*_without_head(lines, noted)]
    return Chain(lines, tuple(sorted(faults, key=lambda f: f.line or 0)), fragment)


def _opened(raw: bytes) -> AnyLine | None:
    try:
        return opened(raw)
    except ValueError:
        return None


def _altered(found: Sequence[AnyLine | None]) -> Iterator[Fault]:
    for place, line in enumerate(found):
        if line is None:
            yield Fault("the line was altered: its digest is not that of its content", place + 1)
        elif isinstance(line, Heading) and place:
            yield Fault("another ledger begins here", place + 1)


def _out_of_place(found: Sequence[AnyLine | None]) -> Iterator[Fault]:
    """Yield gaps in the numbers and lines that stand too late; an altered line fills one place."""
    present = {line.n for line in found if line is not None}
    expected = 0
    for place, line in enumerate(found):
        n = expected if line is None else line.n
        if n < expected:
            yield Fault(f"entry {n} stands after entry {expected - 1}: out of order", place + 1)
        gone = [number for number in range(expected, n) if number not in present]
        if gone:
            which = f"entry {gone[0]}" if len(gone) == 1 else f"entries {gone[0]} to {gone[-1]}"
            yield Fault(f"{which} removed before this line, which is entry {n}", place + 1)
        expected = max(expected, n + 1)


def _unlinked(found: Sequence[AnyLine | None]) -> Iterator[Fault]:
    """Yield lines that were replaced by others of the same number, seen by those after them."""
    before = {line.n + 1: line.sha256 for line in found if line is not None}
    for place, line in enumerate(found):
        if line is None:
            continue
        begins = line.n == 0
        if begins != (line.previous is None) or begins != isinstance(line, Heading):
            yield Fault("the line is no link of the chain", place + 1)
        elif not begins and before.get(line.n, line.previous) != line.previous:
            message = f"entry {line.n} was written after another entry {line.n - 1}: that was"
            yield Fault(f"{message} altered or replaced, or this one is", place + 1)


def _without_head(lines: Sequence[AnyLine], noted: Head | None) -> Iterator[Fault]:
    if noted is None:
        if len(lines) > 1:
            yield Fault("the head file is missing, so lines may have been removed at the end")
    elif noted.n >= len(lines):
        gone = f"entries {len(lines)} to {noted.n} were"
        if noted.n == len(lines):
            gone = f"entry {noted.n} was"
        yield Fault(f"{gone} removed at the end", len(lines) + 1)
    elif lines[noted.n].sha256 != noted.sha256:
        message = f"entry {noted.n} is another than the one that the head file names"
        yield Fault(message, noted.n + 1)
