"""What the program says by itself: a word of these says nothing about a person."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from privgate.resources import resource_folder

if TYPE_CHECKING:
    from collections.abc import Iterator

_TEXTS = {".toml", ".j2", ".css", ".yaml"}
_INVENTED = "testing"  # names in invented data are not words of a report


def own_texts() -> Iterator[str]:
    """Yield the source texts of the program, its templates, catalogues and policies."""
    package = Path(__file__).parents[1]
    for path in sorted(package.rglob("*.py")):
        if _INVENTED not in path.relative_to(package).parts:
            yield path.read_text("utf-8")
    for kind in ("templates", "policies"):
        for path in sorted(resource_folder(kind).rglob("*")):
            if path.suffix in _TEXTS:
                yield path.read_text("utf-8")


@cache
def months() -> dict[str, int]:
    """Return the number of each month by its name in every language of the catalogues."""
    found = {}
    for path in sorted((resource_folder("templates") / "wording").glob("*.toml")):
        document = tomllib.loads(path.read_text("utf-8")).get("document", {})
        for number, name in enumerate(document.get("months", ()), start=1):
            found[str(name).casefold()] = number
    return found
