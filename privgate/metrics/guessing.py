"""Whether an attack does better than guessing without it, and what follows if it does not."""

from __future__ import annotations

from typing import TYPE_CHECKING

from privgate.evidence import FigurePart, FigureSpec, unknown
from privgate.stats.intervals import wilson

if TYPE_CHECKING:
    from privgate.evidence import Estimate

SURE = 0.999
WORSE = "the attack does worse than guessing, so it shows nothing"
NOT_BETTER = (
    "The attack is not clearly better than guessing: where it finds nothing there may be nothing "
    "to find, or another attack may find it."
)


def guessing_figure(meaning: str) -> dict[str, FigureSpec]:
    """Return the specification of the success of a guess that needs no attack."""
    return {
        "baseline_rate": FigureSpec.share(
            "Success of guessing",
            meaning,
            part=FigurePart.BASELINE,
        )
    }


def held_against_guessing(
    figures: dict[str, Estimate], *, conclusions: tuple[str, ...]
) -> tuple[dict[str, Estimate], tuple[str, ...]]:
    """Return the figures that may be concluded from, and what to say about them.

    Parameters
    ----------
    figures
        With ``train_rate`` and ``baseline_rate``.
    conclusions
        Names of the figures that become unknown when the attack does worse than guessing.

    Notes
    -----
    An attack that is no better than guessing is what an honest release must be allowed to look
    like: where the columns do not depend on each other, or the release is noise, nothing can be
    learned and the two rates are equal. It is stated, and the figures stand. A guess from records
    that were drawn like the target's own is right at least as often as one from the margin
    (Σ_v E p(v|x)² ≥ Σ_v (E p(v|x))²). So an attack that does *worse*, beyond chance at the level
    0.999, was led astray by what the release says, and a difference of two such rates speaks of no
    leak that it could have found: the conclusions become unknown.
    """
    train, guess = figures["train_rate"], figures["baseline_rate"]
    if train.value is None or guess.value is None or train.n is None or train.low is None:
        return figures, ()
    highest = wilson(min(float(train.value) * train.n, train.n), train.n, level=SURE).high
    if highest is not None and highest < guess.value:
        lost = dict.fromkeys(conclusions, unknown(WORSE))
        return figures | lost, (f"{WORSE[0].upper()}{WORSE[1:]}.",)
    return figures, guessing_notes(train, guess)


def guessing_notes(train: Estimate, guess: Estimate) -> tuple[str, ...]:
    """Return what a reader must know about an attack that is not clearly better than guessing."""
    if train.low is None or guess.value is None or train.low > guess.value:
        return ()
    return (NOT_BETTER,)
