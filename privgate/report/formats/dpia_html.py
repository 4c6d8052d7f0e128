"""The section of a data protection impact assessment as plain HTML, to be opened in Word."""

from __future__ import annotations

from typing import TYPE_CHECKING

from privgate.report.formats.dpia import dpia_chapters, dpia_lead, dpia_title
from privgate.report.html import render_page

if TYPE_CHECKING:
    from privgate.report.view import ReportView


def render_dpia_html(view: ReportView) -> str:
    """Return the section as HTML of headings, paragraphs, lists and simple tables.

    Raises
    ------
    RenderError
        If the template is missing or asks for something the view does not hold.
    """
    return render_page(
        "dpia.html.j2",
        words=view.words,
        title=dpia_title(view),
        lead=dpia_lead(view),
        chapters=dpia_chapters(view),
        tool=view.tool,
    )
