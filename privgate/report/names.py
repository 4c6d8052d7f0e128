"""Names as a reader can take them in: no endless words, no marks that turn text around."""

from __future__ import annotations

import re

from markupsafe import Markup

_LONGEST_WORD = 80  # a digest has 64 letters
_LONGEST_NAME = 120
_LONG_WORD = re.compile(rf"\S{{{_LONGEST_WORD + 1},}}")
_EMBEDDED = "data:"
# Bidirectional overrides and control characters, line ends and tabs aside.
_TURNING = re.compile("[\u202a-\u202e\u2066-\u2069\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")


def short_name(name: str, at_most: int = _LONGEST_NAME) -> str:
    """Return a name without its middle if it is longer than ``at_most`` letters.

    Examples
    --------
    >>> short_name("a rather long name", 11)
    'a rathe…ame'
    """
    if len(name) <= at_most:
        return name
    end = (at_most - 1) // 3
    return f"{name[: at_most - 1 - end]}…{name[-end:]}"


def legible(value: object) -> object:
    r"""Return a value of a page as it is shown.

    Words beyond 80 letters lose their middle, and marks that would turn the rest of a line around
    are written out, so that no name can make an outcome read differently. Markup and embedded
    files keep their words.

    Examples
    --------
    >>> print(legible("met" + chr(0x202E)), len(legible("x" * 10_000)))
    met\u202e 80
    """
    if not isinstance(value, str):
        return value
    if isinstance(value, Markup):
        return Markup(_written_out(value))  # noqa: S704 - what was markup stays markup
    if value.startswith(_EMBEDDED):
        return value
    return _written_out(short_words(value))


def legible_line(text: str) -> str:
    r"""Return a text in one line, as it is shown where there is no page; see :func:`legible`.

    Examples
    --------
    >>> print(legible_line("two" + chr(10) + "lines" + chr(0)))
    two lines\x00
    """
    return _written_out(short_words(" ".join(text.split())))


def short_words(text: str) -> str:
    """Return a text whose words beyond 80 letters have lost their middle.

    Examples
    --------
    >>> len(short_words("x" * 10_000 + " y"))
    82
    """
    return _LONG_WORD.sub(lambda word: short_name(word[0], _LONGEST_WORD), text)


def _written_out(text: str) -> str:
    return _TURNING.sub(lambda sign: repr(sign[0])[1:-1], str(text))
