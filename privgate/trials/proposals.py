"""The limit that honest releases keep at a stated level, from draws of honest releases."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from privgate.evidence import FigureKind, SafeSide
from privgate.policy.limits import LOWER, UPPER, limit_complaints
from privgate.policy.model import Limit

if TYPE_CHECKING:
    from collections.abc import Sequence

    from privgate.evidence import FigureSpec

_DIGITS = 3


def proposed_limit(
    judged: Sequence[float], *, limit: Limit, spec: FigureSpec, level: float, draws: int
) -> tuple[Limit | None, str]:
    """Return the strictest limit that a further honest release breaks at most at ``level``.

    Parameters
    ----------
    judged
        The numbers held against the limit in draws of honest releases.
    limit
        The present limit: its operators are kept, and its other side, where it has two.
    level
        Accepted share of honest releases that break the limit.
    draws
        How many draws were made; one without a number counts as breaking every limit.

    Notes
    -----
    A further draw exceeds the k-th smallest of n exchangeable ones with probability at most
    1 - k / (n + 1); k is the smallest that keeps it within the level, and the limit that number
    rounded to the lenient side. A p value is exact under its own null, so its limit is the level.

    Examples
    --------
    >>> from privgate.evidence import FigureSpec
    >>> share = FigureSpec(title="t", meaning="m", safe_side=SafeSide.LOW, kind=FigureKind.SHARE)
    >>> honest = [number / 1000 for number in range(1, 20)]
    >>> proposed_limit(honest, limit=Limit(max=0.5), spec=share, level=0.05, draws=19)[0].max
    0.019
    """
    if spec.kind is FigureKind.P_VALUE:
        return Limit(
            above=level
        ), "A p value is exact: honest releases are below the level so often."
    needed = math.ceil((draws + 1) * (1 - level) - 1e-9)
    if needed > draws:
        return None, f"{draws} draws are too few for this level; {_fewest(level)} are needed."
    if needed > len(judged):
        lacking = draws - len(judged)
        return (
            None,
            f"{lacking} of {draws} honest draws gave no figure, so no limit holds the level.",
        )
    ascending = sorted(judged)
    low_is_safe = spec.safe_side is SafeSide.LOW
    number = ascending[needed - 1] if low_is_safe else ascending[len(ascending) - needed]
    found = _with_limit(limit, _rounded(number, spec.kind, upwards=low_is_safe), low_is_safe)
    complaint = next(limit_complaints(found, spec), None)
    if complaint is not None:
        return None, f"Honest releases reach {number:.4g}: {complaint[1]}."
    return found, f"{needed} of {draws} honest draws stay within it."


def _fewest(level: float) -> int:
    return math.ceil(1 / level - 1 - 1e-9)


def _with_limit(limit: Limit, number: float, low_is_safe: bool) -> Limit:  # noqa: FBT001
    """Return the limit with its guarding side replaced; an open side becomes a closed one."""
    guarding = UPPER if low_is_safe else LOWER
    kept = {n: v for n, v in limit.stated.items() if n not in guarding and n != "equals"}
    if limit.equals == number:
        return limit
    return Limit.model_validate({**kept, "max" if low_is_safe else "min": number})


def _rounded(number: float, kind: FigureKind, *, upwards: bool) -> float:
    """Return a number of few digits on the lenient side.

    Examples
    --------
    >>> _rounded(0.012341, FigureKind.SHARE, upwards=True)
    0.0124
    >>> _rounded(-0.012341, FigureKind.SCORE, upwards=False)
    -0.0124
    """
    if kind is FigureKind.COUNT:
        return float(math.ceil(number) if upwards else math.floor(number))
    if not number:
        return 0.0
    step = 10.0 ** (math.floor(math.log10(abs(number))) - _DIGITS + 1)
    steps = number / step
    moved = math.ceil(steps - 1e-9) if upwards else math.floor(steps + 1e-9)
    return float(f"{moved * step:.{_DIGITS}g}")
