"""Other forms of the report: for a pipe, a terminal, a notebook and other tools."""

from privgate.report.formats.dpia_html import render_dpia_html
from privgate.report.formats.dpia_markdown import render_dpia_markdown
from privgate.report.formats.folds import (
    FoldsView,
    folds_table,
    render_folds_notebook,
    render_folds_text,
    view_folds,
)
from privgate.report.formats.github import annotated, inert_lines, render_github
from privgate.report.formats.gitlab import render_gitlab
from privgate.report.formats.junit import render_junit
from privgate.report.formats.line_json import render_line_json
from privgate.report.formats.markdown import render_markdown
from privgate.report.formats.notebook import render_notebook
from privgate.report.formats.oscal import render_oscal
from privgate.report.formats.rules_csv import render_rules_csv
from privgate.report.formats.sarif import render_sarif
from privgate.report.formats.terminal import verdict_table
from privgate.report.formats.text import render_text

__all__ = [
    "FoldsView",
    "annotated",
    "folds_table",
    "inert_lines",
    "render_dpia_html",
    "render_dpia_markdown",
    "render_folds_notebook",
    "render_folds_text",
    "render_github",
    "render_gitlab",
    "render_junit",
    "render_line_json",
    "render_markdown",
    "render_notebook",
    "render_oscal",
    "render_rules_csv",
    "render_sarif",
    "render_text",
    "verdict_table",
    "view_folds",
]
