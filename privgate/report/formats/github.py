"""The verdict as annotations of GitHub Actions: workflow commands, one a line on stdout."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from privgate.report.formats.cases import Standing, cases, gravest_first

if TYPE_CHECKING:
    from privgate.report.view import ReportView

_LEVELS = {
    Standing.VIOLATED: "error",
    Standing.NOT_ASSESSED: "error",
    Standing.ADVISORY: "warning",
    Standing.WAIVED: "notice",
}


@dataclass(frozen=True)
class Annotation:
    """A line that GitHub shows beside a run."""

    level: str
    title: str
    message: str


def annotated(view: ReportView) -> tuple[Annotation, ...]:
    """Return the verdict and all that is not met, the gravest first: GitHub shows ten a level."""
    verdict, *others = cases(view)
    told = (verdict, *(case for case in gravest_first(tuple(others)) if case.standing in _LEVELS))
    return tuple(
        Annotation(
            _LEVELS.get(case.standing, "notice"),
            f"privgate: {view.policy_id}" if case is verdict else f"{case.id}: {case.title}",
            case.message,
        )
        for case in told
    )


def render_github(view: ReportView) -> str:
    """Return the annotations as workflow commands."""
    return "".join(
        f"::{it.level} title={_property(it.title)}::{_data(it.message)}\n" for it in annotated(view)
    )


def inert_lines(text: str, view: ReportView) -> str:
    """Return lines that GitHub prints as they are, whatever commands the names in them spell.

    The word that ends this follows from the digests of evidence and verdict, which no name can
    foretell.
    """
    word = f"privgate-{view.digests['verdict']}"
    return f"::stop-commands::{word}\n{text.rstrip()}\n::{word}::\n"


def _data(text: str) -> str:
    r"""Return a message of a command.

    Examples
    --------
    >>> _data("5%\nof all")
    '5%25%0Aof all'
    """
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    """Return a property of a command.

    Examples
    --------
    >>> _property("a: b, c")
    'a%3A b%2C c'
    """
    return _data(text).replace(":", "%3A").replace(",", "%2C")
