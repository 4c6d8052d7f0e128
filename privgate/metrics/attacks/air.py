"""AIR measures how well a person's secrets are copied from the published record nearest in keys.

The attacker knows some attributes of a real person (the keys K, here the quasi-identifiers) and
the whole release, finds the published record nearest to the person in the keys, and takes its
sensitive values for the person's: the most frequent value where several records are equally near
(the smallest level on a tie), the median of a number. Values the release lacks are not guessed.

Each level of a categorical secret that occurs in train is scored by F1 = 2TP/(2TP + FP + FN), a
secret with a declared positive level by that level alone, a number by the share of guesses within
10 %: |ŷ - y| ≤ 0.1·|y|. AIR = Σ_a w_a s_a, where w_a is proportional to the Shannon entropy in
train of the indicator of the level, or of the number in 10 equal bins. People without a value are
left out of its score.

Worked example: keys 0, 1, 2, 3 in train and 0.1, 0.9, 2.2, 5 in the release, b = (1, 1, 0, 0)
against (1, 0, 0, 1) and c = (10, 20, -30, 0) against (10.5, 25, -28, 1): F1 is 2/3 for b = 1 and
4/5 for b = 0, two of four c are met, entropies ln 2 and ln 4. AIR = 37/60; 5/9 with b = 1 declared
positive.

AIR says how well the attack works, also where it works on anybody. What speaks of leakage is its
success beyond that on people the generator never saw. The success rates below count people: the
share of a person's secrets that is guessed right, weighed as in AIR. Their difference can satisfy a
rule; that of AIR, whose interval comes from resampling people, can only stop a release.

The review prints a malformed F1, attaches weights to records instead of attributes, and takes
every miss for a false positive, which gives a coin flip 0.667. Its tool adds numeric secrets to
the keys: pure noise scores 0.936.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from pydantic import Field
from scipy.special import entr

from privgate.data import ColumnType, Role
from privgate.data.schema import CellText  # noqa: TC001 - pydantic reads it at run time
from privgate.encoding import numbers_of
from privgate.errors import NotAssessable
from privgate.evidence import (
    Card,
    Criterion,
    Estimate,
    Family,
    FigureSpec,
    Need,
    SafeSide,
    ThreatModel,
    unknown,
)
from privgate.metrics.comparison import NO_HOLDOUT, compared, comparison_figures
from privgate.metrics.contract import Measured, Records, metric
from privgate.metrics.copied_values import copied_values
from privgate.metrics.distances import DistanceParams
from privgate.metrics.subgroups import GroupedParams, group_figures, worst_group
from privgate.stats.compare import at_most
from privgate.stats.intervals import percentile_interval

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.random import Generator
    from numpy.typing import NDArray

    from privgate.data import Column, Release
    from privgate.evidence import JsonValue
    from privgate.metrics.inputs import Inputs

BINS = 10


class AirParams(GroupedParams, DistanceParams):
    """Parameters of AIR."""

    k: int = Field(
        default=1, ge=1, le=1000, description="Number of nearest published records that vote."
    )
    tolerance: float = Field(
        default=0.1,
        ge=0,
        lt=1,
        description="Greatest error of a number that is guessed right, as a share of it.",
    )
    positive: dict[str, CellText] = Field(
        default={},
        description="The level that matters, for sensitive columns scored by one level alone.",
    )
    bootstrap: int = Field(
        default=500, ge=50, le=10_000, description="Bootstrap replicates of AIR."
    )


def _score(title: str, meaning: str) -> FigureSpec:
    return FigureSpec.score(
        title, meaning, safe_side=SafeSide.LOW, minimum=0, maximum=1, exact=False
    )


CARD = Card(
    name="air",
    version=1,
    title="Attribute inference risk",
    question="Can sensitive attributes of real people be copied from the nearest published record?",
    family=Family.ATTACK,
    threat_model=ThreatModel(
        attacker="anyone who obtains the release",
        knows="the release and the quasi-identifiers of the people they are after",
        wants="to learn sensitive attributes of those people",
    ),
    criteria=(Criterion.INFERENCE,),
    formula="AIR = Σₐ wₐ sₐ, sₐ = 2TP/(2TP + FP + FN) for a level, "
    "(1/n) #{|ŷ − y| ≤ 0.1·|y|} for a number; wₐ ∝ entropy in train",
    review_name="AIR",
    headline="excess",
    figures={
        **comparison_figures(
            "whose sensitive values are guessed right (someone with several values counts in "
            "proportion, weighed by entropy)",
            Criterion.INFERENCE,
        ),
        **group_figures(Criterion.INFERENCE),
        "air": _score(
            "AIR on train",
            "Entropy-weighted success of the guesses about the people behind the release, rare "
            "values included.",
        ),
        "holdout_air": _score(
            "AIR on holdout",
            "The same on people the generator never saw: what follows from the population.",
        ),
        "air_gap": FigureSpec.difference(
            "AIR beyond the holdout",
            "By how much AIR on the people behind the release exceeds AIR on people the generator "
            "never saw.",
        ),
    },
    needs=(Need.QUASI_IDENTIFIERS, Need.SENSITIVE),
    references=(
        "Yan et al. 2022, doi 10.1038/s41467-022-35295-1",
        "Trudslev et al. 2025, arXiv 2507.11324 (review; F1, weights and misses corrected)",
    ),
    limits=(
        "One nearest-neighbour attacker is a weak adversary.",
        "The tolerance is arbitrary and depends on the unit of a number.",
        "A high value can be a true pattern of the population; judge the excess over the holdout.",
        "Success rates count people, so a rare value moves them little; AIR sees it.",
        "The intervals cover the sampling of people, not that of the synthesis.",
    ),
)


@dataclass(frozen=True)
class _Guesses:
    """The true and the guessed values of one secret in one table, and which guesses are right.

    ``known`` marks people with a value. Levels are codes; a guess that cannot be made is NaN.
    """

    truth: NDArray[np.float64]
    guess: NDArray[np.float64]
    right: NDArray[np.bool_]

    @property
    def known(self) -> NDArray[np.bool_]:
        """Return who has a value that can be guessed."""
        return ~np.isnan(self.truth)


@dataclass(frozen=True)
class _Secret:
    """One sensitive column under attack: its scored levels, or none for a number, and weights."""

    name: str
    levels: NDArray[np.int64] | None
    weights: NDArray[np.float64]
    guesses: dict[str, _Guesses]

    def scores(self, table: str, people: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return a score for each weight when each person counts as often as ``people`` says.

        The score of a level that nobody has and nobody is guessed to have is NaN.
        """
        found = self.guesses[table]
        times = people * found.known
        if self.levels is None:
            hits, asked = np.array([times @ found.right]), np.array([times.sum()])
        else:
            hits = 2 * _counted(found.truth, times * found.right, self.levels)
            asked = _counted(found.truth, times, self.levels)
            asked = asked + _counted(found.guess, times, self.levels)
        scores = np.full(len(self.weights), np.nan)
        np.divide(hits, asked, out=scores, where=asked > 0)
        return scores


