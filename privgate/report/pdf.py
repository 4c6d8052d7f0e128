"""A report view → PDF. The same view gives the same bytes with the same fonts and WeasyPrint."""

from __future__ import annotations

import base64
import io
import logging
import re
from contextlib import contextmanager
from datetime import UTC
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from privgate.errors import Problem, RenderError
from privgate.report.brand import PLAIN
from privgate.report.html import render_print_html
from privgate.report.size import MOST_PAGES
from privgate.report.standards import claim_accessibility
from privgate.resources import resource_folder

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from datetime import datetime

    from privgate.report.attached import AttachedFile
    from privgate.report.brand import Brand
    from privgate.report.view import ReportView

_VARIANT = "pdf/a-3u"
FONTS = (
    "DejaVuSansMono.ttf",
    "LiberationSans-Bold.ttf",
    "LiberationSans-Regular.ttf",
    "LiberationSerif-Bold.ttf",
)
_PICTURE = re.compile(r"data:image/(png|jpeg|svg\+xml);base64,")
_MISSING_PANGO = Problem(
    "the libraries that WeasyPrint draws PDF with (Pango) are not installed",
    remedy=(
        "install them and render again: on Debian or Ubuntu "
        "`apt-get install libpango-1.0-0 libpangoft2-1.0-0 libharfbuzz-subset0`, on macOS "
        "`brew install pango`, on Windows MSYS2 with `pacman -S mingw-w64-x86_64-pango`; "
        "HTML and JSON work without them"
    ),
)


class TooLongError(RenderError):
    """The PDF would have more pages than anyone reads; a smaller extent of it may fit."""


def render_pdf(
    view: ReportView, *, attached: Sequence[AttachedFile] = (), brand: Brand = PLAIN
) -> bytes:
    """Return the report as a tagged, archivable PDF, whose dates and identifier the view gives.

    Parameters
    ----------
    view
        What the report says.
    attached
        Files to embed, dated as the report is.
    brand
        An organisation's look.

    Raises
    ------
    RenderError
        If the libraries that WeasyPrint needs are missing, or the document cannot be drawn.
    TooLongError
        If it would have 60 pages or more.

    Notes
    -----
    The file claims PDF/A-3u (ISO 19005-3) and PDF/UA-1 (ISO 14289-1). A character that none of the
    shipped fonts holds is taken from a font of the machine, and only then depend the bytes on it.
    """
    return draw_pdf(render_print_html(view, brand=brand), created=view.created, attached=attached)


def draw_pdf(html: str, *, created: datetime, attached: Sequence[AttachedFile] = ()) -> bytes:
    """Return a page laid out for paper as a PDF, as :func:`render_pdf` does for a report.

    Raises
    ------
    RenderError
        If the libraries that WeasyPrint needs are missing, or the document cannot be drawn.
    TooLongError
        If it would have 60 pages or more.
    """
    weasyprint = _weasyprint()
    files = sorted(attached, key=lambda file: file.name)
    with _quiet():
        try:
            document = weasyprint.HTML(
                string=html, url_fetcher=_fetcher(weasyprint), media_type="print"
            ).render(pdf_variant=_VARIANT, pdf_tags=True)
            if len(document.pages) > MOST_PAGES:
                raise TooLongError(f"the PDF would have {len(document.pages)} pages")
            pdf: bytes | None = document.write_pdf(
                finisher=_finisher(files),
                attachments=[_embedded(file, created, weasyprint) for file in files],
                pdf_variant=_VARIANT,
                pdf_tags=True,
                pdf_identifier=_identifier(html, files),
                custom_metadata=False,
            )
        except (OSError, ValueError) as error:
            raise RenderError(f"the PDF could not be drawn: {error}") from error
    if not pdf:
        raise RenderError("the PDF could not be drawn: WeasyPrint returned nothing")
    return pdf


def _identifier(html: str, files: Sequence[AttachedFile]) -> bytes:
    whole = sha256(html.encode())
    for file in files:
        whole.update(sha256(file.content).digest())
    return whole.digest()[:16]


def _embedded(file: AttachedFile, created: datetime, weasyprint: Any) -> Any:
    moment = created.astimezone(UTC)
    return weasyprint.Attachment(
        file_obj=io.BytesIO(file.content),
        name=file.name,
        description=file.description,
        created=moment,
        modified=moment,
        relationship=file.relationship,
    )


def _finisher(files: Sequence[AttachedFile]) -> Callable[[Any, Any], None]:
    """Return what completes a file: the second standard it keeps to, and its files' types."""
    types = {file.name: file.media_type for file in files}

    def finish(document: Any, pdf: Any) -> None:
        claim_accessibility(document, pdf)
        for entry in pdf.objects:
            if isinstance(entry, dict) and entry.get("Type") == "/Filespec":
                # WeasyPrint asks the machine, whose answers differ.
                stream = pdf.objects[int(entry["EF"]["F"].split()[0])]
                media_type = types[entry["UF"].string]
                stream.extra["Subtype"] = f"/{media_type.replace('/', '#2f')}"

    return finish


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


def _fetcher(weasyprint: Any) -> Any:
    """Return what fetches the shipped fonts and pictures of the page itself, and nothing else."""
    base = weasyprint.urls.URLFetcher

    class Fetcher(base):  # type: ignore[misc, valid-type]
        """Refuses every address that leads out of the report."""

        def fetch(self, url: str, headers: object = None) -> Any:
            del headers
            return weasyprint.urls.URLFetcherResponse(url, _within(url))

    return Fetcher()


def _within(url: str) -> bytes:
    """Return what an address inside the report leads to: a shipped font, or a picture's data.

    Raises
    ------
    ValueError
        If the address leads elsewhere.
    """
    scheme, _, rest = url.partition(":")
    if scheme == "privgate" and rest in FONTS:
        return (resource_folder("templates") / "fonts" / rest).read_bytes()
    picture = _PICTURE.match(url)
    if picture is not None:
        return base64.b64decode(url[picture.end() :], validate=True)
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
