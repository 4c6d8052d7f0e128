"""Evidence and verdict → a report for people: HTML, PDF, text and terminal.

Nothing here knows a metric, a table or the engine: stored evidence renders on a machine that has
neither the data nor the code that measured them.
"""

from privgate.report.attached import AttachedFile, AttachmentsContents, attached_files
from privgate.report.baseline import BASELINE, Baseline, baseline_facts
from privgate.report.brand import PLAIN, Brand, load_brand
from privgate.report.extent import TABLES, drawn_reports
from privgate.report.html import render_html
from privgate.report.pdf import TooLongError, render_pdf, require_pdf_libraries
from privgate.report.redact import Audience, redact_evidence, redact_verdict
from privgate.report.redraw import redrawn_reports
from privgate.report.size import MOST_BYTES, MOST_PAGES
from privgate.report.study import calibration_page, power_page
from privgate.report.view import ReportView, build_view, report_identifier, sizes
from privgate.report.wording import languages

__all__ = [
    "BASELINE",
    "MOST_BYTES",
    "MOST_PAGES",
    "PLAIN",
    "TABLES",
    "AttachedFile",
    "AttachmentsContents",
    "Audience",
    "Baseline",
    "Brand",
    "ReportView",
    "TooLongError",
    "attached_files",
    "baseline_facts",
    "build_view",
    "calibration_page",
    "drawn_reports",
    "languages",
    "load_brand",
    "power_page",
    "redact_evidence",
    "redact_verdict",
    "redrawn_reports",
    "render_html",
    "render_pdf",
    "report_identifier",
    "require_pdf_libraries",
    "sizes",
]