def _counted(
    codes: NDArray[np.float64], times: NDArray[np.int64], levels: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Return how many people have each of some levels."""
    places = np.where(np.isnan(codes), -1, codes).astype(np.int64) + 1
    counts = np.bincount(places, times, minlength=int(levels.max()) + 2)
    return counts[levels + 1].astype(np.int64)


@metric(CARD, params=AirParams)
def air(inputs: Inputs, params: AirParams, rng: Generator) -> Measured:
    """Return how well sensitive values are copied from nearest records, train against holdout."""
    secrets = _attacked(inputs, params)
    success = {name: _success(secrets, name) for name in secrets[0].guesses}
    train, holdout = success["train"], success.get("holdout")
    groups, counted = worst_group(inputs, params, train.of, None if holdout is None else holdout.of)
    return Measured(
        figures=compared(
            train.of[train.asked],
            None if holdout is None else holdout.of[holdout.asked],
            level=inputs.confidence,
        )
        | groups
        | _weighted(inputs, secrets, params, rng),
        raw=_air(secrets, "train"),
        risk=_air(secrets, "train"),
        diagnostics=_diagnostics(secrets) | counted,
        records=(Records(table="train", scores={"success": train.of}),),
    )


def _attacked(inputs: Inputs, params: AirParams) -> list[_Secret]:
    """Return the sensitive columns with what is guessed about them, weights adding up to 1."""
    columns = inputs.columns(Role.SENSITIVE)
    _require_levels(columns, params)
    guesses = copied_values(inputs, columns, k=params.k, distance=params.distance)
    secrets = [_secret(inputs.release, column, guesses[column.name], params) for column in columns]
    total = sum(float(secret.weights.sum()) for secret in secrets)
    if not total:
        raise NotAssessable("no sensitive column varies in train, so nothing can be learned")
    return [replace(secret, weights=secret.weights / total) for secret in secrets]


def _require_levels(columns: Sequence[Column], params: AirParams) -> None:
    known = {column.name: column.levels for column in columns}
    for name, level in params.positive.items():
        if level not in known.get(name, ()):
            raise NotAssessable(f"{level!r} is not a level of a sensitive column {name!r}")


def _secret(
    release: Release,
    column: Column,
    guesses: dict[str, NDArray[np.float64]],
    params: AirParams,
) -> _Secret:
    train = numbers_of(release.train, column)
    known = train[~np.isnan(train)]
    # Dates count from the earliest one; from 1970, a tenth would be years.
    start = float(known.min()) if column.type is ColumnType.DATETIME else 0.0
    compared = {}
    for name, guess in guesses.items():
        truth = numbers_of(release.tables[name], column) - start
        error = np.abs(guess - start - truth)
        room = 0.0 if column.type.has_levels else params.tolerance * np.abs(truth)
        right = at_most(error, room) & ~np.isnan(error)
        compared[name] = _Guesses(truth, guess - start, right)
    if not column.type.has_levels:
        counts, _ = np.histogram(known - known.min(), bins=BINS)
        weight = np.array([entr(counts / len(known)).sum()])
        return _Secret(column.name, None, weight, compared)
    if column.name in params.positive:
        levels = np.array([column.levels.index(params.positive[column.name])])
    else:
        levels = np.unique(known).astype(np.int64)
    shares = (known == levels[:, None]).mean(axis=1)
    return _Secret(column.name, levels, entr(shares) + entr(1 - shares), compared)


def _air(secrets: list[_Secret], table: str, people: NDArray[np.int64] | None = None) -> float:
    """Return AIR when each person counts as often as ``people`` says; NaN if nobody has a value."""
    rows = len(secrets[0].guesses[table].truth)
    times = np.ones(rows, np.int64) if people is None else people
    scores = np.concatenate([secret.scores(table, times) for secret in secrets])
    weights = np.concatenate([secret.weights for secret in secrets]) * ~np.isnan(scores)
    total = weights.sum()
    if not total:
        return float("nan")
    return min(1.0, float(weights @ np.nan_to_num(scores) / total))  # rounding may pass 1


@dataclass(frozen=True)
class _Success:
    """The share of each person's secrets that is guessed, and who has any."""

    of: NDArray[np.float64]
    asked: NDArray[np.bool_]


def _success(secrets: list[_Secret], table: str) -> _Success:
    weights = np.array([secret.weights.sum() for secret in secrets])
    right = weights @ np.array([secret.guesses[table].right for secret in secrets])
    asked = weights @ np.array([secret.guesses[table].known for secret in secrets])
    share = np.divide(right, asked, out=np.zeros(len(asked)), where=asked > 0)
    return _Success(share, asked > 0)


def _weighted(
    inputs: Inputs, secrets: list[_Secret], params: AirParams, rng: Generator
) -> dict[str, Estimate]:
    """Return AIR of both tables and their difference, people drawn anew in each replicate."""
    rows = {name: inputs.release.tables[name].rows for name in secrets[0].guesses}
    drawn = {
        name: np.array(
            [
                _air(secrets, name, np.bincount(rng.integers(n, size=n), minlength=n))
                for _ in range(params.bootstrap)
            ]
        )
        for name, n in rows.items()
    }
    value = {name: _air(secrets, name) for name in rows}

    def estimate(value: float, replicates: NDArray[np.float64], n: int) -> Estimate:
        if not np.isfinite([value, *replicates]).all():
            return unknown("too few people have a sensitive value")
        return percentile_interval(
            value, replicates, level=inputs.confidence, method="bootstrap", n=n
        )

    figures = {"air": estimate(value["train"], drawn["train"], rows["train"])}
    if "holdout" not in rows:
        return figures | dict.fromkeys(("holdout_air", "air_gap"), unknown(NO_HOLDOUT))
    gap = value["train"] - value["holdout"]
    return figures | {
        "holdout_air": estimate(value["holdout"], drawn["holdout"], rows["holdout"]),
        "air_gap": estimate(gap, drawn["train"] - drawn["holdout"], min(rows.values())),
    }


def _diagnostics(secrets: list[_Secret]) -> dict[str, JsonValue]:
    found: dict[str, JsonValue] = {}
    for secret in secrets:
        found[f"weight of {secret.name}"] = float(secret.weights.sum())
        for table, guesses in secret.guesses.items():
            score = _air([secret], table)
            found[f"score of {secret.name} ({table})"] = None if np.isnan(score) else score
            missing = int((~guesses.known).sum())
            found[f"{table} rows without {secret.name}, left out"] = missing
    return found
