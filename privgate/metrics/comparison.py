"""Success of an attack on train beside its success on people the generator never saw."""

from __future__ import annotations

from typing import TYPE_CHECKING

from privgate.evidence import Criterion, Estimate, FigurePart, FigureSpec, unknown
from privgate.stats.intervals import difference, residual, wilson

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

NO_HOLDOUT = "there is no holdout table"


def comparison_figures(what: str, criterion: Criterion | None) -> dict[str, FigureSpec]:
    """Return the specifications of the figures of :func:`compared`.

    ``what`` completes "Share of people …", for example "whose record is singled out".
    """
    satisfies = () if criterion is None else (criterion,)
    return {
        "train_rate": FigureSpec.share(
            "Success on train",
            f"Share of the people behind the release {what}.",
            part=FigurePart.ATTACK,
        ),
        "holdout_rate": FigureSpec.share(
            "Success on holdout",
            f"Share of people the generator never saw {what}: what follows from the population.",
            part=FigurePart.CONTROL,
        ),
        "gap": FigureSpec.difference(
            "Success beyond the holdout",
            "By how much the attack succeeds more often on the people behind the release than on "
            "people the generator never saw.",
            satisfies=satisfies,
            part=FigurePart.EXCESS,
        ),
        "excess": FigureSpec.residual(
            "Residual risk",
            "By how much the attack succeeds more often on the people behind the release, as a "
            "share of those whom it would otherwise have missed.",
            satisfies=satisfies,
        ),
    }


def compared(
    train: NDArray[np.generic], holdout: NDArray[np.generic] | None, *, level: float
) -> dict[str, Estimate]:
    """Return the success rates on both tables, their difference and the residual risk.

    Parameters
    ----------
    train, holdout
        Success of the attack on each attacked record, in [0, 1] (true or false, or the share of a
        guess); the two tables must not share people. For fractional success Wilson's interval is
        wider than needed, as a share of a given mean varies no more than a coin of that mean.
    level
        Confidence level of all intervals.
    """
    own = wilson(float(train.sum()), len(train), level=level)
    if holdout is None or not len(holdout):
        reason = NO_HOLDOUT if holdout is None else "no holdout record was attacked"
        return compared_rates(own, unknown(reason))
    return compared_rates(own, wilson(float(holdout.sum()), len(holdout), level=level))


def compared_rates(
    train: Estimate,
    holdout: Estimate,
    *,
    methods: tuple[str, str] = ("Newcombe", "MOVER ratio of Wilson"),
) -> dict[str, Estimate]:
    """Return two independent success rates, their difference and the residual risk.

    ``methods`` name how the intervals of the last two come about. If the holdout rate is unknown,
    so are both.
    """
    figures = {"train_rate": train, "holdout_rate": holdout}
    if holdout.value is None:
        return figures | dict.fromkeys(("gap", "excess"), holdout)
    figures["gap"] = difference(train, holdout, method=methods[0])
    figures["excess"] = (
        residual(train, holdout, method=methods[1])
        if holdout.value < 1
        else unknown("the attack succeeds on every holdout record, so no excess can be seen")
    )
    return figures
