"""Inference: the release's most similar record gives away a sensitive attribute.

The attacker knows the quasi-identifiers of a person and holds the release. They look for the
synthetic row that is nearest in these columns and take its sensitive value for the person's own.
Where several rows are equally near, they pick one of them at random.

With T_i the synthetic rows tied for nearest to person i, the success is the share of T_i that gives
the guess right: for categories the same level (a missing value is a level), for numbers a value
within the tolerance, |guess - truth| ≤ t · |truth|; people without a number are left out. The rate
is the mean over people, one part per sensitive column. Guessing takes the value of a random
synthetic row instead.

A sensitive value may follow from the quasi-identifiers in the whole population. What speaks of
leakage is the excess over people the generator never saw.

Worked example: quasi-identifier Y = (0, 1, 2, 9), Z = (0, 1, 1, 5); secret of Y = (a, b, b, a), of
Z = (a, b, a, b). Nearest rows {z1}, {z2, z3}, {z2, z3}, {z4}: success 1, 1/2, 1/2, 0, rate 1/2.
Guessing: half of Z is a, half is b, rate 1/2.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np
from pydantic import Field

from privgate.data import ColumnType, Role
from privgate.errors import NotAssessable
from privgate.evidence import Card, Criterion, Family, Need, Part, Status, ThreatModel
from privgate.metrics.comparison import compared, comparison_figures
from privgate.metrics.contract import Measured, Records, metric
from privgate.metrics.distances import DistanceParams
from privgate.metrics.guessing import guessing_figure, held_against_guessing
from privgate.metrics.subgroups import GroupedParams, group_figures, worst_group
from privgate.stats.compare import TIE
from privgate.stats.intervals import wilson

if TYPE_CHECKING:
    from numpy.random import Generator
    from numpy.typing import NDArray

    from privgate.data import Column
    from privgate.metrics.inputs import Inputs
    from privgate.neighbors import NearestGroups

CONCLUSIONS = ("gap", "excess", "worst_group_gap")


class InferenceParams(GroupedParams, DistanceParams):
    """Parameters of the inference attack."""

    tolerance: float = Field(
        default=0.05, ge=0, description="Greatest error of a guessed number that counts as right."
    )
    error: Literal["relative", "normalised", "absolute"] = Field(
        default="relative",
        description="Unit of the tolerance: the true value, the standard deviation in train, or "
        "the attribute's own unit (seconds for a date).",
    )


CARD = Card(
    name="inference",
    version=1,
    title="Inference from the nearest record",
    question="Does the most similar published record give away a person's sensitive attribute?",
    family=Family.ATTACK,
    threat_model=ThreatModel(
        attacker="anyone who obtains the release",
        knows="the release and the quasi-identifiers of the people they are after",
        wants="to learn a sensitive attribute of those people",
    ),
    criteria=(Criterion.INFERENCE,),
    formula="rate = (1/n) Σᵢ #{j ∈ Tᵢ : zⱼ gives yᵢ's secret} / #Tᵢ, Tᵢ the synthetic rows nearest "
    "in the quasi-identifiers; excess = (train − holdout)/(1 − holdout)",
    headline="excess",
    figures={
        **comparison_figures("whose sensitive value is guessed", Criterion.INFERENCE),
        **guessing_figure("Share of people whose sensitive value a random published record gives."),
        **group_figures(Criterion.INFERENCE),
    },
    needs=(Need.QUASI_IDENTIFIERS, Need.SENSITIVE),
    references=("Giomi et al. 2023, arXiv 2211.10459 (Anonymeter)",),
    limits=(
        "One nearest record is a weak attacker; a trained model (rapid) may guess better.",
        "Speaks for the declared quasi-identifiers only; another attacker may know more.",
        "The tolerance of numbers is a convention, and a relative one depends on the zero point.",
        "The intervals cover the sampling of people, not that of the synthesis.",
    ),
)


@dataclass(frozen=True)
class _Secret:
    """A sensitive column: the synthetic values and what counts as right for each real row.

    ``attacked`` marks the real rows, train before holdout, that have a value to guess.
    """

    values: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    attacked: NDArray[np.bool_]

    def by_marginal(self) -> NDArray[np.float64]:
        """Return for each real row how often a random synthetic row is right."""
        known = np.sort(self.values[~np.isnan(self.values)])
        behind = np.searchsorted(known, self.high, side="right")
        count = behind - np.searchsorted(known, self.low, side="left")
        return np.where(self.attacked, count / len(self.values), np.nan)

    def by_nearest(self, groups: NearestGroups) -> NDArray[np.float64]:
        """Return for each real row the share of its nearest synthetic rows that are right."""
        share = groups.share_between(self.values, self.low, self.high)
        return np.where(self.attacked, share, np.nan)


@metric(CARD, params=InferenceParams)
def inference(inputs: Inputs, params: InferenceParams, rng: Generator) -> Measured:
    """Return for each sensitive column how often the nearest synthetic row gives it away."""
    del rng
    known = tuple(column.name for column in inputs.columns(Role.QUASI_IDENTIFIER))
    groups = inputs.neighbours(params.distance, columns=known).synthetic_groups
    parts: list[Part] = []
    notes: list[str] = []
    records: dict[str, NDArray[np.generic]] = {}
    for column in inputs.columns(Role.SENSITIVE):
        try:
            part, said, success = _part(inputs, params, column, groups)
        except NotAssessable as reason:
            part = Part(of=column.name, status=Status.NOT_ASSESSED, reason=str(reason))
        else:
            notes += [f"{column.name}: {note}" for note in said]
            records[f"guessed: {column.name}"] = success
        parts.append(part)
    rates = [float(part.figures["train_rate"].value or 0) for part in parts if part.figures]
    worst = max(rates, default=None)
    return Measured(
        parts=tuple(parts),
        raw=worst,
        risk=worst,
        diagnostics={
            "columns the attacker knows": list(known),
            "mean number of equally near synthetic records": float(groups.sizes.mean()),
        },
        notes=tuple(notes),
        records=(Records(table="train", scores=records),) if records else (),
    )


def _part(
    inputs: Inputs, params: InferenceParams, column: Column, groups: NearestGroups
) -> tuple[Part, tuple[str, ...], NDArray[np.float64]]:
    secret = _secret(inputs, params, column)
    people = inputs.release.train.rows
    train, holdout = np.split(secret.by_nearest(groups), [people])
    own = train[~np.isnan(train)]
    others = None if inputs.release.holdout is None else holdout[~np.isnan(holdout)]
    guessed = secret.by_marginal()[:people][~np.isnan(train)]
    worst, counted = worst_group(inputs, params, train, None if others is None else holdout)
    baseline = wilson(float(guessed.sum()), len(guessed), level=inputs.confidence)
    figures, notes = held_against_guessing(
        compared(own, others, level=inputs.confidence) | {"baseline_rate": baseline} | worst,
        conclusions=CONCLUSIONS,
    )
    part = Part(
        of=column.name,
        status=Status.MEASURED,
        figures=figures,
        diagnostics={"train rows without a value, left out": people - len(own), **counted},
    )
    return part, notes, train


def _secret(inputs: Inputs, params: InferenceParams, column: Column) -> _Secret:
    tables = inputs.release.tables
    values = {name: table.values[column.name].astype(float) for name, table in tables.items()}
    for name in ("train", "synthetic"):
        if len(np.unique(values[name][~np.isnan(values[name])])) < 2:
            raise NotAssessable(
                f"the column has a single value in {name}, so nothing can be guessed"
            )
    real = np.concatenate([values[name] for name in ("train", "holdout") if name in values])
    margin = np.zeros(len(real))
    if not column.type.has_levels:
        margin = params.tolerance * _unit(params, column, real, float(np.nanstd(values["train"])))
        margin = margin + TIE * np.abs(margin)  # 0.4 - 0.3 ≤ 0.1 is false in float64
    return _Secret(values["synthetic"], real - margin, real + margin, ~np.isnan(real))


def _unit(
    params: InferenceParams, column: Column, real: NDArray[np.float64], spread: float
) -> NDArray[np.float64]:
    """Return what the tolerance of each real row is a multiple of."""
    if params.error == "relative":
        if column.type is ColumnType.DATETIME:
            raise NotAssessable(
                "a relative error has no meaning for a date; use normalised or absolute (seconds)"
            )
        return np.abs(real)
    return np.full(len(real), spread if params.error == "normalised" else 1.0)
