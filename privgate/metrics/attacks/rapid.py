"""RAPID counts the people whose secret a model learned from the release guesses confidently.

The attacker holds only the synthetic table and the quasi-identifiers of the people they are after.
They train a model on it, from quasi-identifiers to one sensitive attribute, and ask it about real
people. A categorical secret is given away when the normalised gain r = (g - b) / (1 - b) exceeds
tau, g being the probability given to the person's true class and b that class's share in train; a
numeric one when the prediction error is below epsilon. RAPID is the share of such people.

RAPID may be high for a release that only keeps true dependencies of the population. What speaks of
leakage is the gap to people the generator never saw.

Worked example: b = 0.6, g = (0.70, 0.85, 0.55) give r = (0.25, 0.625, -0.125); tau = 0.3: 1/3.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from pydantic import Field, field_validator

from privgate.data import ColumnType, Role
from privgate.errors import NotAssessable
from privgate.evidence import (
    Card,
    Chart,
    Criterion,
    Estimate,
    Family,
    FigureSpec,
    Need,
    Part,
    SafeSide,
    Series,
    Status,
    ThreatModel,
    unknown,
)
from privgate.learners import Attacker, settings
from privgate.metrics.contract import Measured, Records, metric
from privgate.metrics.predictions import (
    ClassGuesses,
    NumberGuesses,
    guess_classes,
    guess_numbers,
)
from privgate.metrics.subgroups import GroupedParams, group_figures, worst_group
from privgate.stats.disclosure import (
    ErrorMeasure,
    exceeds,
    normalised_gain,
    prediction_error,
    resampled_gain_shares,
    resampled_hit_shares,
)
from privgate.stats.intervals import (
    clopper_pearson,
    clopper_pearson_upper,
    newcombe,
    percentile_interval,
)
from privgate.stats.rng import derived_int

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.random import Generator
    from numpy.typing import NDArray

    from privgate.data import Column, Table
    from privgate.evidence import JsonValue
    from privgate.metrics.inputs import Inputs

TAUS = tuple(step / 20 for step in range(1, 20))
EPSILON_STEPS = tuple(step / 5 for step in range(1, 16))
MANY_CLASSES = 50
REPORTED_CLASS = 11


class RapidParams(GroupedParams):
    """Parameters of RAPID."""

    tau: float = Field(
        default=0.3, gt=0, lt=1, description="Normalised gain above which a person is at risk."
    )
    epsilon: float = Field(
        default=0.1, gt=0, description="Prediction error below which a person is at risk."
    )
    error: ErrorMeasure = Field(
        default=ErrorMeasure.STABILISED_RELATIVE, description="Error of a numeric prediction."
    )
    delta: float = Field(
        default=0.01, gt=0, description="Stabiliser of relative errors, in units of the attribute."
    )
    attackers: tuple[Attacker, ...] = Field(
        default=(Attacker.LIGHTGBM,),
        min_length=1,
        description="Learners; every figure is that of the most successful one.",
    )
    bootstrap: int = Field(
        default=500, ge=50, le=10_000, description="Bootstrap replicates of the fraction."
    )

    @field_validator("attackers")
    @classmethod
    def _differ(cls, attackers: tuple[Attacker, ...]) -> tuple[Attacker, ...]:
        if len(set(attackers)) < len(attackers):
            raise ValueError("an attacker is named twice")
        return tuple(sorted(attackers))


CARD = Card(
    name="rapid",
    version=1,
    title="RAPID: attribute disclosure by prediction",
    question="Can a sensitive attribute of real people be guessed confidently from the release?",
    family=Family.ATTACK,
    threat_model=ThreatModel(
        attacker="anyone who obtains the release",
        knows="the release and the quasi-identifiers of the people they are after",
        wants="to learn a sensitive attribute of those people",
    ),
    criteria=(Criterion.INFERENCE,),
    formula="r = (g − b)/(1 − b), at risk if r > τ; numeric: at risk if error < ε; "
    "RAPID = (1/n) #{at risk}; gap = RAPID(train) − RAPID(holdout)",
    headline="gap",
    figures={
        "fraction": FigureSpec.share(
            "People at risk",
            "Share of the people behind the release whose sensitive attribute is guessed "
            "confidently and correctly.",
        ),
        "fraction_upper": FigureSpec.share(
            "People at risk, one-sided bound",
            "Largest share compatible with what was seen, at the policy's confidence.",
            exact=True,
        ),
        "fraction_bootstrap": FigureSpec.share(
            "People at risk, bootstrap interval",
            "The same share with an interval from resampling the people.",
        ),
        "holdout_fraction": FigureSpec.share(
            "Others at risk",
            "The same share among people the generator never saw: what follows from the "
            "population alone.",
        ),
        "gap": FigureSpec.difference(
            "Risk beyond the population",
            "By how much the share among the people behind the release exceeds the share among "
            "people the generator never saw.",
            satisfies=(Criterion.INFERENCE,),
        ),
        **group_figures(Criterion.INFERENCE),
        "n_at_risk": FigureSpec.count(
            "Number of people at risk", "How many people behind the release are at risk."
        ),
        "accuracy": FigureSpec.score(
            "Accuracy of the guesses",
            "Share of the people behind the release whose class is guessed correctly, "
            "confidently or not.",
            safe_side=SafeSide.LOW,
            minimum=0,
            maximum=1,
        ),
    },
    needs=(Need.QUASI_IDENTIFIERS, Need.SENSITIVE),
    references=("Templ, Thees and Mueller 2026, arXiv 2602.09235",),
    limits=(
        "Measures inference, not memorisation: a verbatim copy of train may show a small gap.",
        "Far from 0 even where nothing can be inferred; judge the gap, not the bare fraction.",
        "Depends on the attacker and its settings, which the evidence states.",
        "The intervals cover the sampling of people, not that of attackers or of the synthesis.",
    ),
)


@dataclass(frozen=True)
class _Attack:
    """One attacker's guesses of one secret, as scores per real table.

    A person is at risk when the score exceeds the threshold: the gain itself, or the negative of
    the error.
    """

    scores: Mapping[str, NDArray[np.float64]]
    guesses: ClassGuesses | NumberGuesses

    def at_risk(self, table: str, threshold: float) -> NDArray[np.bool_]:
        """Return who is at risk; ``threshold`` is tau or epsilon."""
        if isinstance(self.guesses, ClassGuesses):
            return exceeds(self.scores[table], threshold)
        return np.asarray(self.scores[table] < threshold)


@metric(CARD, params=RapidParams)
def rapid(inputs: Inputs, params: RapidParams, rng: Generator) -> Measured:
    """Return the share of people at risk for each sensitive column, train against holdout."""
    columns = inputs.columns(Role.SENSITIVE)
    parts: list[Part] = []
    records: dict[str, NDArray[np.generic]] = {}
    for column, own in zip(columns, rng.spawn(len(columns)), strict=True):
        try:
            part, hits = _part(inputs, column, params, own)
        except NotAssessable as reason:
            parts.append(Part(of=column.name, status=Status.NOT_ASSESSED, reason=str(reason)))
        else:
            parts.append(part)
            records |= hits
    fractions = [part.figures["fraction"].value for part in parts if part.figures]
    risk = max((float(value) for value in fractions if value is not None), default=None)
    return Measured(
        parts=tuple(parts),
        raw=risk,
        risk=risk,
        diagnostics={str(attacker): settings(attacker) for attacker in params.attackers},
        records=(Records(table="train", scores=records),) if records else (),
    )


def _part(
    inputs: Inputs, column: Column, params: RapidParams, rng: Generator
) -> tuple[Part, dict[str, NDArray[np.generic]]]:
    attacks = {
        attacker: _attack(inputs, column, params, attacker, derived_int(rng))
        for attacker in params.attackers
    }
    threshold = params.tau if column.type.has_levels else params.epsilon
    figures = {
        attacker: _figures(attack, threshold, inputs.confidence)
        for attacker, attack in attacks.items()
    }
    worst = {
        name: max((own[name] for own in figures.values()), key=_by_value)
        for name in next(iter(figures.values()))
    }
    strongest = max(figures, key=lambda attacker: _by_value(figures[attacker]["fraction"]))
    worst["fraction_bootstrap"] = _bootstrap(
        attacks[strongest], threshold, params, rng, inputs.confidence
    )
    attack = attacks[strongest]
    hits = {
        table: _by_row(inputs.release.tables[table], column, attack.at_risk(table, threshold))
        for table in attack.scores
    }
    grouped, counted = worst_group(inputs, params, hits["train"], hits.get("holdout"))
    part = Part(
        of=column.name,
        status=Status.MEASURED,
        figures=worst | grouped,
        charts=(_chart(column, attack, params),),
        diagnostics=_diagnostics(column, attacks, figures, threshold) | counted,
    )
    return part, {f"at_risk: {column.name}": hits["train"] == 1}


def _by_row(table: Table, column: Column, hits: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Return success on every row; NaN for people without a value, who were not attacked."""
    if len(hits) == table.rows:
        return hits.astype(np.float64)
    everyone = np.full(table.rows, np.nan)
    everyone[~np.isnan(table.values[column.name])] = hits
    return everyone


