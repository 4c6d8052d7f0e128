"""Success of an attack on train beside its success on people the generator never saw."""

from __future__ import annotations

from typing import TYPE_CHECKING

from privgate.evidence import Criterion, Estimate, FigureSpec, unknown
from privgate.stats.intervals import newcombe, residual_risk, wilson

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
            "Success on train", f"Share of the people behind the release {what}."
        ),
        "holdout_rate": FigureSpec.share(
            "Success on holdout",
            f"Share of people the generator never saw {what}: what follows from the population.",
        ),
        "gap": FigureSpec.difference(
            "Success beyond the holdout",
            "By how much the attack succeeds more often on the people behind the release than on "
            "people the generator never saw.",
            satisfies=satisfies,
        ),
        "excess": FigureSpec.residual(
            "Residual risk",
            "The same as a share of those whom the attack would otherwise have missed.",
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
    count, n = float(train.sum()), len(train)
    figures = {"train_rate": wilson(count, n, level=level)}
    if holdout is None or not len(holdout):
        missing = unknown(NO_HOLDOUT if holdout is None else "no holdout record was attacked")
        return figures | dict.fromkeys(("holdout_rate", "gap", "excess"), missing)
    others, m = float(holdout.sum()), len(holdout)
    figures["holdout_rate"] = wilson(others, m, level=level)
    figures["gap"] = newcombe(count, n, others, m, level=level)
    figures["excess"] = (
        residual_risk(count, n, others, m, level=level)
        if others < m
        else unknown("the attack succeeds on every holdout record, so no excess can be seen")
    )
    return figures
