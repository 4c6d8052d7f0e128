"""A generator judged by folds of real people: not by the luck of one table."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import pandas as pd

from privgate.api.check import AudienceName, judged, require_known
from privgate.api.generator_result import GeneratorResult
from privgate.api.policies import bound_policy
from privgate.api.progress import shown_progress
from privgate.api.releases import GUESSED, declared_columns, is_complete
from privgate.api.split import folds_of
from privgate.api.units import row_labels
from privgate.data import Role
from privgate.data.facts import marked_as_guessed
from privgate.engine import Silent
from privgate.errors import InputError, Problem
from privgate.report import Audience
from privgate.stats.rng import derived_int, generator
from privgate.trials import Fold, release_named, synthesised

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from numpy.random import Generator

    from privgate.api.policies import AnyPolicy
    from privgate.api.releases import Columns, Declaration
    from privgate.data import Release
    from privgate.engine import Progress

FitSample = Callable[[pd.DataFrame, int, int], pd.DataFrame]
"""A function from a train table, a number of rows and a seed to so many synthetic rows."""


def evaluate_generator(
    fit_sample: FitSample,
    data: pd.DataFrame,
    policy: AnyPolicy,
    *,
    columns: Columns | None = None,
    folds: int = 5,
    rows: int | None = None,
    groups: str | None = None,
    stratify: str | Sequence[str] = (),
    unit: str = "person",
    seed: int = 0,
    jobs: int = 0,
    language: str = "en",
    audience: AudienceName = "shareable",
    progress: Progress | None = None,
) -> GeneratorResult:
    """Return what a policy makes of a generator, each fold of real people held out once.

    Parameters
    ----------
    fit_sample
        A function ``(train, n, seed)`` that fits the generator to a table and returns ``n``
        synthetic rows. Everything random in it should follow from the seed.
    data
        Real people. They must not have helped to build or tune the generator.
    policy
        As for :func:`~privgate.check`. Each fold has to reach its smallest tables: of n people,
        train is n · (k − 1)/k and holdout n/k.
    columns
        As for :func:`~privgate.check`; types are guessed from all of ``data``.
    folds
        How many; 2 gives equal halves, each of which is train once.
    rows
        Synthetic rows for each fold, by default as many as train has.
    groups, stratify
        As for :func:`~privgate.split`: groups stay in one fold. If ``columns`` does not name the
        column of ``groups`` and types are guessed, it is left out of all measurements.
    seed
        Of the folds and of the generator. The seeds of the measurements follow from the data.
    unit, jobs, language, audience, progress
        As for :func:`~privgate.check`.

    Raises
    ------
    InputError
        If the data cannot be divided, or the generator fails or returns something unusable; the
        message names the fold.
    PolicyError
        If the policy cannot be used.
    DisclosureError
        If evidence or verdict of a fold would show the value of a record.

    Notes
    -----
    This says how the generator treats people like these, when it learns from a share (k − 1)/k of
    them. It says nothing about any one table: one that shall be published needs
    :func:`~privgate.check` with a holdout that its own generator never saw. Folds share people, so
    their results are not independent, and k met folds are no interval.

    The result depends on the content of ``data`` and the seed, not on the order of its rows.

    Examples
    --------
    A generator that draws real people with replacement:

    >>> from privgate.testing.samples import survey
    >>> def bootstrap(train, n, seed):
    ...     return train.sample(n, replace=True, random_state=seed)
    >>> result = evaluate_generator(
    ...     bootstrap, survey(1000, 1), "ci-smoke", columns={"age": "quasi_identifier"}, folds=2
    ... )
    >>> print(result.outcome, [str(fold.outcome) for fold in result.folds])
    violated ['violated', 'violated']
    """
    require_known(language, audience, jobs)
    _require_numbers(data, folds, rows)
    bound = bound_policy(policy)
    declared = _declared(data, columns, groups)
    parts = list(_folds(data, folds=folds, groups=groups, stratify=stratify, seed=seed))
    progress = progress or shown_progress("judging")
    progress.started(len(parts))
    found = []
    try:
        for fold in parts:
            progress.stage(fold.name)
            release = _release(
                fit_sample, fold, declared, rows=rows, unit=unit, rng=generator(seed, fold.name)
            )
            found.append(
                judged(
                    release if is_complete(columns) else marked_as_guessed(release, GUESSED),
                    bound,
                    jobs=jobs,
                    language=language,
                    audience=Audience(audience),
                    progress=Silent(),
                )
            )
    finally:
        progress.finished()
    return GeneratorResult(tuple(found))


def _release(
    fit_sample: FitSample,
    fold: Fold,
    declared: Mapping[str, Declaration],
    *,
    rows: int | None,
    unit: str,
    rng: Generator,
) -> Release:
    wanted = len(fold.rest) if rows is None else rows

    def synthesize(train: pd.DataFrame, rng: Generator) -> pd.DataFrame:
        return fit_sample(train, wanted, derived_int(rng))

    made = synthesised(synthesize, fold, _measured(declared), rng)
    if len(made) != wanted:
        message = f"the generator returned {len(made)} rows, and {wanted} were asked for"
        remedy = "return as many as the second argument says"
        raise InputError(Problem(message, path=fold.name, remedy=remedy))
    return release_named(
        fold.name, declared, train=fold.rest, holdout=fold.held_out, synthetic=made, unit=unit
    )


def _measured(declared: Mapping[str, Declaration]) -> dict[str, Declaration]:
    """Return the declarations of columns that every table must have."""
    free = (Role.IDENTIFIER, Role.IGNORE)
    return {
        name: entry
        for name, entry in declared.items()
        if (entry.get("role") if not hasattr(entry, "role") else entry.role) not in free
    }


def _declared(
    data: pd.DataFrame, columns: Columns | None, groups: str | None
) -> Mapping[str, Declaration]:
    if is_complete(columns):
        return columns
    named = dict(columns or {})
    if groups is not None:
        named.setdefault(groups, Role.IGNORE)
    return declared_columns({"train": data}, named)


def _folds(
    data: pd.DataFrame,
    *,
    folds: int,
    groups: str | None,
    stratify: str | Sequence[str],
    seed: int,
) -> Iterator[Fold]:
    """Yield the folds, rows in an order that follows from their content."""
    labels = row_labels(data, groups)
    order = pd.DataFrame({"content": labels.content, "group": labels.group})
    ordered = data.iloc[order.sort_values(["content", "group"], kind="stable").index]
    parts = folds_of(ordered, folds=folds, groups=groups, stratify=stratify, seed=seed)
    for number, held in enumerate(parts, start=1):
        rest, out = (ordered[mask].reset_index(drop=True) for mask in (~held, held))
        yield Fold(number, rest, out)


def _require_numbers(data: object, folds: int, rows: int | None) -> None:
    problems = []
    if not isinstance(data, pd.DataFrame):
        message = f"the table is of type {type(data).__name__}"
        problems.append(Problem(message, path="data", remedy="give a pandas.DataFrame"))
    elif not 2 <= folds <= len(data):
        message = f"{folds} folds of {len(data)} rows cannot be made"
        problems.append(Problem(message, path="folds", remedy="give 2 to the number of rows"))
    if rows is not None and rows < 1:
        message = f"{rows} synthetic rows are too few"
        problems.append(Problem(message, path="rows", remedy="give 1 or more"))
    if problems:
        raise InputError(problems)