def _by_value(estimate: Estimate) -> float:
    return -np.inf if estimate.value is None else float(estimate.value)


def _attack(
    inputs: Inputs, column: Column, params: RapidParams, attacker: Attacker, seed: int
) -> _Attack:
    if column.type.has_levels:
        classes = guess_classes(inputs, column, attacker, seed)
        return _Attack(
            {
                table: normalised_gain(classes.probability[table], classes.shares[truth])
                for table, truth in classes.truth.items()
            },
            classes,
        )
    absolute = {ErrorMeasure.ABSOLUTE, ErrorMeasure.NORMALISED}
    if column.type is ColumnType.DATETIME and params.error not in absolute:
        raise NotAssessable(
            f"the {params.error} error has no meaning for a date; use absolute (seconds) or "
            "normalised"
        )
    numbers = guess_numbers(inputs, column, attacker, seed)
    try:
        errors = {
            table: prediction_error(
                truth,
                numbers.predicted[table],
                measure=params.error,
                delta=params.delta,
                spread=numbers.spread,
            )
            for table, truth in numbers.truth.items()
        }
    except ValueError as reason:
        raise NotAssessable(f"{reason}; use stabilised_relative or absolute") from reason
    return _Attack(errors, numbers)


def _figures(attack: _Attack, threshold: float, level: float) -> dict[str, Estimate]:
    hits = attack.at_risk("train", threshold)
    count, n = int(hits.sum()), len(hits)
    figures = {
        "fraction": clopper_pearson(count, n, level=level),
        "fraction_upper": Estimate(value=clopper_pearson_upper(count, n, level=level), n=n),
        "n_at_risk": Estimate(value=count, n=n),
    }
    if isinstance(attack.guesses, ClassGuesses):
        right = float(attack.guesses.right["train"].mean())
        figures["accuracy"] = Estimate(value=right, n=n)
    else:
        figures["accuracy"] = unknown("a number has no class to guess")
    if "holdout" in attack.scores:
        others = attack.at_risk("holdout", threshold)
        figures["holdout_fraction"] = clopper_pearson(int(others.sum()), len(others), level=level)
        figures["gap"] = newcombe(count, n, int(others.sum()), len(others), level=level)
    else:
        missing = unknown("there is no holdout table, or it has no value in this column")
        figures |= {"holdout_fraction": missing, "gap": missing}
    return figures


