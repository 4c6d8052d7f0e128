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
    from privgate.engine import misgivings
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
    for told in misgivings.of_policy(bound):
        say(f"warning: {told}")
    return bound


def beside(folder: Path) -> Path:
    """Return the file that keeps the finished trials of a study until its folder is written."""
    return folder.with_name(f"{folder.name}.trials.jsonl")


def slug(name: str) -> str:
    """Return a name as part of a folder's name."""
    kept = "".join(letter if letter.isalnum() else "-" for letter in name.lower())
    return "-".join(part for part in kept.split("-") if part)[:60] or "release"
