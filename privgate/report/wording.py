"""Every word of the report that comes from neither the evidence nor the verdict.

The catalogue is one TOML file per language under ``templates/wording``.
"""

from __future__ import annotations

import tomllib
from functools import cache
from typing import TYPE_CHECKING, Any

from privgate.errors import RenderError
from privgate.resources import resource_folder

if TYPE_CHECKING:
    from collections.abc import Mapping


class Wording:
    """The texts of one language, addressed by dotted keys.

    Examples
    --------
    >>> words = load_wording("en")
    >>> words("require.max", value="5%")
    'at most 5%'
    """

    def __init__(self, catalogue: Mapping[str, Any], *, language: str) -> None:
        self._catalogue = catalogue
        self._language = language

    def _find(self, key: str) -> Any:
        found: Any = self._catalogue
        for step in key.split("."):
            if not isinstance(found, dict) or step not in found:
                raise RenderError(f"the wording {self._language!r} lacks the text {key!r}")
            found = found[step]
        return found

    def __call__(self, key: str, **values: str) -> str:
        """Return one text with its gaps filled in.

        Raises
        ------
        RenderError
            If the catalogue lacks the text or the text has a gap for which there is no value.
        """
        template = self._find(key)
        if not isinstance(template, str):
            raise RenderError(f"{key!r} of the wording {self._language!r} is not a single text")
        try:
            return template.format(**values)
        except (KeyError, IndexError, ValueError) as error:
            raise RenderError(
                f"{key!r} of the wording {self._language!r} cannot be filled in: {error!r}"
            ) from error

    def choose(self, section: str, name: str) -> str:
        """Return the text called ``name``, or ``name`` itself where the catalogue has none.

        For names that come from a policy or release file and cannot all be foreseen.
        """
        known = self._find(section)
        return str(known[name]) if isinstance(known.get(name), str) else name.replace("_", " ")

    def listed(self, key: str) -> tuple[str, ...]:
        """Return a list of texts."""
        return tuple(str(item) for item in self._find(key))

    def entries(self, key: str) -> tuple[Mapping[str, str], ...]:
        """Return a list of texts that have several fields each."""
        return tuple(dict(item) for item in self._find(key))


@cache
def load_wording(language: str) -> Wording:
    """Return the catalogue of a language.

    Raises
    ------
    RenderError
        If there is no readable catalogue for the language.
    """
    path = resource_folder("templates") / "wording" / f"{language}.toml"
    try:
        catalogue = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, tomllib.TOMLDecodeError) as error:
        raise RenderError(f"no usable wording for the language {language!r}: {error}") from error
    return Wording(catalogue, language=language)
