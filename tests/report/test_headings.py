"""Headings stay with what they head."""

from __future__ import annotations

import pytest


@pytest.mark.slow
def test_the_table_of_all_figures_begins_on_the_page_of_its_heading(drawn):
    pages = drawn("violated").pages
    (below,) = (text.partition("All figures")[2] for text in pages if "All figures" in text)
    assert "4,637" in below
