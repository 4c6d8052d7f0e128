"""Where the shipped policies, templates and examples are found.

They live inside ``privgate/_data`` of an installed wheel, and at the top of a checkout. An editable
install leaves ``_data`` where Python does not look, hence the fall-back.
"""

from __future__ import annotations

from pathlib import Path
from typing import Literal

Kind = Literal["policies", "templates", "examples"]


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
    package = Path(__file__).parent
    for candidate in (package / "_data" / kind, package.parent / kind):
        if candidate.is_dir():
            return candidate
    raise FileNotFoundError(f"privgate was installed without its {kind}; install it again")
