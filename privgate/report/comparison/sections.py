"""A comparison in words: ranking, rules against releases, and why each stands where it stands."""

from __future__ import annotations

from typing import TYPE_CHECKING

from privgate.policy.verdict import Outcome
from privgate.report.blocks import (
    Bullets,
    Cell,
    Prose,
    Section,
    Subheading,
    Table,
    plain_items,
    table_head,
)
from privgate.report.comparison.plane import named, plane_blocks
from privgate.report.comparison.ranking import deciding
from privgate.report.names import short_name
from privgate.report.numbers import count_text
from privgate.report.reasons import rule_line
from privgate.report.sections.pictures import releases_bars
from privgate.report.subject import badge

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from privgate.report.blocks import Block
    from privgate.report.comparison.model import Compared, Shown
    from privgate.report.rule_view import RuleView
    from privgate.report.wording import Wording

_SIDE_BY_SIDE = 4  # releases whose figures can be read beside each other on a page
_MOST_NAMED = 6


def comparison_sections(compared: Compared, words: Wording) -> tuple[Section, ...]:
    """Return the sections of the page about a comparison."""
    parts = {
        "ranking": _ranking(compared, words),
        "plane": plane_blocks(compared, words),
        "matrix": _matrix(compared.shown, words),
        "why": _why(compared, words),
        "sources": _sources(compared, words),
    }
    return tuple(
        Section(
            number=number,
            anchor=name,
            title=words(f"compare.{name}"),
            lead=words(f"compare.{name}_lead"),
            blocks=tuple(blocks),
        )
        for number, (name, blocks) in enumerate(parts.items(), start=1)
    )


def _ranking(compared: Compared, words: Wording) -> Iterator[Block]:
    ranked = not compared.comparison.differences
    if not ranked:
        named_ = (words(f"compare.differs_{name}") for name in compared.comparison.differences)
        told = words("compare.unranked", differences=words("compare.and").join(named_))
        yield Prose((told,), stress=True)
    names = ("place", "release", "outcome", "violated", "overshoot", "open")
    shown = names if ranked else names[1:]
    heads = table_head(
        *(words(f"compare.{name}") for name in shown),
        numeric=frozenset(n for n, name in enumerate(shown) if name in names[3:]),
    )
    rows = zip(compared.shown, compared.comparison.releases, strict=True)
    yield Table(
        caption=words("compare.ranking_caption"),
        headings=heads,
        rows=tuple(
            (
                *((Cell(_place(rank=it.rank, tied=release.tied, words=words)),) if ranked else ()),
                Cell(named(it)),
                Cell("", badge=it.view.badge),
                Cell(count_text(it.standing.violated, words.numbers)),
                Cell(_overshoot(it.standing.overshoot, words)),
                Cell(count_text(it.standing.open, words.numbers)),
            )
            for it, release in rows
        ),
    )
    if ranked:
        yield Prose((words("compare.rule"), words("compare.rule_overshoot")))
    yield Bullets(plain_items(words.listed("compare.limits")))


def _place(*, rank: int, tied: bool, words: Wording) -> str:
    place = count_text(rank, words.numbers)
    return words("compare.tied", place=place) if tied else place


def _overshoot(overshoot: float | None, words: Wording) -> str:
    if overshoot is None:
        return words("verdict.unknown")
    return words.numbers.written(f"{overshoot:.3f}")


def _matrix(shown: Sequence[Shown], words: Wording) -> Iterator[Block]:
    for start in range(0, len(shown), _SIDE_BY_SIDE):
        part = shown[start : start + _SIDE_BY_SIDE]
        yield Table(
            caption=words("compare.matrix_caption", first=part[0].label, last=part[-1].label),
            headings=table_head(words("verdict.rule"), *(it.label for it in part)),
            rows=tuple(
                (_rule_cell(rules[0], words), *(_result_cell(rule, words) for rule in rules))
                for rules in zip(*(it.view.rules for it in part), strict=True)
            ),
        )
    labels = [named(it) for it in shown]
    for number, rules in enumerate(zip(*(it.view.rules for it in shown), strict=True)):
        picture = releases_bars(rules, labels, words, number=number)
        if picture is not None:
            yield picture


