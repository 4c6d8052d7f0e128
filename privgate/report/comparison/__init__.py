"""Several releases under one policy, side by side: who stands where, and why."""

from privgate.report.comparison.model import (
    Candidate,
    Compared,
    ComparedRule,
    Comparison,
    compare_checks,
)
from privgate.report.comparison.page import comparison_files

__all__ = [
    "Candidate",
    "Compared",
    "ComparedRule",
    "Comparison",
    "compare_checks",
    "comparison_files",
]
