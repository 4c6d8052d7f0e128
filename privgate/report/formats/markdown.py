"""The verdict as Markdown of one screen: a job's summary, or a note on a merge request."""

from __future__ import annotations

from typing import TYPE_CHECKING

from privgate.report.formats.cases import approval, standing_of
from privgate.report.formats.markdown_text import plain_markdown
from privgate.report.names import legible_line
from privgate.report.numbers import count_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from privgate.report.rule_view import RuleView
    from privgate.report.view import ReportView
    from privgate.report.wording import Wording

_MOST_RULES = 200  # a summary of GitHub holds a MiB, a note of GitLab as much


def render_markdown(view: ReportView) -> str:
    """Return outcome, what decided, the rules as a table, the gravest first, and approvals.

    Names and texts are never read as markup, and nobody is mentioned.
    """
    words = view.words
    badge = f"{words(f'symbols.{view.badge.outcome}')} {view.headline}"
    lines = [
        f"## {_plain(badge)}",
        f"**{_plain(view.release)}** · {_plain(view.policy)}",
        _plain(view.gate),
        f"### {_plain(words('ci.decided'))}",
        "\n".join(f"- {_plain(reason)}" for reason in view.reasons),
        f"### {_plain(words('ci.rules'))}",
        "\n".join(_table(view)),
        *_rest(view),
        *_approvals(view),
        _plain(words("ci.report", report=view.report_id, edition=view.edition)),
    ]
    return "\n\n".join(lines) + "\n"


def _plain(text: str) -> str:
    return plain_markdown(legible_line(text))


def _table(view: ReportView) -> Iterator[str]:
    words = view.words
    names = ("outcome", "rule", "measured", "judged", "limit")
    yield _row(*(_plain(words(f"verdict.{name}")) for name in names))
    yield _row("--", "--", "--:", "--:", "--:")
    for rule in sorted(view.rules, key=lambda rule: standing_of(rule).rank)[:_MOST_RULES]:
        yield _rule_row(rule, words)


def _rule_row(rule: RuleView, words: Wording) -> str:
    verdict = rule.verdict
    sign, outcome = words(f"symbols.{verdict.outcome}"), words(f"outcome.{verdict.outcome}")
    name = f"**{_plain(verdict.id)}**"
    if verdict.severity == "advisory":
        name += f" ({_plain(words('severity.advisory'))})"
    of = ": ".join(_plain(text) for text in (rule.title, verdict.part or "") if text)
    figures = (rule.measured, rule.judged, rule.limit)
    return _row(_plain(f"{sign} {outcome}"), f"{name}<br>{of}", *map(_plain, figures))


def _row(*cells: str) -> str:
    return f"| {' | '.join(cells)} |"


def _rest(view: ReportView) -> Iterator[str]:
    left = len(view.rules) - _MOST_RULES
    if left > 0:
        yield _plain(view.words("ci.more", count=count_text(left, view.words.numbers)))


def _approvals(view: ReportView) -> Iterator[str]:
    told = [(rule.verdict.id, approval(rule, view.words)) for rule in view.rules]
    listed = [f"- **{_plain(name)}** {_plain(text)}" for name, text in told if text]
    if listed:
        yield f"### {_plain(view.words('status.waivers'))}"
        yield "\n".join(listed)
