"""What a command is about: the policy it names, and the names that follow from a release's."""

from __future__ import annotations

from typing import TYPE_CHECKING

from privgate.cli.console import say
from privgate.errors import InputError, Problem

if TYPE_CHECKING:
    from pathlib import Path

    from privgate.policy import BoundPolicy


def named_policy(name: str) -> BoundPolicy:
    """Return a policy, after a warning of what makes it unfit to be relied on.

    Raises
    ------
    InputError
        If none was named.
    PolicyError
        If it cannot be used.
    """
    from privgate.metrics import all_metrics
    from privgate.policy import open_policy

    if not name:
        raise InputError(
            Problem(
                "no policy was named",
                path="--policy",
                remedy="`privgate policy list` shows the built-in ones; or give a policy file",
            )
        )
    bound = open_policy(name, all_metrics())
    _warn(bound)
    return bound


def beside(folder: Path) -> Path:
    """Return the file that keeps the finished trials of a study until its folder is written."""
    return folder.with_name(f"{folder.name}.trials.jsonl")


def _warn(policy: BoundPolicy) -> None:
    """Say what makes a policy unfit to be relied on, such as an overdue review."""
    from privgate.engine.clock import now
    from privgate.policy import Level, lint

    for finding in lint(policy, now().date()):
        if finding.level is Level.ERROR:
            place = f"rule {finding.rule!r}: " if finding.rule else ""
            say(f"warning: {place}{finding.message}; {finding.remedy}")


def slug(name: str) -> str:
    """Return a name as part of a folder's name."""
    kept = "".join(letter if letter.isalnum() else "-" for letter in name.lower())
    return "-".join(part for part in kept.split("-") if part)[:60] or "release"
