"""Train on synthetic, test on real: whether what is learned from the release holds for people.

A model (LightGBM, fixed settings) learns to predict one column from all other measured columns,
once from the release and once from train. Both are asked about the same people, whom neither the
generator nor a model has seen: the holdout. Their skill is 0 for guessing and 1 for perfection:
max(0, 2·A - 1) for classes, A being the mean area under the ROC curve (AUC) over the classes, each
told from all others; max(0, R²) for numbers and dates. What the release loses is the difference of
the two skills, and what it retains their ratio. Beside them stands the skill of the model that
learned from real records: where that is near 0, there was nothing to be learned.

Intervals come from drawing the holdout people anew, those of each class from their own; the same
draws serve both models, and no model is fitted again.

This measures use and no risk. A table of copies of train loses nothing.

Worked example: AUCs of 0.8 and 0.9 are skills of 0.6 and 0.8: difference -0.2, retained 0.75.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from pydantic import Field

from privgate.data import Role
from privgate.errors import NotAssessable
from privgate.evidence import (
    Card,
    Estimate,
    Family,
    FigurePart,
    FigureSpec,
    Need,
    Part,
    SafeSide,
    Status,
    unknown,
)
from privgate.learners import (
    MIN_ROWS,
    Attacker,
    FeatureEncoder,
    fit_classifier,
    fit_regressor,
    settings,
)
from privgate.metrics.contract import Measured, Params, metric
from privgate.stats.intervals import percentile_interval
from privgate.stats.rng import derived_int
from privgate.stats.skill import ClassPredictions, NumberPredictions, drawn_weights

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from numpy.random import Generator
    from numpy.typing import NDArray

    from privgate.data import Column, Release, Table
    from privgate.evidence import JsonValue
    from privgate.metrics.inputs import Inputs

    Predictions = ClassPredictions | NumberPredictions

FEWEST = 11  # people of the holdout who have a class, or a number
_METHOD = "bootstrap of the holdout people, percentile"
_TINY = 1e-300


class TstrParams(Params):
    """Parameters of training on synthetic and testing on real records."""

    target: tuple[str, ...] = Field(
        default=(),
        description="Columns to be predicted, one after the other; by default the sensitive ones.",
    )
    bootstrap: int = Field(
        default=500, ge=50, le=10_000, description="Bootstrap replicates of the holdout people."
    )


def _skill(title: str, meaning: str, *, part: FigurePart | None = None) -> FigureSpec:
    return FigureSpec.score(
        title, meaning, safe_side=SafeSide.HIGH, minimum=0, maximum=1, exact=False, part=part
    )


CARD = Card(
    name="tstr",
    version=1,
    title="Train on synthetic, test on real",
    question="Does what a model learns from the release hold for real people?",
    family=Family.UTILITY,
    criteria=(),
    formula="skill = max(0, 2·mean AUC − 1) (classes) or max(0, R²) (numbers) on the holdout; "
    "difference = skill(learned from the release) − skill(learned from train)",
    headline="difference",
    figures={
        "difference": FigureSpec.score(
            "Skill lost by learning from the release",
            "How much better, or if negative worse, a model predicts that learned from the "
            "release in the place of train.",
            safe_side=SafeSide.HIGH,
            minimum=-1,
            maximum=1,
            exact=False,
        ),
        "retained": FigureSpec.score(
            "Skill retained",
            "The skill of the model that learned from the release as a share of that of "
            "the model that learned from train.",
            safe_side=SafeSide.HIGH,
            minimum=0,
            exact=False,
        ),
        "skill": _skill(
            "Skill, learned from the release",
            "How much better than guessing a model predicts that learned from the release: 0 not "
            "at all, 1 without a fault.",
        ),
        "real_skill": _skill(
            "Skill, learned from train",
            "The same for a model that learned from train: what there was to be learned.",
            part=FigurePart.CONTROL,
        ),
    },
    needs=(Need.COLUMNS, Need.HOLDOUT),
    references=(
        "Esteban, Hyland and Rätsch 2017, arXiv 1706.02633 (TSTR)",
        "Hand and Till 2001, doi 10.1023/A:1010920819831 (area under the curve for many classes)",
        "Skill as 2·AUC − 1 or R², not below 0: chosen by privgate",
    ),
    limits=(
        "No evidence about privacy: a copy of train loses nothing.",
        "One kind of model with fixed settings, which the evidence states; others learn otherwise.",
        "Speaks of the columns that are predicted; by default the sensitive ones.",
        "The interval covers the drawing of holdout people, not that of train or of the synthesis.",
        "Classes of fewer than 11 holdout people are not asked about; they count among the others.",
        "A release of more rows than train has more to learn from.",
    ),
)


@dataclass(frozen=True)
class _Task:
    """What is predicted: how a table is learned from, and how guesses about the holdout count."""

    learn: Callable[[Table, int], Predictions]
    groups: NDArray[np.int64]
    told: Mapping[str, JsonValue]


@metric(CARD, params=TstrParams)
def tstr(inputs: Inputs, params: TstrParams, rng: Generator) -> Measured:
    """Return how well models from synthetic and from train predict holdout rows, per target."""
    names = params.target or tuple(column.name for column in inputs.columns(Role.SENSITIVE))
    if not names:
        raise NotAssessable("no column is declared as sensitive and no target is named")
    parts: list[Part] = []
    for name, own in zip(names, rng.spawn(len(names)), strict=True):
        try:
            parts.append(_part(inputs, name, params, own))
        except NotAssessable as reason:
            parts.append(Part(of=name, status=Status.NOT_ASSESSED, reason=str(reason)))
    known = [part.figures["difference"].value for part in parts if part.figures]
    return Measured(
        parts=tuple(parts),
        raw=min((float(value) for value in known if value is not None), default=None),
        diagnostics={str(Attacker.LIGHTGBM): settings(Attacker.LIGHTGBM)},
    )


def _part(inputs: Inputs, name: str, params: TstrParams, rng: Generator) -> Part:
    task, seed = _task(inputs, name), derived_int(rng)
    learned = {
        table: task.learn(inputs.release.tables[table], seed) for table in ("synthetic", "train")
    }
    everyone = np.ones(len(task.groups))
    drawn = [drawn_weights(task.groups, rng) for _ in range(params.bootstrap)]
    values = {table: found.skill(everyone) for table, found in learned.items()}
    replicates = {
        table: np.array([found.skill(weights) for weights in drawn])
        for table, found in learned.items()
    }

    def interval(value: float, own: NDArray[np.float64]) -> Estimate:
        return percentile_interval(
            value, own, level=inputs.confidence, method=_METHOD, n=len(task.groups)
        )

    skill = interval(values["synthetic"], replicates["synthetic"])
    real = interval(values["train"], replicates["train"])
    difference = interval(
        values["synthetic"] - values["train"], replicates["synthetic"] - replicates["train"]
    )
    retained = unknown("even a model that learned from train is hardly better than guessing")
    if real.low and replicates["train"].min() > 0:
        ratios = replicates["synthetic"] / replicates["train"]
        retained = interval(values["synthetic"] / values["train"], ratios)
    areas = {
        f"AUC, learned from {table}": float(np.mean(found.areas(everyone)))
        for table, found in learned.items()
        if isinstance(found, ClassPredictions)
    }
    return Part(
        of=name,
        status=Status.MEASURED,
        figures={
            "difference": difference,
            "retained": retained,
            "skill": skill,
            "real_skill": real,
        },
        diagnostics={**task.told, **areas},
    )


def _task(inputs: Inputs, name: str) -> _Task:
    release = inputs.release
    target = next((column for column in release.columns if column.name == name), None)
    if target is None:
        raise NotAssessable(f"the release has no measured column {name!r} to predict")
    features = tuple(column for column in release.columns if column.name != name)
    if not features:
        raise NotAssessable("there is no other column to predict it from")
    if target.type.has_levels:
        return _class_task(release, target, features, inputs.jobs)
    return _number_task(release, target, features, inputs.jobs)


def _class_task(release: Release, target: Column, features: tuple[Column, ...], jobs: int) -> _Task:
    """Return the task of predicting levels; a missing one is a class of its own."""
    count = len(target.levels) + 1

    def classes(table: Table) -> NDArray[np.int64]:
        codes = table.values[target.name].astype(np.int64)
        return np.where(codes < 0, count - 1, codes)

    holdout = _holdout(release)
    truth = classes(holdout)
    sizes = np.bincount(truth, minlength=count)
    asked = np.flatnonzero((sizes >= FEWEST) & (len(truth) - sizes >= FEWEST))
    if not len(asked):
        raise NotAssessable(f"no class has at least {FEWEST} people of the holdout, and others")
    if len(np.unique(classes(release.train))) < 2:
        raise NotAssessable("the column has a single value in train, so nothing can be learned")

    def learn(table: Table, seed: int) -> Predictions:
        own = classes(table)
        _require_rows(len(own))
        if len(np.unique(own)) < 2:
            scores = np.zeros((len(truth), count))
        else:
            encoder = FeatureEncoder.fitted(features, table)
            predict = fit_classifier(
                Attacker.LIGHTGBM,
                encoder.matrix(table),
                own,
                class_count=count,
                seed=seed,
                jobs=jobs,
            )
            scores = predict(encoder.matrix(holdout))
        return ClassPredictions.of(scores, truth, asked.tolist())

    return _Task(learn, truth, {"classes asked about": len(asked)})


def _number_task(
    release: Release, target: Column, features: tuple[Column, ...], jobs: int
) -> _Task:
    """Return the task of predicting numbers; rows without one are left out."""
    values = {name: _numbers(table, target) for name, table in release.tables.items()}
    scale = max(float(np.nanmax(np.abs(own), initial=0.0)) for own in values.values())
    holdout, train = (values[name][~np.isnan(values[name])] for name in ("holdout", "train"))
    if len(holdout) < FEWEST:
        raise NotAssessable(f"fewer than {FEWEST} people of the holdout have a value")
    if len(np.unique(holdout)) < 2 or len(np.unique(train)) < 2 or scale < _TINY:
        raise NotAssessable("the column does not vary in train and holdout: nothing to learn")
    asked = ~np.isnan(values["holdout"])

    def learn(table: Table, seed: int) -> Predictions:
        own = _numbers(table, target)
        known = ~np.isnan(own)
        _require_rows(int(known.sum()))
        encoder = FeatureEncoder.fitted(features, table)
        predict = fit_regressor(
            Attacker.LIGHTGBM,
            encoder.matrix(table)[known],
            own[known] / scale,
            seed=seed,
            jobs=jobs,
        )
        guesses = predict(encoder.matrix(_holdout(release))[asked])
        return NumberPredictions(guesses, holdout / scale)

    return _Task(learn, np.zeros(len(holdout), np.int64), {})


def _numbers(table: Table, target: Column) -> NDArray[np.float64]:
    return np.asarray(table.values[target.name], np.float64)


def _require_rows(rows: int) -> None:
    if rows < MIN_ROWS:
        raise NotAssessable(f"fewer than {MIN_ROWS} rows have a value, too few to learn from")


def _holdout(release: Release) -> Table:
    if release.holdout is None:
        raise NotAssessable("the release has no holdout table")
    return release.holdout
