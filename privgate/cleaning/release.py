"""The shorter table with its release file, read again as a release."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from hashlib import sha256
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ruamel.yaml import YAML

from privgate.cleaning.wording import ORDER_GONE, notice
from privgate.data import TableSource, array_without_rows, load_release, without_rows
from privgate.data.documents import parse_document, read_document
from privgate.errors import InputError, Problem

if TYPE_CHECKING:
    from privgate.cleaning.removal import Removal
    from privgate.data import Release


def write_cleaned(
    folder: Path, release_file: Path, release: Release, removal: Removal, *, place: Path
) -> Release:
    """Write the shorter table and its release file into ``folder``, and return that release.

    ``place`` is where the folder will be in the end, beside where it is now: paths in the release
    file are relative to it.

    Raises
    ------
    InputError
        If the table cannot be shortened, or is no longer the one that was measured.
    """
    content: dict[str, Any] = json.loads(
        json.dumps(read_document(release_file, error=InputError).content)
    )
    stored: dict[str, Any] = content["data"]["synthetic"]
    original = release_file.parent / stored["path"]
    if release.is_array:
        shorter = array_without_rows(original, stored.get("array"), removal.positions)
    else:
        shorter = without_rows(original, TableSource.model_validate(stored), removal.positions)
    if sha256(original.read_bytes()).hexdigest() != release.facts.tables["synthetic"].sha256:
        message = "the table was changed while it was checked"
        raise InputError(Problem(message, file=str(original), remedy="start again"))
    _point_to(content, original.name, release_file.parent, place)
    table, written = folder / "data" / original.name, folder / "release.yaml"
    table.parent.mkdir()
    table.write_bytes(shorter)
    written.write_bytes(_release_text(content).encode())
    return _noted(load_release(written), release, removal)


def _point_to(content: dict[str, Any], table: str, before: Path, after: Path) -> None:
    """Make a release file read in folder ``before`` right for folder ``after``."""
    sources = content["data"]
    for name in ("train", "holdout"):
        if sources.get(name) is not None:
            sources[name]["path"] = _relative(before / sources[name]["path"], after)
    for source in content.get("published") or ():
        source["path"] = _relative(before / source["path"], after)
    sources["synthetic"]["path"] = f"data/{table}"
    if content.get("correspondence") == "same_order":
        content["correspondence"] = "none"


def _relative(path: Path, folder: Path) -> str:
    try:
        return Path(os.path.relpath(path.resolve(), folder.resolve())).as_posix()
    except ValueError:  # on another drive of Windows
        return path.resolve().as_posix()


def _release_text(content: dict[str, Any]) -> str:
    writer = YAML(typ="safe", pure=True)
    writer.default_flow_style = False
    writer.allow_unicode = True
    writer.sort_base_mapping_type_on_output = False  # type: ignore[assignment]
    text = StringIO("# Written by `privgate clean`.\n")
    text.seek(0, os.SEEK_END)
    writer.dump(content, text)
    made = text.getvalue()
    if parse_document(made, name="release.yaml", error=InputError).content != content:
        raise RuntimeError("the release file does not read as it was meant")
    return made


def _noted(cleaned: Release, original: Release, removal: Removal) -> Release:
    """Return the release with a note for its evidence, after a last look at the number of rows."""
    if cleaned.synthetic.rows != removal.rows - len(removal.positions):
        raise RuntimeError("another number of rows is left than was meant to be")
    notes = [*cleaned.facts.notes, notice(removal)]
    if original.facts.correspondence == "same_order":
        notes.append(ORDER_GONE)
    facts = cleaned.facts.model_copy(update={"notes": tuple(notes)})
    return replace(cleaned, facts=facts)
