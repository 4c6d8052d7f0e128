"""A report view → PDF. The same view gives the same bytes with the same fonts and WeasyPrint."""

from __future__ import annotations

import logging
from contextlib import contextmanager
from hashlib import sha256
from typing import TYPE_CHECKING, Any, NoReturn

from privgate.errors import Problem, RenderError
from privgate.report.html import render_print_html

if TYPE_CHECKING:
    from collections.abc import Iterator

    from privgate.report.view import ReportView

_VARIANT = "pdf/ua-1"
_MISSING_PANGO = Problem(
    "the libraries that WeasyPrint draws PDF with (Pango) are not installed",
    remedy=(
        "install them and render again: on Debian or Ubuntu "
        "`apt-get install libpango-1.0-0 libpangoft2-1.0-0 libharfbuzz-subset0`, on macOS "
        "`brew install pango`, on Windows MSYS2 with `pacman -S mingw-w64-x86_64-pango`; "
        "HTML and JSON work without them"
    ),
)


def render_pdf(view: ReportView) -> bytes:
    """Return the report as a tagged PDF whose dates and identifier come from the view.

    Raises
    ------
    RenderError
        If the libraries that WeasyPrint needs are missing, or the document cannot be drawn.
    """
    html = render_print_html(view)
    weasyprint = _weasyprint()
    with _quiet():
        try:
            pdf: bytes | None = weasyprint.HTML(
                string=html, url_fetcher=_refuse, media_type="print"
            ).write_pdf(
                pdf_variant=_VARIANT,
                pdf_tags=True,
                pdf_identifier=sha256(html.encode()).digest()[:16],
                custom_metadata=False,
            )
        except (OSError, ValueError) as error:
            raise RenderError(f"the PDF could not be drawn: {error}") from error
    if not pdf:
        raise RenderError("the PDF could not be drawn: WeasyPrint returned nothing")
    return pdf


def require_pdf_libraries() -> None:
    """Return if PDF can be made on this machine.

    Raises
    ------
    RenderError
        If the libraries that WeasyPrint needs are missing; the message says how to get them.
    """
    _weasyprint()


def _weasyprint() -> Any:
    try:
        import weasyprint  # noqa: PLC0415 - loads Pango, which HTML must not depend on
    except (ImportError, OSError) as error:
        raise RenderError(_MISSING_PANGO) from error
    return weasyprint


def _refuse(url: str, *_: object, **__: object) -> NoReturn:
    """Refuse every address: a report fetches nothing."""
    raise ValueError(f"a report refers to nothing outside itself, not to {url[:60]!r}")


@contextmanager
def _quiet() -> Iterator[None]:
    """Silence WeasyPrint and fontTools, which report on style sheets and fonts, not on us."""
    loggers = [logging.getLogger(name) for name in ("weasyprint", "fontTools")]
    levels = [logger.level for logger in loggers]
    for logger in loggers:
        logger.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        for logger, level in zip(loggers, levels, strict=True):
            logger.setLevel(level)
