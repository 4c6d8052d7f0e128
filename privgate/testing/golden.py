"""Texts that are compared with stored ones, which a person has looked at."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

REGOLD = "PRIVGATE_REGOLD"


def compare_with_golden(text: str, file: Path) -> None:
    r"""Return only if a text is, byte for byte, what a file holds.

    With ``PRIVGATE_REGOLD=1`` in the environment the file is written instead; look at the
    difference before committing it.

    Raises
    ------
    AssertionError
        If they differ, or there is no file.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     stored = Path(folder) / "report.txt"
    ...     _ = stored.write_bytes(b"met\n")
    ...     compare_with_golden("met\n", stored)
    """
    if os.environ.get(REGOLD) == "1":
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text.encode())
        return
    if not file.is_file():
        raise AssertionError(f"{file.name} is missing; {REGOLD}=1 writes it")
    stored = file.read_bytes().decode()
    if text == stored:
        return
    lines, other = text.splitlines(), stored.splitlines()
    pairs = enumerate(zip(lines, other, strict=False), start=1)
    line = next((n for n, (new, old) in pairs if new != old), min(len(lines), len(other)) + 1)
    raise AssertionError(f"{file.name} differs from line {line} on; {REGOLD}=1 writes it anew")
