"""Texts in Markdown in which nothing is markup."""

from __future__ import annotations

import re

_AT_START = re.compile(r"^(\d*)(#|[+=.)-](?=\W|$))")
# People, issues, requests and milestones are linked and notified by code hosts: a backslash is
# enough for one of them, an empty comment for the other. Addresses lose what makes them links.
_MARKUP = re.compile(
    r"""(?P<reference>(?<!\w)[@#!%^](?=[\w"])|(?<=\w)[#!](?=\d))
    |(?P<inline>[\\`*_{}$\[\]<>|~&])
    |(?P<address>(?<=[A-Za-z])(?=://|@)|(?<=[wW]{3})(?=\.))""",
    re.VERBOSE,
)


def plain_markdown(text: str) -> str:
    r"""Return a text on one line in which nothing is markup, and nobody is mentioned.

    Examples
    --------
    >>> print(plain_markdown("a|b <b>*c*</b>, 1.5 to 2."))
    a\|b \<b\>\*c\*\</b\>, 1.5 to 2.
    >>> print(plain_markdown("see @all"))
    see \@<!-- -->all
    """
    line = _MARKUP.sub(_escaped, " ".join(text.split()))
    return _AT_START.sub(r"\1\\\2", line)


def _escaped(found: re.Match[str]) -> str:
    return rf"\{found[0]}<!-- -->" if found["reference"] else rf"\{found[0]}"
