"""Where a finding points to in formats that want a file and a line: the text of the policy."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import quote

from privgate.policy.load import rule_lines

if TYPE_CHECKING:
    from privgate.report.view import ReportView


def policy_path(view: ReportView) -> str:
    """Return the name that stands for the text of the policy, as a relative URI.

    Where the policy file lies is not known, and built-in policies lie in no repository, so the
    name is made of what is known: id and version.
    """
    return quote(f"{view.policy_id}-{view.policy_version}.policy.yaml", safe="")


def policy_lines(view: ReportView) -> dict[str, int]:
    """Return the line of each rule that the text of the policy writes."""
    return rule_lines(view.policy_text)
