"""How one figure, its interval and its limit are put into words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias

from privgate.evidence import FigureKind
from privgate.report.numbers import count_text, figure_text, level_text, limit_text
from privgate.report.small_counts import SMALLEST_PUBLISHED, Withheld, why_withheld

if TYPE_CHECKING:
    from collections.abc import Mapping

    from privgate.evidence import Card, Estimate
    from privgate.report.wording import Wording

Require: TypeAlias = "Mapping[Literal['max', 'min', 'equals', 'below', 'above'], float]"


def kind_of(card: Card, name: str) -> FigureKind:
    """Return what kind of figure a name stands for; a score where the card does not say."""
    return card.figures[name].kind if name in card.figures else FigureKind.SCORE


def title_of(card: Card, name: str) -> str:
    """Return what a figure is called."""
    return card.figures[name].title if name in card.figures else name.replace("_", " ")


def value_words(
    figure: Estimate, kind: FigureKind, words: Wording, *, limit: float | None = None
) -> str:
    """Return the value, the range a withheld value lies in, or that there is none."""
    if figure.value is not None:
        return figure_text(figure.value, kind, words.numbers, limit=limit)
    why = why_withheld(figure)
    return words("verdict.no_figure") if why is None else _withheld(why, figure.n, kind, words)


def interval_words(
    figure: Estimate, kind: FigureKind, words: Wording, *, limit: float | None = None
) -> str:
    """Return the interval, or why there is none."""
    if why_withheld(figure) in {Withheld.FEW, Withheld.ALL_BUT_FEW}:
        return words("withheld.interval")
    if figure.value is None:
        return words("columns.absent")
    if figure.low is None or figure.high is None:
        return words("verdict.exact")
    ends = [figure_text(end, kind, words.numbers, limit=limit) for end in (figure.low, figure.high)]
    return words("verdict.interval_value", low=ends[0], high=ends[1])


def method_words(figure: Estimate, words: Wording) -> str:
    """Return level and method of the interval; empty where there is none."""
    if figure.level is None or figure.method is None:
        return ""
    return words(
        "verdict.level", level=level_text(figure.level, words.numbers), method=figure.method
    )


def limit_words(require: Require, kind: FigureKind, words: Wording) -> str:
    """Return the limits of a rule in words."""
    texts = [
        words(f"require.{name}", value=limit_text(number, kind, words.numbers))
        for name, number in sorted(require.items())
    ]
    if len(texts) == 2:
        return words("require.both", one=texts[0], other=texts[1])
    return ", ".join(texts)


def demand_words(require: Require, kind: FigureKind, words: Wording) -> str:
    """Return what the policy allows or requires, as half a sentence."""
    if len(require) == 1:
        ((name, number),) = require.items()
        return words(f"demand.{name}", value=limit_text(number, kind, words.numbers))
    return words("demand.several", limit=limit_words(require, kind, words))


def records_words(n: int | None, kind: FigureKind, words: Wording) -> str:
    """Return the number of records behind a figure; behind a p value stand random draws."""
    if n is None:
        return words("columns.absent")
    return (
        words("results.draws", count=count_text(n, words.numbers))
        if kind is FigureKind.P_VALUE
        else count_text(n, words.numbers)
    )


def small_share_words(rows: int, words: Wording) -> str:
    """Return what stands in the place of a share of 1 to 10 of some rows."""
    return _withheld(Withheld.FEW, rows, FigureKind.SHARE, words)


def most_share_words(rows: int, words: Wording) -> str:
    """Return what stands in the place of a share of all but 1 to 10 of some rows."""
    return _withheld(Withheld.ALL_BUT_FEW, rows, FigureKind.SHARE, words)


def _withheld(why: Withheld, n: int | None, kind: FigureKind, words: Wording) -> str:
    if kind is FigureKind.COUNT and why is Withheld.FEW:
        return words("withheld.few_count")
    if why is Withheld.COMPANION or not n or n <= 2 * SMALLEST_PUBLISHED:
        return words("withheld.companion")
    share = SMALLEST_PUBLISHED / n
    if why is Withheld.ALL_BUT_FEW:
        return words(
            "withheld.most_share", bound=figure_text(1 - share, FigureKind.SHARE, words.numbers)
        )
    if kind is FigureKind.DIFFERENCE:
        bound = figure_text(share, FigureKind.DIFFERENCE, words.numbers).removeprefix("+")
        return words("withheld.few_difference", bound=bound)
    return words("withheld.few_share", bound=figure_text(share, FigureKind.SHARE, words.numbers))
