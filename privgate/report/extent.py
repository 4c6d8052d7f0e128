"""The PDF of a report, in the largest extent that fits, with what it was made from attached."""

from __future__ import annotations

from typing import TYPE_CHECKING

from privgate.errors import RenderError
from privgate.report.brand import PLAIN, Brand
from privgate.report.html import render_html
from privgate.report.pdf import TooLongError, render_pdf
from privgate.report.size import MOST_BYTES
from privgate.report.view import sizes

if TYPE_CHECKING:
    from collections.abc import Callable

    from privgate.report.attached import AttachedFile
    from privgate.report.view import ReportView

    Attach = Callable[[ReportView], tuple[AttachedFile, ...]]

TABLES = "tables/"  # the folder of what a report shows in part


def drawn_reports(
    view: ReportView, attach: Attach, *, html: bool, pdf: bool, brand: Brand = PLAIN
) -> dict[str, bytes]:
    """Return the reports asked for, and the tables they show in part, by name.

    Parameters
    ----------
    attach
        What the PDF of an extent carries.

    Raises
    ------
    RenderError
        If no extent fits, or nothing can be drawn.
    """
    for extent in sizes(view):
        drawn = {f"{TABLES}{name}": content for name, content in extent.tables.items()}
        if html:
            drawn["report.html"] = render_html(extent, brand=brand).encode()
        if len(drawn.get("report.html", b"")) > MOST_BYTES:
            continue
        if not pdf:
            return drawn
        try:
            drawn["report.pdf"] = render_pdf(extent, attached=attach(extent), brand=brand)
        except TooLongError:
            continue
        return drawn
    raise RenderError("the report is too long in every extent")
