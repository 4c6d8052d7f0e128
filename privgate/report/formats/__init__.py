"""Other forms of the report: lines for a pipe, a table for a terminal, files for other tools."""

from privgate.report.formats.dpia_html import render_dpia_html
from privgate.report.formats.dpia_markdown import render_dpia_markdown
from privgate.report.formats.github import annotated, inert_lines, render_github
from privgate.report.formats.gitlab import render_gitlab
from privgate.report.formats.junit import render_junit
from privgate.report.formats.line_json import render_line_json
from privgate.report.formats.markdown import render_markdown
from privgate.report.formats.oscal import render_oscal
from privgate.report.formats.rules_csv import render_rules_csv
from privgate.report.formats.sarif import render_sarif
from privgate.report.formats.terminal import verdict_table
from privgate.report.formats.text import render_text

__all__ = [
    "annotated",
    "inert_lines",
    "render_dpia_html",
    "render_dpia_markdown",
    "render_github",
    "render_gitlab",
    "render_junit",
    "render_line_json",
    "render_markdown",
    "render_oscal",
    "render_rules_csv",
    "render_sarif",
    "render_text",
    "verdict_table",
]
