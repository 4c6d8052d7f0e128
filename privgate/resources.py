"""What is installed: shipped policies, templates and examples, and privgate's own code.

The former live inside ``privgate/_data`` of an installed wheel, and at the top of a checkout. An
editable install leaves ``_data`` where Python does not look, hence the fall-back.
"""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path
from typing import Literal

Kind = Literal["policies", "templates", "examples"]
_PACKAGE = Path(__file__).parent


def resource_folder(kind: Kind) -> Path:
    """Return the folder that holds the shipped files of one kind.

    Raises
    ------
    FileNotFoundError
        If the installation is incomplete.

    Examples
    --------
    >>> (resource_folder("policies") / "template.yaml").is_file()
    True
    """
    for candidate in (_PACKAGE / "_data" / kind, _PACKAGE.parent / kind):
        if candidate.is_dir():
            return candidate
    raise FileNotFoundError(f"privgate was installed without its {kind}; install it again")


def code_sha256(package: Path = _PACKAGE) -> str:
    """Return a digest of privgate's own code: two checkouts may have one version number.

    It does not depend on where the package lies, nor on how its lines end.

    Examples
    --------
    >>> len(code_sha256())
    64
    """
    found = sha256()
    for path in sorted(package.rglob("*.py"), key=lambda path: path.relative_to(package).parts):
        content = path.read_bytes().replace(b"\r\n", b"\n")
        head = f"{path.relative_to(package).as_posix()} {len(content)}\n"
        found.update(head.encode() + content)
    return found.hexdigest()
