"""Which figures stand for so few people that a report for publication must not print them.

The rule is that of the CMS cell size policy: no count from 1 to 10 is published, and nothing from
which one could be worked out; 0 may be.
"""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

from privgate.evidence import Estimate, FigureKind

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from privgate.evidence import FigureSpec

SMALLEST_PUBLISHED = 11
# A bound or second share that counts up to this many records is withheld next to a small count,
# because intervals can be worked backwards: the upper bound of ten of many is 18 at 95 %.
_COMPANION = 30
_NOTHING = 1e-9
_MOST_ATTACKERS = 5
_RATES = {FigureKind.SHARE, FigureKind.SCORE}
_RATIOS = {"precision", "f1"}  # of counts whose shares stand beside them


class Withheld(StrEnum):
    """Why a figure has no value in a report for publication."""

    FEW = "stands for 1 to 10 records"
    ALL_BUT_FEW = "stands for all but 1 to 10 records"
    COMPANION = "would reveal a count of 1 to 10 records"


def is_small(count: float) -> bool:
    """Return whether a count, or an expected count, is above 0 and below 11.

    Examples
    --------
    >>> [is_small(count) for count in (0, 1, 10, 11)]
    [False, True, True, False]
    """
    return _NOTHING < count < SMALLEST_PUBLISHED - 0.5


def withhold_small(
    figures: Mapping[str, Estimate], specs: Mapping[str, FigureSpec], *, rows: int
) -> dict[str, Estimate]:
    """Return the figures with every small count, and what would reveal one, taken out.

    Parameters
    ----------
    figures
        Figures of one measurement or of one of its parts.
    specs
        What the figures are. A figure that the card does not describe is treated as a share.
    rows
        Number of records assumed behind a share that does not say its own.

    Notes
    -----
    The difference of two rates that are both printed counts nobody and tells nothing more than
    they do: it stays. Next to a rate that is withheld every difference goes, however large it is.
    """
    kinds = {name: _kind(specs, name) for name in figures}
    found = {name: _verdict(figure, kinds[name], rows) for name, figure in figures.items()}
    if any(found.values()):
        for name in figures:
            found[name] = found[name] or _companion(name, figures[name], kinds[name], rows)
    for name in _leaving_few(figures):
        found[name] = found[name] or Withheld.COMPANION
    rates = [
        figure
        for name, figure in figures.items()
        if found[name] is None and kinds[name] in _RATES and figure.value is not None
    ]
    for name, figure in figures.items():
        if kinds[name] is FigureKind.DIFFERENCE:
            found[name] = found[name] or _difference_verdict(figure, rates, rows)
    return {
        name: _shown(figure, found[name], kinds[name], rows) for name, figure in figures.items()
    }


def _shown(figure: Estimate, why: Withheld | None, kind: FigureKind, rows: int) -> Estimate:
    """Return a figure, or what is left of it; of one about 1 to 10 records not even their number.

    Behind a p value stand random draws, not records.
    """
    if kind is not FigureKind.P_VALUE and is_small(figure.n or 0):
        reason = Withheld.COMPANION.value if figure.value is not None else figure.reason
        return Estimate(value=None, reason=reason)
    return figure if why is None else withheld(why, n=figure.n or rows)


def withheld(why: Withheld, *, n: int | None) -> Estimate:
    """Return a figure without its value, for the stated reason."""
    return Estimate(value=None, reason=why.value, n=n)


def why_withheld(figure: Estimate) -> Withheld | None:
    """Return why a figure was withheld, or ``None`` if it was not."""
    if figure.value is None and figure.reason in set(Withheld):
        return Withheld(figure.reason)
    return None


def _kind(specs: Mapping[str, FigureSpec], name: str) -> FigureKind:
    return specs[name].kind if name in specs else FigureKind.SHARE


