"""RAPID counts the people whose secret a model learned from the release guesses confidently.

The attacker holds only the synthetic table and the quasi-identifiers of the people they are after.
They train a model on it, from quasi-identifiers to one sensitive attribute, and ask it about real
people. A categorical secret is given away when the normalised gain r = (g - b) / (1 - b) exceeds
tau, g being the probability given to the person's true class and b that class's share in train; a
numeric one when the prediction error is below epsilon. RAPID is the share of such people.

RAPID may be high for a release that only keeps true dependencies of the population. What speaks of
leakage is the gap to people the generator never saw. It is not 0 either where nothing can be
learned: refits on permuted synthetic secrets tell that level.

Two older scores can be asked for in place of the gain: the ratio of g to its mean over the people
of the same class, and 1 + log g / log K for K classes (normalised cross-entropy).

Worked example: b = 0.6, g = (0.70, 0.85, 0.55) give r = (0.25, 0.625, -0.125); tau = 0.3: 1/3.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import Field, field_validator

from privgate.data import ColumnType, Role
from privgate.errors import NotAssessable
from privgate.evidence import (
    Card,
    Chart,
    Criterion,
    Family,
    FigurePart,
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
from privgate.metrics.at_risk import ClassSecret, NumberSecret
from privgate.metrics.attackers_compared import (
    attacker_diagnostics,
    attacker_figures,
    class_figures,
    strongest_of,
)
from privgate.metrics.contract import Measured, Records, metric
from privgate.metrics.predictions import class_task, number_task, rows_with_unpublished_levels
from privgate.metrics.refits import null_figure_specs, null_figures, refitted_shares
from privgate.metrics.subgroups import GroupedParams, group_figures, worst_group
from privgate.stats.disclosure import ErrorMeasure, ScoreMode
from privgate.stats.rng import derived_int

if TYPE_CHECKING:
    import numpy as np
    from numpy.random import Generator
    from numpy.typing import NDArray

    from privgate.data import Column
    from privgate.evidence import Estimate
    from privgate.metrics.at_risk import Attack, Secret
    from privgate.metrics.inputs import Inputs


class RapidParams(GroupedParams):
    """Parameters of RAPID."""

    tau: float = Field(
        default=0.3, gt=0, lt=1, description="Normalised gain above which a person is at risk."
    )
    score: ScoreMode = Field(
        default=ScoreMode.GAIN,
        description="What makes a guessed class confident: 'gain' over the class's share, judged "
        "by tau; the older 'conditional_ratio' and 'nce' are judged by ratio_cut and nce_cut.",
    )
    ratio_cut: float = Field(
        default=1.25, gt=1, le=100, description="Conditional ratio above which one is at risk."
    )
    nce_cut: float = Field(
        default=0.6, gt=0, lt=1, description="Normalised cross-entropy above which one is at risk."
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
        description="Learners; unless a figure says otherwise it is that of the most successful "
        "one. Each is used where it applies: logistic for classes, linear for numbers.",
    )
    null_refits: int = Field(
        default=0,
        ge=0,
        le=10_000,
        description="Refits of the attackers on permuted synthetic secrets, at least 20 for the "
        "figures of the null to be known; each costs as much as the attack itself.",
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

    @property
    def class_threshold(self) -> float:
        """Return the threshold of the score in use."""
        return {
            ScoreMode.GAIN: self.tau,
            ScoreMode.CONDITIONAL_RATIO: self.ratio_cut,
            ScoreMode.NCE: self.nce_cut,
        }[self.score]


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
            part=FigurePart.ATTACK,
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
        "max_over_attackers": FigureSpec.share(
            "People at risk, strongest attacker",
            "The share under the most successful attacker, with an interval widened for having "
            "chosen it among several.",
        ),
        "mean_over_attackers": FigureSpec.share(
            "People at risk, mean over attackers",
            "The share of people at risk under an attacker picked at random from those named.",
        ),
        "holdout_fraction": FigureSpec.share(
            "Others at risk",
            "The same share among people the generator never saw: what follows from the "
            "population alone.",
            part=FigurePart.CONTROL,
        ),
        "gap": FigureSpec.difference(
            "Risk beyond the population",
            "By how much the share among the people behind the release exceeds the share among "
            "people the generator never saw.",
            satisfies=(Criterion.INFERENCE,),
            part=FigurePart.EXCESS,
        ),
        **group_figures(Criterion.INFERENCE),
        "worst_class_fraction": FigureSpec.share(
            "People at risk, worst class",
            "The greatest share of people at risk among those who have one class, its interval "
            "widened for the number of classes.",
        ),
        **null_figure_specs(),
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
        "People of the commonest class are at risk more often than others, also without leakage.",
        "The conditional ratio does not see whole classes that are guessed, so it has no gap.",
        "Depends on the attacker and its settings, which the evidence states.",
        "The intervals cover the sampling of people, not that of attackers or of the synthesis.",
    ),
)


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
            records[f"at_risk: {column.name}"] = hits == 1
    fractions = [part.figures["fraction"].value for part in parts if part.figures]
    risk = max((float(value) for value in fractions if value is not None), default=None)
    return Measured(
        parts=tuple(parts),
        raw=risk,
        risk=risk,
        diagnostics={str(attacker): settings(attacker) for attacker in params.attackers}
        | {"train rows with a level no synthetic row has": rows_with_unpublished_levels(inputs)},
        records=(Records(table="train", scores=records),) if records else (),
    )


def _part(
    inputs: Inputs, column: Column, params: RapidParams, rng: Generator
) -> tuple[Part, NDArray[np.float64]]:
    """Return the figures of one secret, and for each train row whether the person is at risk."""
    attackers = _applicable(column, params)
    secret = _secret(inputs, column, params)
    attacks = {
        attacker: secret.attack(attacker, seed=derived_int(rng), jobs=inputs.jobs)
        for attacker in attackers
    }
    figures = attacker_figures(
        secret, attacks, level=inputs.confidence, bootstrap=params.bootstrap, rng=rng
    )
    shares = refitted_shares(
        secret,
        attackers,
        refits=params.null_refits,
        rng=rng.spawn(1)[0],
        executor=inputs.executor,
    )
    null = null_figures(figures["fraction"], shares, level=inputs.confidence)
    attack = attacks[strongest_of(secret, attacks)]
    by_row = {table: secret.by_row(table, secret.at_risk(attack, table)) for table in attack.scores}
    grouped, counted = worst_group(inputs, params, by_row["train"], by_row.get("holdout"))
    by_class, listed = class_figures(
        secret, attack, fewest=params.min_group, level=inputs.confidence
    )
    part = Part(
        of=column.name,
        status=Status.MEASURED,
        figures=figures | null | grouped | by_class | _inconclusive(column, params),
        charts=(_chart(column, secret, attack, params),),
        diagnostics=attacker_diagnostics(secret, attacks) | listed | counted,
    )
    return part, by_row["train"]


def _inconclusive(column: Column, params: RapidParams) -> dict[str, Estimate]:
    """Return as unknown what the conditional ratio cannot show.

    It compares people of one class with each other, so that a class whose train people are all
    given away, and whose holdout people are not, may have nobody at risk on either side.
    """
    if params.score is not ScoreMode.CONDITIONAL_RATIO or not column.type.has_levels:
        return {}
    reason = "the conditional ratio does not see a leak that a whole class shares; use the gain"
    return dict.fromkeys(("gap", "worst_group_gap"), unknown(reason))


def _applicable(column: Column, params: RapidParams) -> tuple[Attacker, ...]:
    classes = column.type.has_levels
    found = tuple(
        attacker
        for attacker in params.attackers
        if (attacker.guesses_classes if classes else attacker.guesses_numbers)
    )
    if not found:
        named, kind = " and ".join(params.attackers), "classes" if classes else "numbers"
        other = Attacker.LOGISTIC if classes else Attacker.LINEAR
        raise NotAssessable(f"{named} cannot guess {kind}; name another attacker, such as {other}")
    return found


def _secret(inputs: Inputs, column: Column, params: RapidParams) -> Secret:
    if column.type.has_levels:
        return ClassSecret(class_task(inputs, column), params.score, params.class_threshold)
    absolute = {ErrorMeasure.ABSOLUTE, ErrorMeasure.NORMALISED}
    if column.type is ColumnType.DATETIME and params.error not in absolute:
        raise NotAssessable(
            f"the {params.error} error has no meaning for a date; use absolute (seconds) or "
            "normalised"
        )
    return NumberSecret(number_task(inputs, column), params.error, params.delta, params.epsilon)


def _chart(column: Column, secret: Secret, attack: Attack, params: RapidParams) -> Chart:
    of_class = column.type.has_levels
    names = {"train": "people behind the release", "holdout": "people the generator never saw"}
    required = {
        ScoreMode.GAIN: "τ, the normalised gain required",
        ScoreMode.CONDITIONAL_RATIO: "the conditional ratio required",
        ScoreMode.NCE: "the normalised cross-entropy required",
    }[params.score]
    mark = {ScoreMode.GAIN: "τ"}.get(params.score, "cut") if of_class else "ε"
    return Chart(
        kind="curve",
        title=f"People at risk by threshold: {column.name}",
        x_label=required if of_class else f"ε, {params.error} error",
        y_label="share of people at risk",
        x=secret.thresholds,
        series=tuple(
            Series(
                name=names[table],
                y=tuple(
                    float(secret.at_risk(attack, table, point).mean())
                    for point in secret.thresholds
                ),
                n=len(scores),
            )
            for table, scores in attack.scores.items()
        ),
        marks={mark: secret.threshold},
        caption="The two lines agree where the release tells no more about its own people than "
        "about others; both may be high where the attribute follows from the population.",
    )
