"""Risk against utility: the releases as points on a plane, and the numbers behind them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from privgate.report.blocks import Bullets, Cell, Picture, Prose, Table, plain_items, table_head
from privgate.report.comparison.position import MOST_RISK, counted_places, utility_places
from privgate.report.names import short_name
from privgate.report.svg import PlanePoint, plane_picture

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from privgate.report.blocks import Block
    from privgate.report.comparison.model import Compared, Shown
    from privgate.report.wording import Wording

_MOST_POINTS = 30


def named(it: Shown) -> str:
    """Return what a release is called throughout: its letter and its name."""
    return f"{it.label}: {short_name(it.view.release, 60)}"


def plane_blocks(compared: Compared, words: Wording) -> Iterator[Block]:
    """Yield the picture of risk against utility, or what a policy must ask for to have it."""
    shown = compared.shown
    first = shown[0].view
    places = utility_places(first)
    if not places:
        yield Prose((words("compare.no_utility"),))
        return
    drawn = [it for it in shown if None not in (it.position.risk, it.position.utility)]
    if drawn:
        yield _picture(drawn[:_MOST_POINTS], words)
    yield Table(
        caption=words("compare.plane_caption"),
        headings=table_head(
            *(words(f"compare.{name}") for name in ("release", "outcome", "risk", "utility")),
            *(f"{first.rules[it].title} ({first.rules[it].verdict.id})" for it in places),
            numeric=frozenset(range(2, 4 + len(places))),
        ),
        rows=tuple(_row(it, words) for it in shown),
    )
    counted = counted_places([it.view for it in shown])
    left_out = [first.rules[place].verdict.id for place in places if place not in counted]
    if left_out:
        yield Prose((words("compare.not_counted", rules=", ".join(left_out)),))
    yield Bullets(plain_items(words.listed("compare.plane_limits")))


def _picture(drawn: Sequence[Shown], words: Wording) -> Picture:
    title = words("compare.plane")
    told = words("chart.and").join(
        words(
            "compare.plane_point",
            release=named(it),
            risk=_risk(it, words),
            utility=_useful(it, words),
        )
        for it in drawn
    )
    svg = plane_picture(
        [
            PlanePoint(
                name=it.label,
                x=it.position.utility or 0.0,
                y=it.position.risk or 0.0,
                tone=it.view.badge.outcome,
                rising=it.position.risk_is_least and it.position.risk != MOST_RISK,
            )
            for it in drawn
        ],
        limit=(1.0, words("chart.limit")),
        highest=MOST_RISK,
        labels=(words("compare.utility_axis"), words("compare.risk_axis")),
        identity="plane",
        title=title,
        description=words("compare.plane_description", points=told),
        style=words.numbers,
    )
    return Picture(title=title, svg=svg, caption=words("compare.plane_legend"), wide=True)


def _row(it: Shown, words: Wording) -> tuple[Cell, ...]:
    own = [it.view.rules[place] for place in utility_places(it.view)]
    return (
        Cell(named(it)),
        Cell("", badge=it.view.badge),
        Cell(_risk(it, words)),
        Cell(_useful(it, words)),
        *(Cell(rule.measured) for rule in own),
    )


def _risk(it: Shown, words: Wording) -> str:
    found = it.position
    if found.risk is None:
        return words("verdict.unknown")
    least = found.risk_is_least or found.risk >= MOST_RISK
    number = words.numbers.written(f"{found.risk:.2f}")
    return words("compare.at_least", number=number) if least else number


def _useful(it: Shown, words: Wording) -> str:
    if it.position.utility is None:
        return words("verdict.unknown")
    return words.numbers.written(f"{it.position.utility:.3f}")
