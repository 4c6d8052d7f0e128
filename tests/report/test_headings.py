"""Headings stay with what they head."""

from __future__ import annotations

import io

import pypdf

from privgate.dossier import Format, dossier_files
from privgate.report import Audience


def test_the_table_of_all_figures_begins_on_the_page_of_its_heading(sample):
    files = dossier_files(
        *sample.sample("violated"), formats={Format.PDF}, audience=Audience.SHAREABLE
    )
    pages = [page.extract_text() for page in pypdf.PdfReader(io.BytesIO(files["report.pdf"])).pages]
    (below,) = (text.partition("All figures")[2] for text in pages if "All figures" in text)
    assert "4,637" in below
