"""What an attacker achieves when the release tells nothing about the secret.

The secrets of the synthetic rows are permuted and the attackers learn anew. What remains is what
they get right without any dependence: confident guesses of the commonest classes, and chance.
Permuting the real secrets under a fitted attacker would not do, for it keeps the confidence that
the attacker drew from real dependencies.

References
----------
Templ, Thees and Mueller 2026, arXiv 2602.09235 (permutation null); Phipson and Smyth 2010,
doi 10.2202/1544-6115.1585 (p-value).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from privgate.evidence import Estimate, FigureKind, FigurePart, FigureSpec, SafeSide, unknown
from privgate.executors import SERIAL, Executor
from privgate.metrics.relabelling import permutation_p_value
from privgate.stats.intervals import difference
from privgate.stats.null_level import mean_share, upper_point
from privgate.stats.rng import derived_int

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.random import Generator

    from privgate.learners import Attacker
    from privgate.metrics.at_risk import Secret

LEAST_REFITS = 20


def null_figure_specs() -> dict[str, FigureSpec]:
    """Return the specifications of the figures of :func:`null_figures`.

    The level is a score and no share: whom a model of noise hits says nothing about these people,
    so there is no small count to protect.
    """
    return {
        "null_mean": FigureSpec(
            title="People at risk without information",
            meaning="The share of people at risk when attackers learn from permuted secrets, "
            "which tell nothing, on average over the refits.",
            safe_side=SafeSide.LOW,
            kind=FigureKind.SCORE,
            minimum=0,
            maximum=1,
            has_interval=True,
            part=FigurePart.BASELINE,
        ),
        "null_q95": FigureSpec.score(
            "People at risk without information, 95 % point",
            "The share that 95 % of the refits on permuted secrets do not exceed.",
            safe_side=SafeSide.LOW,
            minimum=0,
            maximum=1,
        ),
        "null_p": FigureSpec.p_value(
            "Chance of as many without information",
            "How often attackers that learned from permuted secrets put at least as many people "
            "at risk; small where the secret depends on what is known, leaked or not.",
        ),
        "excess_over_null": FigureSpec.difference(
            "Risk beyond no information",
            "By how much the share of people at risk exceeds its mean when there is nothing to "
            "learn; the dependence may be true of the whole population.",
        ),
    }


def refitted_shares(
    secret: Secret,
    attackers: Sequence[Attacker],
    *,
    refits: int,
    rng: Generator,
    executor: Executor = SERIAL,
) -> list[float]:
    """Return the share of train at risk in each refit, under the refit's strongest attacker.

    All attackers of a refit learn the same permuted secrets. The refits depend on the generator
    alone, not on the executor.
    """
    shared = secret.on_train(), tuple(attackers)
    return list(executor.map(_refitted_share, shared, rng.spawn(refits)))


def _refitted_share(shared: tuple[Secret, Sequence[Attacker]], own: Generator) -> float:
    secret, attackers = shared
    order = own.permutation(len(secret.task.learned))
    attacks = [
        secret.attack(attacker, seed=derived_int(own), order=order) for attacker in attackers
    ]
    return max(float(secret.at_risk(attack, "train").mean()) for attack in attacks)


def null_figures(
    observed: Estimate, shares: Sequence[float], *, level: float
) -> dict[str, Estimate]:
    """Return level, 95 % point and p-value of the null, and the excess of what was observed.

    Notes
    -----
    The excess is over the mean and not over the 95 % point: the larger, so the stricter, of the
    two. Its interval treats the two shares as independent. They are of the same people, and who is
    easily guessed without information mostly also is with it, so it is if anything too wide.
    """
    if len(shares) < LEAST_REFITS:
        asked = f"only {len(shares)} refits" if shares else "no refits"
        missing = unknown(f"the rule asks for {asked}; set null_refits to {LEAST_REFITS} or more")
        return dict.fromkeys(null_figure_specs(), missing)
    value, n = observed.value, observed.n
    if value is None or n is None:
        raise ValueError("a null needs an observed share of n people")
    mean = mean_share(shares, n=n, level=level)
    return {
        "null_mean": mean,
        "null_q95": Estimate(value=upper_point(shares, 0.95), n=n),
        "null_p": permutation_p_value([share >= value for share in shares]),
        "excess_over_null": difference(observed, mean),
    }
