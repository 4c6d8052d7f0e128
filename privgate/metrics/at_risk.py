"""Who is at risk of having a secret guessed confidently, under one attacker.

A categorical secret is given away when the score of a guess lies above a threshold, a numeric one
when its error lies below.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Self

import numpy as np

from privgate.errors import NotAssessable
from privgate.stats.disclosure import (
    ROUNDING,
    ErrorMeasure,
    ScoreMode,
    class_reference,
    class_score,
    exceeds,
    prediction_error,
    resampled_class_shares,
    resampled_hit_shares,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.random import Generator
    from numpy.typing import NDArray

    from privgate.learners import Attacker
    from privgate.metrics.predictions import ClassTask, NumberTask


_TENTHS = tuple(step / 20 for step in range(1, 20))
_RATIOS = tuple(1 + step / 20 for step in range(1, 21))
_MULTIPLES = tuple(step / 5 for step in range(1, 16))


@dataclass(frozen=True)
class Attack:
    """What one attacker achieved, per real table.

    ``scores`` are confidences (errors, for a number), ``probability`` and ``right`` what was given
    to the true class and whether it came first; ``None`` for a number.
    """

    scores: Mapping[str, NDArray[np.float64]]
    probability: Mapping[str, NDArray[np.float64]] | None = None
    right: Mapping[str, NDArray[np.bool_]] | None = None


@dataclass(frozen=True)
class ClassSecret:
    """A categorical secret, and how confident a guess has to be."""

    task: ClassTask
    mode: ScoreMode
    threshold: float

    def attack(
        self,
        attacker: Attacker,
        *,
        seed: int,
        jobs: int = 1,
        order: NDArray[np.int64] | None = None,
    ) -> Attack:
        """Return the scores of an attacker; ``order`` permutes what is learned.

        What scores are compared with comes from train, also for the holdout, so that both are cut
        alike.

        Raises
        ------
        NotAssessable
            If the attacker is so sure of a class that no ratio within it can reach the threshold.
        """
        guesses = self.task.guesses(attacker, seed=seed, jobs=jobs, order=order)
        truth = self.task.truth
        reference = class_reference(
            self.mode,
            guesses.probability["train"],
            truth["train"],
            class_count=self.task.class_count,
        )
        if self.mode is ScoreMode.CONDITIONAL_RATIO and order is None:
            _require_reachable(reference, self.threshold, attacker)
        scores = {
            table: class_score(self.mode, own, reference[truth[table]])
            for table, own in guesses.probability.items()
        }
        return Attack(scores, guesses.probability, guesses.right)

    def at_risk(
        self, attack: Attack, table: str, threshold: float | None = None
    ) -> NDArray[np.bool_]:
        """Return who is at risk, at the secret's own threshold or another."""
        return exceeds(attack.scores[table], self.threshold if threshold is None else threshold)

    def resampled(
        self, attacks: Sequence[Attack], *, replicates: int, rng: Generator
    ) -> NDArray[np.float64]:
        """Return the share at risk in bootstrap samples of train, shape (replicates, attackers)."""
        given = [attack.probability["train"] for attack in attacks if attack.probability]
        return resampled_class_shares(
            given,
            self.task.truth["train"],
            mode=self.mode,
            threshold=self.threshold,
            replicates=replicates,
            rng=rng,
        )

    def by_row(self, table: str, hits: NDArray[np.bool_]) -> NDArray[np.float64]:
        """Return success on every row of a table."""
        del table
        return hits.astype(np.float64)

    def on_train(self) -> Self:
        """Return the secret of train people alone."""
        truth = {"train": self.task.truth["train"]}
        return replace(self, task=replace(self.task, truth=truth))

    @property
    def thresholds(self) -> tuple[float, ...]:
        """Return the thresholds a curve is drawn over."""
        return _RATIOS if self.mode is ScoreMode.CONDITIONAL_RATIO else _TENTHS


@dataclass(frozen=True)
class NumberSecret:
    """A numeric secret, and how small the error of a guess has to be."""

    task: NumberTask
    measure: ErrorMeasure
    delta: float
    threshold: float

    def attack(
        self,
        attacker: Attacker,
        *,
        seed: int,
        jobs: int = 1,
        order: NDArray[np.int64] | None = None,
    ) -> Attack:
        """Return the errors of an attacker; ``order`` permutes what is learned.

        Raises
        ------
        NotAssessable
            If the error is not defined for a person's value.
        """
        predicted = self.task.guesses(attacker, seed=seed, jobs=jobs, order=order)
        try:
            errors = {
                table: prediction_error(
                    truth,
                    predicted[table],
                    measure=self.measure,
                    delta=self.delta,
                    spread=self.task.spread,
                )
                for table, truth in self.task.truth.items()
            }
        except ValueError as reason:
            raise NotAssessable(f"{reason}; use stabilised_relative or absolute") from reason
        return Attack(errors)

    def at_risk(
        self, attack: Attack, table: str, threshold: float | None = None
    ) -> NDArray[np.bool_]:
        """Return who is at risk, at the secret's own threshold or another."""
        limit = self.threshold if threshold is None else threshold
        return np.asarray(attack.scores[table] < limit)

    def resampled(
        self, attacks: Sequence[Attack], *, replicates: int, rng: Generator
    ) -> NDArray[np.float64]:
        """Return the share at risk in bootstrap samples of train, shape (replicates, attackers)."""
        hits = [self.at_risk(attack, "train") for attack in attacks]
        return resampled_hit_shares(hits, replicates=replicates, rng=rng)

    def by_row(self, table: str, hits: NDArray[np.bool_]) -> NDArray[np.float64]:
        """Return success on every row; NaN for people without a value, who were not attacked."""
        attacked = self.task.attacked[table]
        everyone = np.full(len(attacked), np.nan)
        everyone[attacked] = hits
        return everyone

    def on_train(self) -> Self:
        """Return the secret of train people alone."""
        truth = {"train": self.task.truth["train"]}
        return replace(self, task=replace(self.task, truth=truth))

    @property
    def thresholds(self) -> tuple[float, ...]:
        """Return the thresholds a curve is drawn over."""
        return tuple(self.threshold * multiple for multiple in _MULTIPLES)


Secret = ClassSecret | NumberSecret


def _require_reachable(mean: NDArray[np.float64], cut: float, attacker: Attacker) -> None:
    """Refuse a ratio whose greatest value, 1 / mean, does not exceed the threshold."""
    if (mean * cut >= 1 - ROUNDING).any():
        raise NotAssessable(
            f"the attacker {attacker} is so sure of a whole class that no ratio within it can "
            f"exceed {cut:g}, which would look harmless; use the score 'gain'"
        )
