"""Whether tracebacks are wanted."""

from __future__ import annotations

_wanted = False


def take_debug_flag(arguments: list[str]) -> None:
    """Remove ``--debug`` from the arguments, wherever it stands, and remember it."""
    global _wanted  # noqa: PLW0603 - one process, one command line
    while "--debug" in arguments:
        arguments.remove("--debug")
        _wanted = True


def debug_wanted() -> bool:
    """Return whether tracebacks are wanted."""
    return _wanted
