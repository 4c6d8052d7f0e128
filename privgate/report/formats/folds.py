"""What a policy makes of a generator, fold by fold: for a terminal, a notebook and plain lines."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from rich.console import Group
from rich.table import Table
from rich.text import Text

from privgate.policy.verdict import Outcome
from privgate.report.formats.notebook import COLOURS
from privgate.report.html import render_page
from privgate.report.numbers import count_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rich.console import RenderableType

    from privgate.report.rule_view import RuleView
    from privgate.report.view import ReportView

_STYLES = {"met": "green", "violated": "bold red", "not_assessed": "yellow"}
_COUNTED = (Outcome.MET, Outcome.VIOLATED, Outcome.NOT_ASSESSED)


@dataclass(frozen=True)
class FoldsView:
    """The answer for all folds in words, and a row of cells per rule."""

    outcome: str
    badge: str
    headline: str
    policy: str
    headings: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    meaning: str


def view_folds(views: Sequence[ReportView], found: Outcome) -> FoldsView:
    """Return what to say about folds, at least one, and the outcome found for all of them."""
    words = views[0].words
    outcomes = [Outcome(view.outcome) for view in views]
    counts = {
        "folds": count_text(len(views), words.numbers),
        "met": count_text(outcomes.count(Outcome.MET), words.numbers),
        "violated": count_text(outcomes.count(Outcome.VIOLATED), words.numbers),
    }
    # A sentence names only the counts that it needs.
    needed = {
        "met": ("folds",),
        "violated": ("violated", "folds"),
        "not_assessed": ("met", "folds"),
    }
    return FoldsView(
        outcome=found.value,
        badge=words(f"outcome.{found.value}"),
        headline=words(
            f"folds.{found.value}", **{name: counts[name] for name in needed[found.value]}
        ),
        policy=views[0].policy,
        headings=(
            words("verdict.rule"),
            *(words(f"outcome.{outcome.value}") for outcome in _COUNTED),
            words("folds.lowest"),
            words("folds.highest"),
            words("verdict.limit"),
        ),
        rows=tuple(_rows(views)),
        meaning=words("folds.meaning"),
    )


def _rows(views: Sequence[ReportView]) -> Iterator[tuple[str, ...]]:
    words = views[0].words
    for rules in zip(*(view.rules for view in views), strict=True):
        outcomes = [rule.verdict.outcome for rule in rules]
        first = rules[0]
        advisory = first.verdict.severity == "advisory"
        name = (
            f"{first.verdict.id} ({words('severity.advisory')})" if advisory else first.verdict.id
        )
        counted = (count_text(outcomes.count(outcome), words.numbers) for outcome in _COUNTED)
        yield (name, *counted, *_ends(rules, words("columns.absent")), first.limit)


def _ends(rules: Sequence[RuleView], absent: str) -> tuple[str, str]:
    if any(rule.verdict.judged is None for rule in rules):
        return absent, absent  # the one that is unknown or withheld may be the worst
    ordered = sorted(rules, key=lambda rule: rule.verdict.judged or 0)
    return ordered[0].judged, ordered[-1].judged


def folds_table(view: FoldsView) -> RenderableType:
    """Return the folds as something a rich console prints; names are never read as markup."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column(view.headings[0], overflow="fold", min_width=20)
    for heading in view.headings[1:]:
        table.add_column(heading, justify="right", overflow="fold")
    for row in view.rows:
        table.add_row(*map(Text, row))
    headline = Text(view.headline, _STYLES[view.outcome])
    return Group(headline, Text(view.policy), Text(""), table, Text(""), Text(view.meaning))


def render_folds_notebook(view: FoldsView) -> str:
    """Return the folds as a piece of HTML that needs no other file.

    Raises
    ------
    RenderError
        If the template is missing or asks for something the view does not hold.
    """
    return render_page("folds.html.j2", view=view, colours=COLOURS)


def render_folds_text(view: FoldsView) -> str:
    """Return the folds as plain lines."""
    head = (f"{view.badge.upper()}: {view.headline}", view.policy, "")
    names = view.headings[1:]
    lines = (
        f"{row[0]}: " + "; ".join(f"{n} {cell}" for n, cell in zip(names, row[1:], strict=True))
        for row in view.rows
    )
    found = (*head, *lines, "", view.meaning)
    return "\n".join("".join(s if s.isprintable() else " " for s in line) for line in found) + "\n"
