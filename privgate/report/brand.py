"""An organisation's look for a report: a logo, a style sheet, blocks of the template."""

from __future__ import annotations

import re
from base64 import b64encode
from dataclasses import dataclass
from typing import TYPE_CHECKING

from privgate.errors import InputError, Problem
from privgate.report.drawing import drawing_problem

if TYPE_CHECKING:
    from pathlib import Path

MOST_LOGO_BYTES = 512 * 1024
_MOST_STYLE_BYTES = 256 * 1024
_TEMPLATE, _STYLE = "report.html.j2", "brand.css"
_SIGNATURES = {b"\x89PNG\r\n\x1a\n": "image/png", b"\xff\xd8\xff": "image/jpeg"}
# Escapes are refused as well: they could spell what is not allowed.
_LEADING_OUT = re.compile(r"@import|</|\\|url\(\s*[\"']?\s*(?!data:image/|#)", re.IGNORECASE)


@dataclass(frozen=True, kw_only=True)
class Logo:
    """A picture as a data address, and what it shows in words."""

    address: str
    text: str


@dataclass(frozen=True, kw_only=True)
class Brand:
    """What makes a report look like an organisation's; ``templates`` holds its ``report.html.j2``.

    Nothing in it can take away what the report says: see :func:`privgate.report.html.render_html`.
    """

    logo: Logo | None = None
    style: str = ""
    templates: Path | None = None


PLAIN = Brand()


def load_brand(folder: Path | None, logo: Path | None, *, logo_text: str = "") -> Brand:
    """Return the look that a folder of templates and a logo give.

    Parameters
    ----------
    folder
        Holds ``report.html.j2``, which extends ``privgate/report.html.j2``, or ``brand.css``, or
        both.
    logo
        A PNG, JPEG or SVG file.
    logo_text
        What the logo says, for readers who do not see it.

    Raises
    ------
    InputError
        If one of them cannot be used.
    """
    style, templates = "", None
    if folder is not None:
        sheet, template = folder / _STYLE, folder / _TEMPLATE
        if not sheet.is_file() and not template.is_file():
            message = f"there is neither {_TEMPLATE} nor {_STYLE}"
            raise _refused(folder, message, "give --template a folder with one of them")
        style = _style(sheet) if sheet.is_file() else ""
        templates = folder if template.is_file() else None
    return Brand(
        logo=None if logo is None else _logo(logo, logo_text), style=style, templates=templates
    )


def _style(file: Path) -> str:
    text = _read(file, _MOST_STYLE_BYTES)
    try:
        style = text.decode("utf-8-sig")
    except UnicodeDecodeError as cause:
        raise _refused(file, "the style sheet is not UTF-8", "save it as UTF-8") from cause
    found = _LEADING_OUT.search(style)
    if found is not None:
        message = f"a style sheet may not hold {found.group()!r}: a report refers to nothing else"
        raise _refused(file, message, "embed pictures as data:image/…")
    return style


def _logo(file: Path, text: str) -> Logo:
    content = _read(file, MOST_LOGO_BYTES)
    kinds = [kind for start, kind in _SIGNATURES.items() if content.startswith(start)]
    kind = kinds[0] if kinds else "image/svg+xml"
    problem = drawing_problem(content) if not kinds else None
    if problem is not None:
        raise _refused(file, problem, "give a PNG, a JPEG, or an SVG of shapes only")
    return Logo(address=f"data:{kind};base64,{b64encode(content).decode()}", text=text.strip())


def _read(file: Path, most: int) -> bytes:
    try:
        with file.open("rb") as source:
            content = source.read(most + 1)
    except OSError as cause:
        raise _refused(
            file, f"the file cannot be read ({cause.strerror})", "check its name"
        ) from cause
    if not content or len(content) > most:
        message = f"the file is empty or has more than {most // 1024} KiB"
        raise _refused(file, message, "give a smaller one")
    return content


def _refused(file: Path, message: str, remedy: str) -> InputError:
    return InputError(Problem(message, file=str(file), remedy=remedy))
