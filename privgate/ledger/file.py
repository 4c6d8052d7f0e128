"""A ledger on disk: one writer at a time, nothing lost when a process is killed."""

from __future__ import annotations

import json
import os
import secrets
import shutil
from contextlib import contextmanager
from hashlib import sha256
from typing import TYPE_CHECKING

from filelock import FileLock, Timeout

from privgate.errors import InputError, IntegrityError, Problem
from privgate.evidence import canonical_bytes
from privgate.ledger.chain import Chain, Fault, Head, head_of, read_chain
from privgate.ledger.entry import evaluation, history
from privgate.ledger.lines import Heading, Interrupted, opened, sealed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from datetime import datetime
    from pathlib import Path

    from privgate.evidence import RunEvidence
    from privgate.policy.verdict import Verdict

_PATIENCE = 60.0  # seconds; the lock is held while a verdict is reached, not while measuring


class Ledger:
    """An append-only record of evaluations in a file, with its head beside it in ``FILE.head``.

    Each line holds the digest of the line before, so that a line that is removed, altered or moved
    is found; the head shows lines missing at the end. Whoever writes both files anew is found only
    by a head that was kept elsewhere, and the evidence of every evaluation holds one.
    """

    def __init__(self, path: Path) -> None:
        self.path = path.resolve()
        self._head_path = self.path.with_name(f"{self.path.name}.head")
        self._lock_path = self.path.with_name(f"{self.path.name}.lock")

    def record(
        self, evidence: RunEvidence, judge: Callable[[RunEvidence], Verdict]
    ) -> tuple[RunEvidence, Verdict]:
        """Return evidence that knows its history, and its verdict, both now in the ledger.

        Judging happens under the lock, so that the history is complete.

        Raises
        ------
        InputError
            If the ledger was altered, is something else or cannot be written.
        """
        with self._alone():
            chain = self._mended(evidence.run.created)
            after = chain.head
            known = evidence.model_copy(update={"ledger": history(chain, evidence, after=after)})
            verdict = judge(known)
            self._append(sealed(evaluation(known, verdict, after=after)))
        return known, verdict

    def require_usable(self) -> None:
        """Refuse a ledger that an evaluation could not be written into; better before measuring.

        Raises
        ------
        InputError
            If it was altered, is something else or cannot be written.
        """
        with self._alone():
            if self._intact().lines:
                self.path.open("ab").close()

    def intact(self) -> Chain:
        """Return the lines of a ledger that is as it was written, also while another writes.

        Raises
        ------
        InputError
            If there is no ledger, or the file is something else.
        IntegrityError
            With every line that was altered, removed or moved.
        """
        try:
            noted = self._noted()  # before the lines: some may be added meanwhile, none removed
            content = self.path.read_bytes()
        except FileNotFoundError as cause:
            if noted is None:
                raise self._refused("the ledger cannot be read", cause) from cause
            message = "the ledger is gone, only its head file is there"
            raise IntegrityError(Problem(message, file=str(self.path))) from cause
        except OSError as cause:
            raise self._refused("the ledger cannot be read", cause) from cause
        head = noted if isinstance(noted, Head) else None
        chain = read_chain(content, head)
        if noted is None and not chain.lines:
            remedy = "name a file that `privgate check --ledger` wrote"
            message = "this is not a ledger, or an empty one"
            raise InputError(Problem(message, file=str(self.path), remedy=remedy))
        faults = (noted,) if isinstance(noted, Fault) else chain.faults
        if faults:
            file = str(self.path)
            raise IntegrityError([Problem(it.message, file=file, line=it.line) for it in faults])
        return chain

    @contextmanager
    def _alone(self) -> Iterator[None]:
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with FileLock(self._lock_path).acquire(timeout=_PATIENCE, poll_interval=0.01):
                yield
        except Timeout as cause:
            message = f"another process has held the ledger for {_PATIENCE:g} seconds"
            problem = Problem(message, file=str(self.path), remedy="end it, or wait and try again")
            raise InputError(problem) from cause
        except OSError as cause:
            raise self._refused("the ledger cannot be written", cause) from cause

    def _intact(self) -> Chain:
        """Return the lines of a ledger to be continued; one that is yet to begin has none."""
        begun = self.path.exists() and self.path.stat().st_size > 0
        if not begun and self._noted() is None:
            return Chain((), ())
        try:
            return self.intact()
        except IntegrityError as altered:
            remedy = "keep it for whoever must know, and begin another ledger"
            found = [Problem(p.message, p.file, p.line, remedy=remedy) for p in altered.problems]
            raise InputError(found) from altered

    def _mended(self, created: datetime) -> Chain:
        """Return a chain that can be continued, its first line written and no line cut short.

        The file is replaced whole, so that this may be interrupted, too.
        """
        chain = self._intact()
        if chain.lines and not chain.fragment:
            return chain
        if chain.lines:
            content = self.path.read_bytes().removesuffix(chain.fragment)
            content += _in_place_of(chain.fragment, after=chain.head, created=created)
        else:
            name = secrets.token_hex(16)
            content = sealed(Heading(n=0, previous=None, created=created, id=name))
        _replace(self.path, content)
        mended = read_chain(content, None)
        self._note(mended.head)
        return mended

    def _append(self, line: bytes) -> None:
        with self.path.open("ab") as stream:
            stream.write(line)
            stream.flush()
            os.fsync(stream.fileno())
        self._note(head_of(opened(line.rstrip())))

    def _note(self, head: Head) -> None:
        _replace(self._head_path, _noted_as(head))

    def _noted(self) -> Head | Fault | None:
        try:
            raw = self._head_path.read_bytes()
        except FileNotFoundError:
            return None
        try:
            content = json.loads(raw)
            head = Head(abs(int(content["n"])), str(content["sha256"]))
        except (ValueError, KeyError, TypeError, RecursionError):
            head = None
        if head is None or _noted_as(head) != raw:
            return Fault("the head file beside the ledger was altered")
        return head

    def _refused(self, message: str, cause: OSError) -> InputError:
        remedy = "give a file that you may read and write"
        problem = Problem(f"{message} ({cause.strerror})", file=str(self.path), remedy=remedy)
        return InputError(problem)


def _noted_as(head: Head) -> bytes:
    return canonical_bytes({"n": head.n, "sha256": head.sha256}) + b"\n"


def _in_place_of(fragment: bytes, *, after: Head, created: datetime) -> bytes:
    """Return the line that takes the place of one that was cut short.

    That is the line itself if it lacks only its end; else one that says so and keeps what is there.
    """
    try:
        line = opened(fragment)
    except ValueError:
        line = None
    if line is not None and (line.n, line.previous) == (after.n + 1, after.sha256):
        return fragment + b"\n"
    return sealed(
        Interrupted(
            n=after.n + 1,
            previous=after.sha256,
            created=created,
            fragment=fragment.decode("utf-8", errors="replace"),
            fragment_sha256=sha256(fragment).hexdigest(),
        )
    )


def _replace(path: Path, content: bytes) -> None:
    fresh = path.with_name(f"{path.name}.new")
    with fresh.open("wb") as stream:
        stream.write(content)
        stream.flush()
        os.fsync(stream.fileno())
    if path.exists():
        shutil.copymode(path, fresh)
    fresh.replace(path)
