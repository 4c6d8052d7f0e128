"""Every word of the report that comes from neither the evidence nor the verdict.

The catalogue is one TOML file per language under ``templates/wording``.
"""

from __future__ import annotations

import datetime as dt
import re
import tomllib
from functools import cache
from typing import TYPE_CHECKING, Any

from privgate.errors import RenderError
from privgate.report.numbers import NumberStyle
from privgate.resources import resource_folder

if TYPE_CHECKING:
    from collections.abc import Mapping

_GAP = re.compile(r"\{([a-z_]+)\}")
_LONGEST, _DEEPEST = 600, 12  # sentences are short; a name of any length must cost no time
_NUMBER = re.compile(r"[+−-]?\d{1,3}(,\d{3})*(\.\d+)?( ?%)?")
_DAY = re.compile(r"\d{4}-\d\d-\d\d")


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
        self.language = language
        self.numbers = NumberStyle(**catalogue["numbers"])
        texts: dict[str, str] = catalogue.get("texts", {})
        self._texts = texts
        # A pattern that begins with a gap would swallow the beginning of another sentence.
        keys = sorted((key for key in texts if _GAP.search(key)), key=lambda it: it[0] == "{")
        self._patterns = tuple((_pattern(key), texts[key]) for key in keys)

    def _find(self, key: str) -> Any:
        found: Any = self._catalogue
        for step in key.split("."):
            if not isinstance(found, dict) or step not in found:
                raise RenderError(f"the wording {self.language!r} lacks the text {key!r}")
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
            raise RenderError(f"{key!r} of the wording {self.language!r} is not a single text")
        try:
            return template.format(**values)
        except (KeyError, IndexError, ValueError) as error:
            raise RenderError(
                f"{key!r} of the wording {self.language!r} cannot be filled in: {error!r}"
            ) from error

    def choose(self, section: str, name: str) -> str:
        """Return the text called ``name``, or ``name`` itself where the catalogue has none.

        For names that come from a policy or release file and cannot all be foreseen.
        """
        known = self._find(section)
        return str(known[name]) if isinstance(known.get(name), str) else name.replace("_", " ")

    def date(self, day: dt.date) -> str:
        """Return a day with the name of its month.

        Examples
        --------
        >>> load_wording("de").date(dt.date(2026, 11, 3))
        '3. November 2026'
        """
        month = self.listed("document.months")[day.month - 1]
        return self("document.date", day=str(day.day), month=month, year=str(day.year))

    def day(self, day: dt.date | str) -> str:
        """Return a day in numbers; a text that is no day in ISO 8601 form stays what it is.

        Examples
        --------
        >>> load_wording("de").day("2026-11-03"), load_wording("de").day("soon")
        ('03.11.2026', 'soon')
        """
        try:
            found = dt.date.fromisoformat(day) if isinstance(day, str) else day
        except ValueError:
            return str(day)
        year, month, number = found.isoformat().split("-")
        return self("document.day", day=number, month=month, year=year)

    def said(self, text: str) -> str:
        """Return a sentence of a metric or verdict in this language, or as it is if unknown.

        The catalogue's ``texts`` holds each under its English wording, so a sentence is never
        replaced by the translation of another version of it. What stands in a gap is translated by
        itself; a number or a day there gets the form of the language.

        Examples
        --------
        >>> load_wording("de").said("Success on train"), load_wording("en").said("Success on train")
        ('Erfolg beim Training', 'Success on train')
        """
        return self._said(text, depth=_DEEPEST)

    def _said(self, text: str, *, depth: int) -> str:
        if text in self._texts:
            return self._texts[text]
        patterns = self._patterns if depth and len(text) <= _LONGEST else ()
        for pattern, translation in patterns:
            found = pattern.fullmatch(text)
            if found is not None:
                gaps = found.groupdict().items()
                said = {name: self._said(value, depth=depth - 1) for name, value in gaps}
                return translation.format(**said)
        if _DAY.fullmatch(text):
            return self.day(text)
        return self._number(text) if _NUMBER.fullmatch(text) else text

    def _number(self, text: str) -> str:
        written = self.numbers.written(text.removesuffix("%").rstrip())
        return written + self.numbers.percent if text.endswith("%") else written

    def listed(self, key: str) -> tuple[str, ...]:
        """Return a list of texts."""
        return tuple(str(item) for item in self._find(key))

    def entries(self, key: str) -> tuple[Mapping[str, str], ...]:
        """Return a list of texts that have several fields each."""
        return tuple(dict(item) for item in self._find(key))


def _pattern(key: str) -> re.Pattern[str]:
    fixed = _GAP.split(key)
    return re.compile(
        "".join(f"(?P<{it}>.+?)" if n % 2 else re.escape(it) for n, it in enumerate(fixed)),
        re.DOTALL,
    )


def languages() -> tuple[str, ...]:
    """Return the languages that have a catalogue.

    Examples
    --------
    >>> languages()
    ('de', 'en')
    """
    return tuple(sorted(p.stem for p in (resource_folder("templates") / "wording").glob("*.toml")))


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
        known = ", ".join(languages())
        message = f"no usable wording for the language {language!r} (there are {known}): {error}"
        raise RenderError(message) from error
    return Wording(catalogue, language=language)
