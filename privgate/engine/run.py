"""From a plan and a release to evidence."""

from __future__ import annotations

import platform
from dataclasses import dataclass
from importlib.metadata import version
from typing import TYPE_CHECKING, Literal

from threadpoolctl import threadpool_limits

from privgate.engine.plan import missing_need
from privgate.engine.progress import Reporting
from privgate.engine.stored import StoredResult
from privgate.errors import ExecutorError, NotAssessable
from privgate.evidence import Measurement, RunEvidence, RunFacts, SafeSide, Status, document
from privgate.executors import SERIAL, Executor
from privgate.metrics import Inputs
from privgate.stats.rng import generator

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from privgate.data import Release
    from privgate.engine.cache import Cache
    from privgate.engine.plan import Planned
    from privgate.engine.progress import Progress
    from privgate.engine.sample import WantedSample
    from privgate.evidence import Card, Estimate, Part, SampleFacts
    from privgate.metrics import Measured, Records

PACKAGES = ("lightgbm", "numpy", "pandas", "pyarrow", "scikit-learn", "scipy")


@dataclass(frozen=True, kw_only=True)
class Conditions:
    """How a run is made. The executor changes no figure; ``debug`` lets exceptions through.

    Without a ``sample`` every row is measured.
    """

    seed: int
    seed_source: Literal["derived", "given"]
    confidence: float
    created: datetime
    executor: Executor = SERIAL
    debug: bool = False
    sample: WantedSample | None = None


@dataclass(frozen=True)
class Run:
    """Evidence, and the scores of single records by measurement id, which stay out of it.

    The scores are of the rows of ``measured``: the release, or the sample of it that was measured.
    """

    evidence: RunEvidence
    measured: Release
    records: Mapping[str, tuple[Records, ...]]


def measure(
    release: Release,
    planned: Sequence[Planned],
    conditions: Conditions,
    progress: Progress,
    *,
    basis: Inputs | None = None,
    cache: Cache | None = None,
) -> Run:
    """Return the evidence of a release: every planned measurement, made or not, with the reason.

    ``basis`` are inputs of another release of the same real people, whose searches are used again.
    ``cache`` is where finished measurements are kept, and taken from if this very run was
    interrupted before.
    """
    measured, sample = _part(release, conditions)
    inputs = Inputs(
        release=measured,
        confidence=conditions.confidence,
        executor=Reporting(conditions.executor, progress),
        basis=basis if sample is None else None,
    )
    kept = None if cache is None else cache.open(measured, conditions)
    measurements, records = [], {}
    # One BLAS thread: sums in another order would change the last digit.
    with threadpool_limits(1, user_api="blas"):
        for entry in planned:
            progress.stage(entry.metric.card.title)
            # The code of a plug-in is no part of what a run is known by, so it is measured anew.
            own = kept if entry.metric.card.plugin is None else None
            result = None if own is None else own.take(entry)
            if result is None:
                result = _measured(entry, inputs, conditions)
                if own is not None:
                    own.keep(entry, result)
            measurements.append(result.measurement)
            if result.records:
                records[entry.id] = result.records
    return Run(
        RunEvidence(
            release=release.facts,
            run=_run_facts(conditions, sample),
            cards={entry.metric.name: entry.metric.card for entry in planned},
            measurements=tuple(measurements),
        ),
        measured,
        records,
    )


def _part(release: Release, conditions: Conditions) -> tuple[Release, SampleFacts | None]:
    if conditions.sample is None:
        return release, None
    return conditions.sample.of(release, conditions.seed)


def _measured(entry: Planned, inputs: Inputs, conditions: Conditions) -> StoredResult:
    lacking = missing_need(entry.metric, inputs.release)
    if lacking:
        return _without_result(entry, Status.NOT_ASSESSED, lacking)
    try:
        result = entry.metric.measure(inputs, entry.params, generator(conditions.seed, entry.id))
        return StoredResult(_with_result(entry, result), result.records)
    except NotAssessable as reason:
        return _without_result(entry, Status.NOT_ASSESSED, str(reason))
    except ExecutorError:  # no word about the release: nothing was judged
        raise
    except (Exception, SystemExit) as cause:  # an exit code would be taken for a verdict
        if conditions.debug and not isinstance(cause, SystemExit):
            raise
        # The text of an unexpected exception may quote a record, so only its kind is kept.
        kind = type(cause).__name__
        reason_text = f"the metric stopped with {kind}; --debug shows where"
        return _without_result(entry, Status.FAILED, reason_text)


def _without_result(entry: Planned, status: Status, reason: str) -> StoredResult:
    unmade = Measurement(
        id=entry.id,
        metric=entry.metric.name,
        version=entry.metric.card.version,
        params=document(entry.params),
        status=status,
        reason=reason,
    )
    return StoredResult(unmade, ())


def _with_result(entry: Planned, result: Measured) -> Measurement:
    card = entry.metric.card
    figures = dict(result.figures) or _worst(result.parts, card)
    undeclared = set(figures) - set(card.figures)
    if undeclared:
        raise RuntimeError(f"figures missing from the card: {', '.join(sorted(undeclared))}")
    unmade = [part for part in result.parts if part.status is not Status.MEASURED]
    if result.parts and len(unmade) == len(result.parts):
        reasons = "; ".join(f"{part.of}: {part.reason}" for part in unmade)
        status, reason = Status.NOT_ASSESSED, reasons
    else:
        status, reason = Status.MEASURED, None
    return Measurement(
        id=entry.id,
        metric=card.name,
        version=card.version,
        params=document(entry.params),
        status=status,
        reason=reason,
        raw=result.raw,
        risk=result.risk,
        figures=figures,
        parts=result.parts,
        charts=result.charts,
        diagnostics=dict(result.diagnostics),
        notes=result.notes + tuple(f"{part.of} was not assessed: {part.reason}" for part in unmade),
    )


def _worst(parts: Sequence[Part], card: Card) -> dict[str, Estimate]:
    """Return, for each figure, the part's estimate whose unfavourable end is the worst."""

    def badness(estimate: Estimate, side: SafeSide) -> float:
        low_is_safe = side is SafeSide.LOW
        end = estimate.high if low_is_safe else estimate.low
        value = float(end if end is not None else estimate.value or 0.0)
        return value if low_is_safe else -value

    worst: dict[str, Estimate] = {}
    for name, spec in card.figures.items():
        known = [
            part.figures[name]
            for part in parts
            if name in part.figures and part.figures[name].value is not None
        ]
        if known:
            worst[name] = max(known, key=lambda estimate: badness(estimate, spec.safe_side))
    return worst


def _run_facts(conditions: Conditions, sample: SampleFacts | None) -> RunFacts:
    asked = conditions.sample
    unneeded = asked is not None and asked.source == "given" and sample is None
    return RunFacts(
        seed=conditions.seed,
        seed_source=conditions.seed_source,
        confidence=conditions.confidence,
        created=conditions.created,
        tool=f"privgate {version('privgate')}",
        python=platform.python_version(),
        packages={name: version(name) for name in PACKAGES},
        sample=sample,
        sample_unneeded=asked.rows if asked is not None and unneeded else None,
    )
