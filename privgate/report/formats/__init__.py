"""Short forms of the verdict: plain lines for a pipe, a table for a terminal."""

from privgate.report.formats.terminal import verdict_table
from privgate.report.formats.text import render_text

__all__ = ["render_text", "verdict_table"]
