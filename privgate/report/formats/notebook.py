"""The verdict as a piece of HTML below a notebook's cell, which needs no other file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from privgate.report.html import render_page

if TYPE_CHECKING:
    from privgate.report.view import ReportView

COLOURS = {"met": "#1a7f37", "violated": "#b42318", "not_assessed": "#7a5c00", "waived": "#6f42c1"}
"""Background of an outcome in words, on which white is legible; the words say it, too."""


def render_notebook(view: ReportView) -> str:
    """Return outcome, rules, waivers and what decided; nothing of it is loaded from elsewhere.

    Colours other than those of the outcome are the notebook's own, dark ones included.

    Raises
    ------
    RenderError
        If the template is missing or asks for something the view does not hold.
    """
    return render_page("notebook.html.j2", view=view, words=view.words, colours=COLOURS)
