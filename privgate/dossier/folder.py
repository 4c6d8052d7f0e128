"""The output folder of a check: evidence, verdict, report and manifest, whole or not at all."""

from __future__ import annotations

import secrets
import shutil
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from privgate.attest import ADDED, MANIFEST, manifest_bytes, read_manifest
from privgate.errors import InputError, PrivgateError, Problem

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from privgate.evidence import RunEvidence
    from privgate.policy.verdict import Verdict


def require_free(folder: Path, *, replaceable: Collection[str] = ()) -> None:
    """Refuse a folder that cannot be written, or that holds anything but an earlier check.

    ``replaceable`` names files that may also be there, as those of an earlier study.

    Raises
    ------
    InputError
        If the folder could not be replaced, or not without losing something.
    """
    try:
        _require_usable(folder, replaceable)
        above = next(path for path in folder.resolve().parents if path.exists())
        with tempfile.TemporaryDirectory(dir=above, prefix=".privgate-"):
            pass
    except OSError as cause:  # also a name that is too long to be looked for
        raise _unwritable(folder, cause) from cause


def _require_usable(folder: Path, replaceable: Collection[str]) -> None:
    if folder.exists() and not folder.is_dir():
        raise _refused(folder, "the output folder is a file", "give --out a folder")
    if folder.resolve() in {Path.cwd(), *Path.cwd().parents} or folder.is_mount():
        message = "the output folder is in use as a current folder or mount point"
        raise _refused(folder, message, "give --out a new folder inside it")
    foreign = _foreign(folder, replaceable)
    if foreign:
        message = f"the output folder is not a check of privgate, or not only: it holds {foreign!r}"
        raise _refused(folder, message, "give --out a new or empty folder")
    around = next((it for it in folder.resolve().parents if _holds_check(it)), None)
    if around is not None:  # `privgate verify` would find files there that nobody knows
        message = f"the output folder lies inside that of another check, {str(around)!r}"
        raise _refused(folder, message, "give --out a folder beside it")


def _holds_check(folder: Path) -> bool:
    return all((folder / name).is_file() for name in (MANIFEST, "evidence.json"))


def _foreign(folder: Path, replaceable: Collection[str]) -> str | None:
    """Return the name of a file that is not part of an earlier, intact check."""
    try:
        known = {*replaceable, *read_manifest(folder).files, MANIFEST, *ADDED}
    except PrivgateError:
        known = set(replaceable)
    names = sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*"))
    return next(
        (name for name in names if name not in known and not (folder / name).is_dir()), None
    )


def _refused(folder: Path, message: str, remedy: str) -> InputError:
    return InputError(Problem(message, file=str(folder), remedy=remedy))


def _unwritable(folder: Path, cause: OSError) -> InputError:
    message = f"the output folder cannot be written ({cause.strerror})"
    return _refused(folder, message, "give --out a folder you may write to")


def write_dossier(
    folder: Path,
    files: Mapping[str, bytes],
    evidence: RunEvidence,
    verdict: Verdict,
    *,
    signatures: Mapping[str, bytes] | None = None,
) -> None:
    """Write the files and their manifest into ``folder``, replacing an earlier check there.

    Everything is written beside the folder first and moved into place at the end. ``signatures``
    are files of signatures on just these.

    Raises
    ------
    InputError
        If the folder holds something else, or cannot be written.
    """
    manifest = {MANIFEST: manifest_bytes(files, evidence, verdict)}
    write_folder(folder, {**files, **manifest, **(signatures or {})})


def write_folder(
    folder: Path, files: Mapping[str, bytes], *, replaceable: Collection[str] = ()
) -> None:
    """Write the files into ``folder``, replacing what :func:`require_free` lets go, or nothing.

    Raises
    ------
    InputError
        If the folder holds something else, or cannot be written.
    """
    require_free(folder, replaceable=replaceable)
    target = folder.resolve()
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=target.parent, prefix=".privgate-") as workshop:
            fresh = Path(workshop) / "new"
            _write(fresh, files)
            _put(fresh, target, earlier=Path(workshop) / "earlier")
    except OSError as cause:
        raise _unwritable(folder, cause) from cause


@contextmanager
def new_folder(folder: Path) -> Iterator[Path]:
    """Give an empty folder beside ``folder`` that takes its name in the end, or goes on an error.

    Raises
    ------
    InputError
        If there is something in ``folder`` already, or it cannot be written.
    """
    require_free(folder)
    if folder.exists() and any(folder.iterdir()):
        raise _refused(folder, "the output folder is not empty", "give --out a new folder")
    target = folder.resolve()
    fresh = target.with_name(f".privgate-{secrets.token_hex(8)}")
    try:
        fresh.mkdir(parents=True)
        yield fresh
        if target.exists():
            target.rmdir()
        fresh.rename(target)
    except OSError as cause:
        raise _unwritable(folder, cause) from cause
    finally:
        shutil.rmtree(fresh, ignore_errors=True)


def _put(fresh: Path, target: Path, *, earlier: Path) -> None:
    """Move ``fresh`` to ``target``; what was there is kept should that fail."""
    if target.exists():
        target.rename(earlier)
    try:
        fresh.rename(target)
    except BaseException:
        if earlier.exists():
            earlier.rename(target)
        raise


def _write(folder: Path, files: Mapping[str, bytes]) -> None:
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