def _rule_cell(rule: RuleView, words: Wording) -> Cell:
    severity = words(f"severity.{rule.verdict.severity}")
    return Cell(rule.title, (rule.verdict.id, f"{severity}, {rule.limit}"))


def _result_cell(rule: RuleView, words: Wording) -> Cell:
    measured = words("compare.measured", value=rule.measured, interval=rule.interval)
    judged = words("compare.judged", value=rule.judged)
    details = (measured,) if rule.verdict.judged is None else (judged, measured)
    return Cell("", details, badge=badge(rule.verdict.outcome, words))


def _why(compared: Compared, words: Wording) -> Iterator[Block]:
    for it in compared.shown:
        yield Subheading(named(it))
        yield Prose(tuple(_stands(it, compared, words)), leads=True)
        items = [*_broken(it, compared.shown, words), *_unshown(it, words)]
        if items:
            yield Bullets(tuple(items))


def _stands(it: Shown, compared: Compared, words: Wording) -> Iterator[str]:
    """Yield what became of a release, and what put it behind the one before it."""
    yield f"{it.view.headline}."
    if compared.comparison.differences:
        return
    peers = [other.label for other in compared.shown if other.rank == it.rank and other is not it]
    if peers:
        yield words("compare.shares", others=_listed(peers, words))
    better = [other for other in compared.shown if other.rank < it.rank]
    if better:
        ahead = better[-1]
        reason = deciding(ahead.standing, it.standing)
        yield words(
            f"compare.behind_{reason}",
            other=ahead.label,
            own=_told(it, reason, words),
            theirs=_told(ahead, reason, words),
        )


def _told(it: Shown, reason: str, words: Wording) -> str:
    if reason == "outcome":
        return it.view.badge.text
    if reason == "overshoot":
        return _overshoot(it.standing.overshoot, words)
    found = it.standing.violated if reason == "violated" else it.standing.open
    return count_text(found, words.numbers)


def _broken(it: Shown, shown: Sequence[Shown], words: Wording) -> Iterator[tuple[str, str]]:
    """Yield the blocking rules that a release breaks, by how much, and who keeps them."""
    for place, rule in enumerate(it.view.rules):
        if rule.verdict.severity == "blocking" and rule.verdict.finding is Outcome.VIOLATED:
            others = [
                other.label
                for other in shown
                if other.view.rules[place].verdict.finding is Outcome.MET
            ]
            kept = words("compare.kept_by_none")
            if others:
                kept = words("compare.kept_by", others=_listed(others, words))
            yield rule_line(rule, words), f"{_beyond(rule, words)} {kept}"


def _beyond(rule: RuleView, words: Wording) -> str:
    if rule.verdict.judged is None:
        return words("compare.beyond_unknown")
    return words("compare.beyond", margin=rule.margin)


def _unshown(it: Shown, words: Wording) -> Iterator[tuple[str, str]]:
    """Yield the blocking rules and demands of which nothing could be shown."""
    for rule in it.view.rules:
        if rule.verdict.severity == "blocking" and rule.verdict.finding is Outcome.NOT_ASSESSED:
            yield rule_line(rule, words), words("compare.not_shown")
    for demand in it.view.demands:
        if not demand.satisfied:
            yield demand.reason, words("compare.not_shown")


def _listed(labels: Sequence[str], words: Wording) -> str:
    more = len(labels) - _MOST_NAMED
    named_ = [*labels[:_MOST_NAMED]]
    if more > 0:
        named_.append(words("compare.more", count=count_text(more, words.numbers)))
    return ", ".join(named_)


def _sources(compared: Compared, words: Wording) -> Iterator[Block]:
    names = ("label", "release", "report_id", "evidence", "synthetic")
    yield Table(
        caption=words("compare.sources_caption"),
        headings=table_head(*(words(f"compare.{name}") for name in names)),
        rows=tuple(
            (
                Cell(it.label),
                Cell(short_name(it.name)),
                Cell(it.report_id, code=True),
                Cell(it.evidence_sha256, code=True),
                Cell(it.synthetic_sha256, code=True),
            )
            for it in compared.comparison.releases
        ),
    )
