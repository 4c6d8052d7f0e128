"""RAPID over several syntheses: how much of it is the luck of one synthetic table.

References
----------
Templ, Thees and Mueller 2026, arXiv 2602.09235 (several replicates; cross-validated comparison of
generators).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from privgate.data import Role, release_from_frames
from privgate.engine.clock import now
from privgate.engine.plan import Planned
from privgate.engine.progress import Silent
from privgate.engine.run import Conditions, measure
from privgate.errors import InputError, NotAssessable, Problem
from privgate.evidence import Status
from privgate.executors import Threads
from privgate.metrics.attacks.rapid import RapidParams, rapid
from privgate.policy import measurement_id
from privgate.stats.rng import derive_seed, generator
from privgate.stats.spread import Spread
from privgate.trials.folds import release_named, stratified_folds, synthesised

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import pandas as pd

    from privgate.data import Release
    from privgate.evidence import Measurement
    from privgate.trials.folds import Declarations, Synthesizer


@dataclass(frozen=True)
class RapidRuns:
    """RAPID of several releases, and how far its figures moved between them.

    ``spreads`` has, for each sensitive column, every figure that is known in all runs;
    ``measurements`` hold all of each run, with intervals, in the order of the runs.
    """

    spreads: Mapping[str, Mapping[str, Spread]]
    measurements: tuple[Measurement, ...]


def rapid_over_replicates(
    train: pd.DataFrame,
    holdout: pd.DataFrame | None,
    syntheses: Sequence[pd.DataFrame],
    columns: Declarations,
    *,
    params: RapidParams | None = None,
    seed: int = 0,
    confidence: float = 0.95,
    jobs: int = 1,
) -> RapidRuns:
    """Return RAPID of each of several synthetic tables made from the same people.

    Mean and standard deviation say what the generator does, the worst what may be published when
    one table is picked. Each run has attackers of its own seed, so the spread covers both the
    synthesis and the attackers; an interval of one run covers the sampling of people only.

    Parameters
    ----------
    syntheses
        At least two synthetic tables.
    params
        Parameters of RAPID, its defaults if not given.

    Raises
    ------
    InputError
        If there are fewer than two synthetic tables, or a table cannot be used.
    NotAssessable
        If a sensitive column could not be attacked in one of the runs.

    Examples
    --------
    >>> from privgate.testing.samples import SURVEY_COLUMNS, survey
    >>> runs = rapid_over_replicates(
    ...     survey(300, 1), survey(200, 2), [survey(300, 3), survey(300, 4)], SURVEY_COLUMNS
    ... )
    >>> gap = runs.spreads["smoker"]["gap"]
    >>> len(gap.values), gap.mean <= gap.worst
    (2, True)
    """
    if len(syntheses) < 2:
        message = f"{len(syntheses)} synthetic tables have no spread"
        raise InputError(Problem(message, path="syntheses", remedy="give at least 2"))
    releases = {
        name: release_named(name, columns, train=train, holdout=holdout, synthetic=synthetic)
        for place, synthetic in enumerate(syntheses, start=1)
        for name in [f"replicate {place}"]
    }
    return _runs(releases, params, seed=seed, confidence=confidence, jobs=jobs)


def cross_validate_synthesizer(
    synthesize: Synthesizer,
    data: pd.DataFrame,
    columns: Declarations,
    *,
    folds: int = 5,
    stratify_by: str | None = None,
    params: RapidParams | None = None,
    seed: int = 0,
    confidence: float = 0.95,
    jobs: int = 1,
) -> RapidRuns:
    """Return RAPID of a synthesiser's tables, each attacked with the fold it did not see.

    The figure ``holdout_fraction`` is the share of the held-out people who are at risk: what the
    generator gives away about anybody. ``gap`` is how much more it gives away about the people it
    learned from.

    Parameters
    ----------
    synthesize
        A function from a table and a random generator to a synthetic table with the same columns.
        Everything random in it should come from that generator.
    stratify_by
        The sensitive column that is spread evenly over the folds; needed if there are several.

    Notes
    -----
    ``mean ± 1.96 sd / √k`` is the interval of the reference. Folds share most of their training
    rows, so it is too narrow rather than too wide.

    Raises
    ------
    InputError
        If the data or what the synthesiser returns cannot be used; the message names the fold.
    NotAssessable
        If a sensitive column could not be attacked in one of the folds.

    Examples
    --------
    A synthesiser that draws from its table with replacement publishes real people:

    >>> from privgate.testing.samples import SURVEY_COLUMNS, survey
    >>> def bootstrapped(train, rng):
    ...     return train.iloc[rng.integers(len(train), size=len(train))]
    >>> runs = cross_validate_synthesizer(
    ...     bootstrapped, survey(400, 1), SURVEY_COLUMNS, folds=2, stratify_by="smoker"
    ... )
    >>> bool(runs.spreads["smoker"]["gap"].mean > 0)
    True
    """
    by = _stratifying(data, columns, stratify_by)
    parts = stratified_folds(data, columns, by=by, folds=folds, rng=generator(seed, "folds"))
    releases = {
        fold.name: release_named(
            fold.name,
            columns,
            train=fold.rest,
            holdout=fold.held_out,
            synthetic=synthesised(synthesize, fold, columns, generator(seed, fold.name)),
        )
        for fold in parts
    }
    return _runs(releases, params, seed=seed, confidence=confidence, jobs=jobs)


def _stratifying(data: pd.DataFrame, columns: Declarations, given: str | None) -> str:
    release = release_from_frames(train=data, synthetic=data, columns=columns)
    sensitive = [column.name for column in release.with_role(Role.SENSITIVE)]
    if given is None and len(sensitive) == 1:
        return sensitive[0]
    if given is not None and given in sensitive:
        return given
    named = "no column is named" if given is None else f"{given!r} is not a sensitive column"
    remedy = f"name one of {', '.join(map(repr, sensitive))}" if sensitive else "declare one"
    message = f"{named} to spread over the folds"
    raise InputError(Problem(message, path="stratify_by", remedy=remedy))


def _runs(
    releases: Mapping[str, Release],
    params: RapidParams | None,
    *,
    seed: int,
    confidence: float,
    jobs: int,
) -> RapidRuns:
    given = params or RapidParams()
    planned = [Planned(measurement_id(rapid, given), rapid, given)]
    found = {}
    for name, release in releases.items():
        conditions = Conditions(
            seed=derive_seed("privgate/rapid-runs/v1", str(seed), name),
            seed_source="given",
            confidence=confidence,
            created=now(),
            executor=Threads(jobs),
            debug=True,
        )
        found[name] = measure(release, planned, conditions, Silent()).evidence.measurements[0]
    _require_measured(found)
    return RapidRuns(_spreads(tuple(found.values())), tuple(found.values()))


def _require_measured(found: Mapping[str, Measurement]) -> None:
    """Refuse runs of which one is incomplete: the others' spread would look better than it is."""
    missing = [
        Problem(f"{name}: {part.of} was not assessed: {part.reason}")
        for name, measurement in found.items()
        for part in measurement.parts
        if part.status is not Status.MEASURED
    ]
    missing += [
        Problem(f"{name}: {measurement.reason}")
        for name, measurement in found.items()
        if not measurement.parts
    ]
    if missing:
        raise NotAssessable(missing)


def _spreads(measurements: tuple[Measurement, ...]) -> dict[str, dict[str, Spread]]:
    spreads: dict[str, dict[str, Spread]] = {}
    for parts in zip(*(measurement.parts for measurement in measurements), strict=True):
        own = {}
        for name, spec in rapid.card.figures.items():
            values = [part.figures[name].value for part in parts]
            known = tuple(float(value) for value in values if value is not None)
            if len(known) == len(parts):
                own[name] = Spread(known, spec.safe_side)
        spreads[parts[0].of] = own
    return spreads
