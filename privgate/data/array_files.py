"""Arrays in .npy and .npz files, read without ever loading a Python object."""

from __future__ import annotations

from hashlib import file_digest
from typing import TYPE_CHECKING, Any, cast
from zipfile import ZipFile

import numpy as np

from privgate.data.explanations import did_you_mean
from privgate.data.opening import opened, refused
from privgate.errors import InputError

if TYPE_CHECKING:
    from io import BufferedReader
    from pathlib import Path

    from numpy.typing import NDArray

ARRAY_FILES = (".npy", ".npz")
_MAGIC = b"\x93NUMPY"


def is_array_file(path: Path) -> bool:
    """Return whether a file name is that of an array."""
    return path.suffix.lower() in ARRAY_FILES


def stored_array(path: Path, name: str | None = None) -> tuple[NDArray[Any], str]:
    """Return the array in a file as it is stored, and the digest of the file's bytes.

    Parameters
    ----------
    name
        Which array of an .npz file; needed only if it holds several.

    Raises
    ------
    InputError
        If the file cannot be read, holds no array of that name, or Python objects.
    """
    if not is_array_file(path):
        message = f"the file name does not end in {' or '.join(ARRAY_FILES)}"
        raise refused(path, message, "rename or convert the file")
    with opened(path) as file:
        digest = file_digest(file, "sha256").hexdigest()
        file.seek(0)
        try:
            if path.suffix.lower() == ".npy":
                return _array(file, path), digest
            return _member(file, path, name), digest
        except InputError:
            raise
        except MemoryError:
            message = "the array does not fit into the memory of this machine"
            raise refused(path, message, "use a larger machine, or a smaller type") from None
        except Exception as cause:  # noqa: BLE001 - whatever a damaged file makes NumPy raise
            raise _unreadable(path, cause) from None


def _array(stream: BufferedReader, path: Path) -> NDArray[Any]:
    if not stream.peek(len(_MAGIC)).startswith(_MAGIC):
        raise refused(path, "the file's content is not a NumPy array", "write it with numpy.save")
    array: NDArray[Any] = np.lib.format.read_array(stream, allow_pickle=False)
    if stream.read(1):  # for a member of an .npz file this also compares its checksum
        raise refused(path, "the file goes on behind the array", "write one array to the file")
    return array


def _member(file: BufferedReader, path: Path, name: str | None) -> NDArray[Any]:
    with ZipFile(file) as archive:
        names = [entry.removesuffix(".npy") for entry in archive.namelist()]
        known = ", ".join(repr(entry) for entry in sorted(names)[:15])
        if len(set(names)) < len(names):
            raise refused(path, "two arrays in the file have one name", "write the file again")
        if not names:
            raise refused(path, "the file holds no array", "write it with numpy.savez")
        if name is None and len(names) > 1:
            message = f"the file holds several arrays: {known}"
            raise refused(path, message, "name one of them with 'array' in a release file")
        chosen = names[0] if name is None else name
        if chosen not in names:
            message = f"the file holds no array {chosen!r}"
            raise refused(path, message, did_you_mean(chosen, names))
        with archive.open(archive.infolist()[names.index(chosen)]) as stream:
            return _array(cast("BufferedReader", stream), path)


def _unreadable(path: Path, cause: Exception) -> InputError:
    """Return what is wrong with a file that NumPy cannot read; the cause's text may show cells."""
    if "allow_pickle" in str(cause):
        message = "the array holds Python objects (pickled), which are never loaded"
        return refused(path, message, "save it as integers, truth values or floating numbers")
    message = f"the file is not a readable {path.suffix.lower()} file: damaged or cut short"
    return refused(path, message, "copy or write it again")