def _implied(figure: Estimate, kind: FigureKind, rows: int) -> float | None:
    """Return how many records a figure stands for, if it stands for records at all."""
    if figure.value is None:
        return None
    if kind is FigureKind.COUNT:
        return abs(figure.value)
    return abs(figure.value) * (figure.n or rows) if kind is FigureKind.SHARE else None


def _verdict(figure: Estimate, kind: FigureKind, rows: int) -> Withheld | None:
    if figure.value is not None and kind is not FigureKind.P_VALUE and is_small(figure.n or 0):
        return Withheld.COMPANION
    count = _implied(figure, kind, rows)
    if count is None:
        return None
    if is_small(count):
        return Withheld.FEW
    if kind is FigureKind.SHARE and is_small((figure.n or rows) - count):
        return Withheld.ALL_BUT_FEW
    return None


def _difference_verdict(figure: Estimate, rates: Sequence[Estimate], rows: int) -> Withheld | None:
    """Return why a difference goes although every rate that is known beside it may be printed.

    That is so unless it was made of two of them: the other rate would follow from the one that is
    printed, or nothing tells whether the records it comes to are few.
    """
    value = figure.value
    if value is None:
        return None
    known = [rate.value for rate in rates if rate.value is not None]
    if any(_is_made_of(value, one, other) for one in known for other in known):
        return None
    if any(_leaves_few(rate, value, figure.n or rows) for rate in rates):
        return Withheld.COMPANION
    return Withheld.FEW if is_small(abs(value) * (figure.n or rows)) else None


def _is_made_of(value: float, one: float, other: float) -> bool:
    """Return whether a value is the difference of two rates, or their residual."""
    if abs(one - other - value) < _NOTHING:
        return True
    return other < 1 and abs((one - other) / (1 - other) - value) < _NOTHING


def _leaves_few(rate: Estimate, value: float, n: int) -> bool:
    """Return whether a difference and a rate it may be made of leave 1 to 10 records to the other.

    The rate may be either side, and the difference a residual.
    """
    known = rate.value or 0.0
    others = [known - value, known + value]
    if value < 1:
        others.append((known - value) / (1 - value))
    return any(
        is_small(other * count) or is_small(count - other * count)
        for other in others
        for count in (rate.n or n, n)
    )


def _leaving_few(figures: Mapping[str, Estimate]) -> list[str]:
    """Return the figures that give away a count of 1 to 10 when taken from the share of all.

    The share of the worst class leaves the other classes, the mean over attackers the weaker ones,
    however many there are. Exact matches beyond the holdout's leave those of the holdout.
    """
    exact, beyond = (figures.get(f"exact_matches{end}") for end in ("", "_excess"))
    if (
        exact is not None
        and beyond is not None
        and is_small((exact.value or 0) - (beyond.value or 0))
    ):
        return ["exact_matches_excess"]
    everyone = figures.get("fraction")
    if everyone is None or everyone.value is None or everyone.n is None:
        return []
    n, hits, found = everyone.n, everyone.value * everyone.n, []
    worst, mean = figures.get("worst_class_fraction"), figures.get("mean_over_attackers")
    if worst is not None and worst.value is not None and worst.n is not None:
        others = hits - worst.value * worst.n
        if is_small(others) or is_small(n - worst.n - others):
            found.append("worst_class_fraction")
    if mean is not None and mean.value is not None:
        sums = (attackers * mean.value * n for attackers in range(2, _MOST_ATTACKERS + 1))
        if any(is_small(total - hits) for total in sums):
            found.append("mean_over_attackers")
    return found


def _companion(name: str, figure: Estimate, kind: FigureKind, rows: int) -> Withheld | None:
    """Return whether a figure goes because one beside it does."""
    if figure.value is None:
        return None
    if kind is FigureKind.DIFFERENCE or name in _RATIOS:
        return Withheld.COMPANION
    count = _implied(figure, kind, rows)
    return Withheld.COMPANION if count and _NOTHING < count <= _COMPANION else None
