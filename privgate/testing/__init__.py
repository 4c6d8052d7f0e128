"""Public helpers for the authors of metrics: laws, tables to try them on, stored texts.

``privgate.testing.strategies`` needs the extra ``privgate[testing]``.
"""

from privgate.testing.conformance import LAWS, check_conformance
from privgate.testing.golden import compare_with_golden
from privgate.testing.samples import SURVEY_COLUMNS, encoded, survey, survey_release
from privgate.testing.subject import Subject

__all__ = [
    "LAWS",
    "SURVEY_COLUMNS",
    "Subject",
    "check_conformance",
    "compare_with_golden",
    "encoded",
    "survey",
    "survey_release",
]