def _bootstrap(
    attack: _Attack, threshold: float, params: RapidParams, rng: Generator, level: float
) -> Estimate:
    hits = attack.at_risk("train", threshold)
    if isinstance(attack.guesses, ClassGuesses):
        replicates = resampled_gain_shares(
            attack.guesses.probability["train"],
            attack.guesses.truth["train"],
            tau=threshold,
            replicates=params.bootstrap,
            rng=rng,
        )
    else:
        replicates = resampled_hit_shares(hits, replicates=params.bootstrap, rng=rng)
    return percentile_interval(
        float(hits.mean()), replicates, level=level, method="bootstrap", n=len(hits)
    )


def _diagnostics(
    column: Column,
    attacks: Mapping[Attacker, _Attack],
    figures: Mapping[Attacker, Mapping[str, Estimate]],
    threshold: float,
) -> dict[str, JsonValue]:
    found: dict[str, JsonValue] = {
        f"{name} ({attacker})": own[name].value
        for attacker, own in figures.items()
        for name in ("fraction", "holdout_fraction", "gap", "accuracy")
    }
    guesses = next(iter(attacks.values())).guesses
    if isinstance(guesses, NumberGuesses):
        return found | {"train rows without a value, left out": guesses.left_out}
    truth = guesses.truth["train"]
    sizes = np.bincount(truth)
    for attacker, attack in attacks.items():
        hits = np.bincount(truth, attack.at_risk("train", threshold), minlength=len(sizes))
        shares = hits[sizes >= REPORTED_CLASS] / sizes[sizes >= REPORTED_CLASS]
        if len(shares):
            found[f"least share at risk in a class ({attacker})"] = float(shares.min())
            found[f"greatest share at risk in a class ({attacker})"] = float(shares.max())
    if len(column.levels) > MANY_CLASSES:
        found["warning"] = f"{len(column.levels)} classes: probabilities are hard to learn"
    return found


def _chart(column: Column, attack: _Attack, params: RapidParams) -> Chart:
    by_gain = column.type.has_levels
    grid = TAUS if by_gain else tuple(params.epsilon * step for step in EPSILON_STEPS)
    names = {"train": "people behind the release", "holdout": "people the generator never saw"}
    return Chart(
        kind="curve",
        title=f"People at risk by threshold: {column.name}",
        x_label="τ, the normalised gain required" if by_gain else f"ε, {params.error} error",
        y_label="share of people at risk",
        x=grid,
        series=tuple(
            Series(
                name=names[table],
                y=tuple(float(attack.at_risk(table, point).mean()) for point in grid),
                n=len(scores),
            )
            for table, scores in attack.scores.items()
        ),
        marks={"τ": params.tau} if by_gain else {"ε": params.epsilon},
        caption="The two lines agree where the release tells no more about its own people than "
        "about others; both may be high where the attribute follows from the population.",
    )
