"""What an attacker of RAPID achieves against one release with one sensitive column of classes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from privgate.data import Role
from privgate.executors import Threads
from privgate.metrics import Inputs
from privgate.metrics.at_risk import ClassSecret
from privgate.metrics.predictions import class_task
from privgate.metrics.refits import refitted_shares
from privgate.stats.disclosure import ScoreMode

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.random import Generator

    from privgate.data import Release
    from privgate.learners import Attacker

TAU = 0.3


@dataclass(frozen=True)
class Achieved:
    """The share of people at risk at each tau, and what stands behind it at tau 0.3.

    ``holdout`` is the share at tau 0.3 of people the generator never saw, if the release has any.
    """

    curve: tuple[float, ...]
    at_risk: float
    accuracy: float
    by_class: dict[str, float]
    holdout: float | None

    @property
    def gap(self) -> float:
        """Return how much more people behind the release are at risk than others."""
        if self.holdout is None:
            raise ValueError("the release has no holdout, so there is no gap")
        return self.at_risk - self.holdout


def achieved(
    release: Release, attacker: Attacker, *, taus: Sequence[float], seed: int, jobs: int = 1
) -> Achieved:
    """Return what an attacker that learned from the synthetic table achieves."""
    (column,) = release.with_role(Role.SENSITIVE)
    secret = secret_of(release)
    attack = secret.attack(attacker, seed=seed, jobs=jobs)
    exposed = secret.at_risk(attack, "train")
    truth = secret.task.truth["train"]
    return Achieved(
        curve=tuple(float(secret.at_risk(attack, "train", tau).mean()) for tau in taus),
        at_risk=float(exposed.mean()),
        accuracy=float((attack.right or {})["train"].mean()),
        by_class={
            name: float(exposed[truth == code].mean()) for code, name in enumerate(column.levels)
        },
        holdout=None
        if release.holdout is None
        else float(secret.at_risk(attack, "holdout").mean()),
    )


def null_levels(
    release: Release, attacker: Attacker, *, refits: int, rng: Generator, jobs: int = 1
) -> list[float]:
    """Return the share at risk at tau 0.3 in each refit on permuted synthetic classes."""
    return refitted_shares(
        secret_of(release), [attacker], refits=refits, rng=rng, executor=Threads(jobs)
    )


def secret_of(release: Release) -> ClassSecret:
    """Return the sensitive column as a secret that is given away by a gain above 0.3."""
    inputs = Inputs(release=release)
    (column,) = inputs.columns(Role.SENSITIVE)
    return ClassSecret(class_task(inputs, column), ScoreMode.GAIN, TAU)
