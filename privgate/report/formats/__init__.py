"""Other forms of the report: lines for a pipe, a table for a terminal, files for other tools."""

from privgate.report.formats.dpia_html import render_dpia_html
from privgate.report.formats.dpia_markdown import render_dpia_markdown
from privgate.report.formats.oscal import render_oscal
from privgate.report.formats.rules_csv import render_rules_csv
from privgate.report.formats.terminal import verdict_table
from privgate.report.formats.text import render_text

__all__ = [
    "render_dpia_html",
    "render_dpia_markdown",
    "render_oscal",
    "render_rules_csv",
    "render_text",
    "verdict_table",
]
