"""Finished trials on disk, so that an interrupted study goes on where it stopped."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from pydantic import ValidationError

from privgate.errors import InputError, Problem
from privgate.trials.repeat import TrialResult

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path


class TrialStore:
    """A file with a line per finished trial, below a line that says of which study.

    Outcomes and aggregate figures only, never a record. A last line that was cut short, as when the
    machine went down, is dropped and its trial made again.
    """

    def __init__(self, path: Path, *, study: str) -> None:
        """Open the file, or begin it.

        Raises
        ------
        InputError
            If it holds trials of another study, or cannot be written.
        """
        self._path = path
        self._head = json.dumps({"study": study})
        self._found: dict[str, TrialResult] = {}
        try:
            if path.exists():
                self._read()
            else:
                path.parent.mkdir(parents=True, exist_ok=True)
            lines = [self._head, *(result.model_dump_json() for result in self._found.values())]
            fresh = path.with_name(path.name + ".new")
            fresh.write_text("\n".join(lines) + "\n", encoding="utf-8")
            fresh.replace(path)
        except OSError as cause:
            message = f"finished trials cannot be kept here ({cause.strerror})"
            raise self._refused(message, "give --out a folder you may write to") from cause

    def finished(self) -> Mapping[str, TrialResult]:
        """Return the trials that are done, by key."""
        return self._found

    def add(self, result: TrialResult) -> None:
        """Keep a finished trial."""
        self._found[result.key] = result
        with self._path.open("a", encoding="utf-8") as stream:
            stream.write(result.model_dump_json() + "\n")

    def remove(self) -> None:
        """Remove the file: the study is complete."""
        self._path.unlink(missing_ok=True)

    def _read(self) -> None:
        lines = self._path.read_text(encoding="utf-8", errors="replace").split("\n")
        if lines[0] != self._head:
            message = "the file holds trials of another release, policy or choice of leaks"
            raise self._refused(message, "remove it to begin anew, or give another --out")
        for line in lines[1:]:
            try:
                result = TrialResult.model_validate_json(line)
            except ValidationError:  # the line that was being written, or the empty last one
                continue
            self._found[result.key] = result

    def _refused(self, message: str, remedy: str) -> InputError:
        return InputError(Problem(message, file=str(self._path), remedy=remedy))
