"""Finished measurements on disk, so that a run that was killed goes on where it stopped.

What lies there is as sensitive as the records: evidence of one release and scores of its rows. It
is for the user's eyes only, and removed when the run that made it has written its files.
"""

from __future__ import annotations

import hmac
import os
import re
import shutil
import tempfile
import time
from contextlib import suppress
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from privgate.engine.identity import entry_identity, run_identity
from privgate.engine.stored import StoredResult
from privgate.evidence import Status

if TYPE_CHECKING:
    from collections.abc import Callable

    from privgate.data import Release
    from privgate.engine.plan import Planned
    from privgate.engine.run import Conditions

_MARK = b"privgate finished measurement v1\n"
_MAC = 32
_DAYS = 30  # what was never taken up again must not lie about for ever
_RUN = re.compile(r"run-[0-9a-f]{32}")


@dataclass
class Cache:
    """A folder with a folder for each interrupted run.

    ``tell`` is told what a user should know: that something is taken up, or cannot be kept.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     cache = Cache(Path(folder))
    ...     cache.size, cache.clear()
    ((0, 0), 0)
    """

    folder: Path
    tell: Callable[[str], None] = field(default=lambda _: None)
    _opened: list[CachedRun] = field(default_factory=list, init=False, repr=False)

    def open(self, release: Release, conditions: Conditions) -> CachedRun:
        """Return what is kept of this very run: same rows, seed, code, packages and machine type.

        Whatever may change a digit is part of what a run is known by, so nothing is ever taken up
        that measuring would not give again.
        """
        secret = run_identity(release, conditions)
        run = CachedRun(self.folder / f"run-{_name(secret, b'run')}", secret, self.tell)
        try:
            self._remove_old()
            run.prepare()
        except OSError as cause:
            self.tell(f"finished measurements cannot be kept in {self.folder} ({cause.strerror})")
            run.usable = False
        self._opened.append(run)
        return run

    @property
    def kept(self) -> int:
        """Return how many finished measurements of this object's own runs are kept."""
        return sum(run.kept for run in self._opened)

    def forget(self) -> None:
        """Remove what is kept of this object's own runs: their files are written."""
        for run in self._opened:
            run.forget()
        self._opened.clear()

    @property
    def size(self) -> tuple[int, int]:
        """Return how many finished measurements there are and how many bytes they take."""
        files = [file for run in self._runs() for file in run.iterdir() if file.is_file()]
        return len(files), sum(file.stat().st_size for file in files)

    def clear(self) -> int:
        """Remove what all interrupted runs have left, and return how many runs that were."""
        runs = self._runs()
        for run in runs:
            shutil.rmtree(run)
        return len(runs)

    def _runs(self) -> list[Path]:
        if not self.folder.is_dir():
            return []
        return sorted(run for run in self.folder.iterdir() if _RUN.fullmatch(run.name))

    def _remove_old(self) -> None:
        for run in self._runs():
            if time.time() - run.stat().st_mtime > _DAYS * 86400:
                shutil.rmtree(run, ignore_errors=True)


@dataclass
class CachedRun:
    """What is kept of one run, readable by its user alone.

    ``secret`` follows from the records and is written nowhere. Each file carries a code made with
    it, so that nobody who does not hold the records can put a result of their own in its place.
    """

    folder: Path
    secret: bytes
    tell: Callable[[str], None]
    usable: bool = True

    def prepare(self) -> None:
        """Make the folder, or tell what is found in it."""
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not _is_private(self.folder):
            self.tell(
                f"{self.folder} is open to other users: nothing is taken from it or kept in it"
            )
            self.usable = False
        elif kept := self.kept:
            self.tell(
                f"going on where a run was interrupted: {kept} finished "
                f"measurement{'' if kept == 1 else 's'} in {self.folder}"
            )

    @property
    def kept(self) -> int:
        """Return how many finished measurements are kept."""
        return sum(1 for _ in self.folder.glob("*.result")) if self.usable else 0

    def take(self, entry: Planned) -> StoredResult | None:
        """Return what a measurement gave before; ``None`` if that is not there, or not as written.

        What is damaged, cut short or not from here is told and measured again.
        """
        file = self._file(entry)
        if not self.usable or not file.exists():
            return None
        try:
            content = file.read_bytes()
            body = content[len(_MARK) + _MAC :]
            if hmac.compare_digest(content, _MARK + self._code(entry, body) + body):
                return StoredResult.from_bytes(body)
        except (OSError, ValueError, KeyError, EOFError):
            pass
        name = entry.metric.card.title
        self.tell(f"{file} is damaged or not from here: {name} is measured again")
        return None

    def keep(self, entry: Planned, result: StoredResult) -> None:
        """Keep a finished measurement; one that failed may go better another time."""
        if not self.usable or result.measurement.status is Status.FAILED:
            return
        body = result.to_bytes()
        if body is None:
            return
        try:
            # Another run of the same release may have finished and taken the folder away.
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            _write(self._file(entry), _MARK + self._code(entry, body) + body)
        except OSError as cause:
            self.tell(f"finished measurements cannot be kept in {self.folder} ({cause.strerror})")
            self.usable = False

    def forget(self) -> None:
        """Remove what is kept: the run has written its files."""
        if self.usable:
            shutil.rmtree(self.folder, ignore_errors=True)

    def _file(self, entry: Planned) -> Path:
        return self.folder / f"{_name(self.secret, entry_identity(entry))}.result"

    def _code(self, entry: Planned, body: bytes) -> bytes:
        return hmac.digest(self.secret, entry_identity(entry) + body, "sha256")


def _name(secret: bytes, what: bytes) -> str:
    return sha256(b"name\n" + secret + what).hexdigest()[:32]


def _is_private(folder: Path) -> bool:
    """Return whether nobody else may look into a folder; where that cannot be asked, it is."""
    if os.name == "nt":  # folders of a profile are private there
        return True
    found = folder.stat()
    return found.st_uid == os.getuid() and not found.st_mode & 0o077


def _write(file: Path, content: bytes) -> None:
    """Write a file that only its user may read, whole or not at all."""
    descriptor, name = tempfile.mkstemp(dir=file.parent, prefix=".unfinished-")
    try:
        with os.fdopen(descriptor, "wb") as stream:
            stream.write(content)
            stream.flush()
            os.fsync(stream.fileno())
        Path(name).replace(file)
    except BaseException:
        with suppress(OSError):
            Path(name).unlink()
        raise
