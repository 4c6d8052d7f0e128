"""Whether numbers that stand in a report and in a table may have met by chance.

A report of a large table holds many numbers and a dense column most numbers of their length, so
some are in both without telling anything. A number is a leak if chance does not explain it.
"""

from __future__ import annotations

from math import floor, log10
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy.special import pdtrc

if TYPE_CHECKING:
    from collections.abc import Collection

    from numpy.typing import NDArray

    from privgate.leakscan.rare import SortedNumbers
    from privgate.leakscan.tokens import Number

ROUNDED = 3
"""Numbers of so few decimals may be rounded values; longer ones must be equal."""

_WINDOWS = (0.01, 0.1)


class Form(NamedTuple):
    """How a number is written: its digits before the point, negative for leading zeros after it."""

    digits: int
    decimals: int

    @property
    def size(self) -> float:
        """Return how many numbers there are of this form."""
        return 9 * 10.0 ** (self.digits - 1 + self.decimals)


def form_of(number: Number) -> Form:
    """Return the form of a number.

    Examples
    --------
    >>> from privgate.leakscan.tokens import Number
    >>> form_of(Number(48251.5, 1)), form_of(Number(48251.5, 1)).size
    (Form(digits=5, decimals=1), 900000.0)
    """
    return Form(floor(log10(number.value)) + 1, number.decimals)


def beyond_chance(
    hits: Collection[Number],
    shown: Collection[Number],
    numbers: SortedNumbers,
    *,
    false_alarms: float,
) -> set[Number]:
    """Return the hits of one form that chance does not explain.

    Parameters
    ----------
    hits
        The numbers that are values of few people.
    shown
        All numbers of this form that the file shows, the hits among them.
    numbers
        The column.
    false_alarms
        How often chance alone may be taken for a leak.

    Notes
    -----
    The chance of a number to be met is the share of the numbers of its form that the column holds,
    or of those within 1 % or 10 % of it if that is greater: row numbers and counts crowd together.
    A hit stands if so many shown numbers would meet one value with less than the accepted
    probability, and all hits stand if their number is improbable (upper tail of a Poisson law).
    """
    chance = {number: _occupied(number, numbers) for number in shown}
    single = {number for number in hits if chance[number] * len(shown) <= false_alarms}
    together = float(pdtrc(len(hits) - 1, sum(chance.values()))) <= false_alarms
    return set(hits) if together else single


def _occupied(number: Number, numbers: SortedNumbers) -> float:
    form = form_of(number)
    first = 10.0 ** (form.digits - 1)
    shares = [_distinct(numbers.every, first, 10 * first, form) / form.size]
    for width in _WINDOWS:
        low, high = number.value * (1 - width), number.value * (1 + width)
        others = _distinct(numbers.every, low, high, form) - 1
        shares.append(others / ((high - low) * 10.0**form.decimals))
    return min(1.0, max(shares))


def _distinct(values: NDArray[np.float64], low: float, high: float, form: Form) -> int:
    """Return how many numbers of a form the values in a range are, those below zero counted too."""
    distinct = 0
    for first, last in np.searchsorted(values, [(low, high), (-high, -low)]):
        found = values[first:last]
        if form.decimals <= ROUNDED:
            found = np.round(found, form.decimals)
        distinct += int(np.count_nonzero(np.diff(found))) + bool(len(found))
    return distinct
