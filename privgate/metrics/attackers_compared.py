"""Figures of one secret under several attackers: the worst, the mean, and class by class."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from privgate.evidence import Estimate, unknown
from privgate.metrics.at_risk import ClassSecret
from privgate.metrics.risk_tables import success_table
from privgate.stats.intervals import (
    clopper_pearson,
    clopper_pearson_upper,
    newcombe,
    percentile_interval,
    wilson,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.random import Generator
    from numpy.typing import NDArray

    from privgate.evidence import JsonValue
    from privgate.learners import Attacker
    from privgate.metrics.at_risk import Attack, NumberSecret, Secret

MANY_CLASSES = 50


def strongest_of(secret: Secret, attacks: Mapping[Attacker, Attack]) -> Attacker:
    """Return the attacker that puts most train people at risk, the first by name among equals."""
    return max(attacks, key=lambda attacker: int(secret.at_risk(attacks[attacker], "train").sum()))


def attacker_figures(
    secret: Secret,
    attacks: Mapping[Attacker, Attack],
    *,
    level: float,
    bootstrap: int,
    rng: Generator,
) -> dict[str, Estimate]:
    """Return the worst figures over attackers, and the share at risk of the worst and on average.

    Notes
    -----
    The interval of the maximum over A attackers has the level 1 - (1 - level)/A (Bonferroni), so
    that it holds for the one chosen. Bootstrap samples are the same people for all attackers.
    """
    each = [_figures(secret, attack, level) for attack in attacks.values()]
    figures = {name: max((own[name] for own in each), key=_by_value) for name in each[0]}
    replicates = secret.resampled(list(attacks.values()), replicates=bootstrap, rng=rng)
    strongest = list(attacks).index(strongest_of(secret, attacks))
    fraction, n = figures["fraction"], len(secret.task.truth["train"])
    shares = [_by_value(own["fraction"]) for own in each]
    figures["fraction_bootstrap"] = _resampled(
        _by_value(fraction), replicates[:, strongest], n, level
    )
    figures["mean_over_attackers"] = _resampled(
        float(np.mean(shares)), replicates.mean(axis=1), n, level
    )
    widened = 1 - (1 - level) / len(attacks)
    count = int(secret.at_risk(attacks[list(attacks)[strongest]], "train").sum())
    figures["max_over_attackers"] = clopper_pearson(count, n, level=widened)
    return figures


def class_figures(
    secret: Secret, attack: Attack, *, fewest: int, level: float
) -> tuple[dict[str, Estimate], dict[str, JsonValue]]:
    """Return the share at risk of the worst class, and a table of all large enough ones.

    Parameters
    ----------
    fewest
        Least number of train people in a class for it to be the worst.

    Notes
    -----
    With G classes every interval has the level 1 - (1 - level)/G (Bonferroni). The worst class is
    the one whose interval reaches highest.
    """
    name = "worst_class_fraction"
    if not isinstance(secret, ClassSecret):
        return {name: unknown("a number has no classes")}, {}
    hits = {table: secret.at_risk(attack, table) for table in attack.scores}
    by_class = [
        (
            hits["train"][secret.task.truth["train"] == code],
            hits["holdout"][secret.task.truth["holdout"] == code] if "holdout" in hits else None,
        )
        for code in np.unique(secret.task.truth["train"])
    ]
    listed: dict[str, JsonValue] = {"share at risk by class": success_table(by_class)}
    large = [own for own, _ in by_class if len(own) >= fewest]
    if not large:
        return {name: unknown(f"no class has {fewest} people in train")}, listed
    widened = 1 - (1 - level) / len(large)
    shares = [clopper_pearson(int(own.sum()), len(own), level=widened) for own in large]
    return {name: max(shares, key=lambda share: share.high or 0.0)}, listed


def attacker_diagnostics(
    secret: Secret, attacks: Mapping[Attacker, Attack]
) -> dict[str, JsonValue]:
    """Return what each attacker achieved, and what could not be guessed at all."""
    found: dict[str, JsonValue] = {}
    for attacker, attack in attacks.items():
        for table in attack.scores:
            prefix = "" if table == "train" else f"{table}_"
            found[f"{prefix}fraction ({attacker})"] = float(secret.at_risk(attack, table).mean())
            if attack.right is not None:
                found[f"{prefix}accuracy ({attacker})"] = float(attack.right[table].mean())
        if "holdout" in attack.scores:
            own, others = (secret.at_risk(attack, table) for table in ("train", "holdout"))
            found[f"gap ({attacker})"] = float(own.mean() - others.mean())
    if isinstance(secret, ClassSecret):
        return found | _class_diagnostics(secret)
    return found | _number_diagnostics(secret)


def _class_diagnostics(secret: ClassSecret) -> dict[str, JsonValue]:
    found: dict[str, JsonValue] = {
        "train rows of a class no synthetic row has": secret.task.of_unpublished_class
    }
    classes = len(np.unique(secret.task.truth["train"]))
    if classes > MANY_CLASSES:
        found["warning"] = f"{classes} classes: probabilities are hard to learn"
    return found


def _number_diagnostics(secret: NumberSecret) -> dict[str, JsonValue]:
    left_out = int((~secret.task.attacked["train"]).sum())
    return {"train rows without a value, left out": left_out}


def _figures(secret: Secret, attack: Attack, level: float) -> dict[str, Estimate]:
    hits = secret.at_risk(attack, "train")
    count, n = int(hits.sum()), len(hits)
    figures = {
        "fraction": clopper_pearson(count, n, level=level),
        "fraction_upper": Estimate(value=clopper_pearson_upper(count, n, level=level), n=n),
        "n_at_risk": Estimate(value=count, n=n),
    }
    if attack.right is None:
        figures["accuracy"] = unknown("a number has no class to guess")
    else:
        figures["accuracy"] = Estimate(value=float(attack.right["train"].mean()), n=n)
    if "holdout" in attack.scores:
        others = secret.at_risk(attack, "holdout")
        figures["holdout_fraction"] = clopper_pearson(int(others.sum()), len(others), level=level)
        figures["gap"] = newcombe(count, n, int(others.sum()), len(others), level=level)
    else:
        missing = unknown("there is no holdout table, or it has no value in this column")
        figures |= {"holdout_fraction": missing, "gap": missing}
    return figures


def _by_value(estimate: Estimate) -> float:
    return -np.inf if estimate.value is None else float(estimate.value)


def _resampled(share: float, replicates: NDArray[np.float64], n: int, level: float) -> Estimate:
    """Return a share with its bootstrap interval, Wilson's where resampling shows no spread.

    Samples of people of whom none is at risk contain none either, which proves nothing.
    """
    if np.ptp(replicates) == 0:
        return wilson(min(share * n, n), n, level=level)
    return percentile_interval(share, replicates, level=level, method="bootstrap", n=n)
